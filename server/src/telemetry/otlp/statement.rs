//! Spans of statements. A span is recorded when its statement has ended.

use std::time::{Duration, SystemTime};

use opentelemetry::trace::{Span, SpanKind, Status, TraceContextExt, Tracer};
use opentelemetry::{Context, KeyValue, global};
use sea_orm::DbBackend;

use super::NAME;

/// The maximum length of a statement in a trace, in bytes.
const MAX_TEXT: usize = 4096;

/// Records a statement in the current span. The attributes follow OpenTelemetry's semantic conventions.
pub fn executed(backend: DbBackend, sql: &str, failed: bool, time: Duration) {
    let context = Context::current();
    if !context.span().span_context().is_sampled() {
        return;
    }
    let end = SystemTime::now();
    let operation = match sql.split_whitespace().next().unwrap_or_default() {
        // A common table expression before a query.
        "WITH" => "SELECT".to_owned(),
        word => word.to_owned(),
    };
    let system = if backend == DbBackend::Postgres { "postgresql" } else { "sqlite" };
    let tracer = global::tracer(NAME);
    let mut span = tracer
        .span_builder(operation.clone())
        .with_kind(SpanKind::Client)
        .with_start_time(end.checked_sub(time).unwrap_or(end))
        .with_attributes([
            KeyValue::new("db.system.name", system),
            KeyValue::new("db.operation.name", operation),
            KeyValue::new("db.query.text", sql[..sql.floor_char_boundary(MAX_TEXT)].to_owned()),
        ])
        .start_with_context(&tracer, &context);
    if failed {
        span.set_status(Status::error("the statement failed"));
    }
    span.end_with_timestamp(end);
}
