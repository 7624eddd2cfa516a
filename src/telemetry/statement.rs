//! The span of a statement, which is known when it is over.

use std::time::{Duration, SystemTime};

use opentelemetry::trace::{Span, SpanKind, Status, TraceContextExt, Tracer};
use opentelemetry::{Context, KeyValue, global};
use sea_orm::DbBackend;

/// The most that is told of a statement, in bytes.
const LONGEST: usize = 4096;

/// Records a statement that has been run, as a part of what is being done. Attributes have the names of OpenTelemetry's
/// semantic conventions.
pub fn executed(backend: DbBackend, sql: &str, failed: bool, time: Duration) {
    let context = Context::current();
    if !context.span().span_context().is_sampled() {
        return;
    }
    let end = SystemTime::now();
    let operation = sql.split_whitespace().next().unwrap_or_default().to_owned();
    let system = if backend == DbBackend::Postgres { "postgresql" } else { "sqlite" };
    let tracer = global::tracer(super::NAME);
    let mut span = tracer
        .span_builder(operation.clone())
        .with_kind(SpanKind::Client)
        .with_start_time(end.checked_sub(time).unwrap_or(end))
        .with_attributes([
            KeyValue::new("db.system.name", system),
            KeyValue::new("db.operation.name", operation),
            KeyValue::new("db.query.text", sql[..sql.floor_char_boundary(LONGEST)].to_owned()),
        ])
        .start_with_context(&tracer, &context);
    if failed {
        span.set_status(Status::error("the statement failed"));
    }
    span.end_with_timestamp(end);
}
