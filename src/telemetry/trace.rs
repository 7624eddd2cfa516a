//! Spans beyond those of the log: where a request comes from, and what its statements are.
//!
//! A request is part of its client's trace where it says so by W3C Trace Context. Attributes have the names of OpenTelemetry's
//! semantic conventions.

use std::time::SystemTime;

use axum::http::HeaderMap;
use opentelemetry::propagation::TextMapPropagator;
use opentelemetry::trace::{Span as _, SpanKind, Status, TraceContextExt, TraceId, Tracer};
use opentelemetry::{KeyValue, global};
use opentelemetry_http::HeaderExtractor;
use opentelemetry_sdk::propagation::TraceContextPropagator;
use sea_orm::DbBackend;
use sea_orm::metric::Info;
use tracing::Span;
use tracing_opentelemetry::OpenTelemetrySpanExt;

/// The most that is told of a statement, in bytes.
const LONGEST: usize = 4096;

/// Makes a span a part of the trace that the request belongs to. Its trace, if it is part of one.
pub fn join(span: &Span, headers: &HeaderMap) -> Option<TraceId> {
    let parent = TraceContextPropagator::new().extract(&HeaderExtractor(headers));
    let parent_id = parent.span().span_context().trace_id();
    // Where nothing is traced, the log can still say what belongs together.
    let own_id = match span.set_parent(parent) {
        Ok(()) => span.context().span().span_context().trace_id(),
        Err(_) => parent_id,
    };
    Some(own_id).filter(|id| *id != TraceId::INVALID)
}

/// Records what came of a request.
pub fn answered(span: &Span, method: &'static str, route: &str, status: u16) {
    let context = span.context();
    let span = context.span();
    if !span.span_context().is_sampled() {
        return;
    }
    span.update_name(format!("{method} {route}"));
    span.set_attributes([
        KeyValue::new("http.request.method", method),
        KeyValue::new("http.route", route.to_owned()),
        KeyValue::new("http.response.status_code", i64::from(status)),
    ]);
    if status >= 500 {
        span.set_status(Status::error("the server failed"));
    }
}

/// Records a statement that has been run, as a part of what is being done.
pub fn statement(info: &Info<'_>) {
    let context = Span::current().context();
    if !context.span().span_context().is_sampled() {
        return;
    }
    let end = SystemTime::now();
    let sql = &info.statement.sql;
    let operation = sql.split_whitespace().next().unwrap_or_default().to_owned();
    let system = match info.statement.db_backend {
        DbBackend::Postgres => "postgresql",
        _ => "sqlite",
    };
    let tracer = global::tracer(super::NAME);
    let mut span = tracer
        .span_builder(operation.clone())
        .with_kind(SpanKind::Client)
        .with_start_time(end.checked_sub(info.elapsed).unwrap_or(end))
        .with_attributes([
            KeyValue::new("db.system.name", system),
            KeyValue::new("db.operation.name", operation),
            KeyValue::new("db.query.text", sql[..sql.floor_char_boundary(LONGEST)].to_owned()),
        ])
        .start_with_context(&tracer, &context);
    if info.failed {
        span.set_status(Status::error("the statement failed"));
    }
    span.end_with_timestamp(end);
}
