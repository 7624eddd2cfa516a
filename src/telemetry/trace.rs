//! The span of a request in a trace: its parent, and its result; within it, that of its operation.
//!
//! A request joins its client's trace by W3C Trace Context. The attributes follow OpenTelemetry's semantic conventions.

use axum::http::HeaderMap;
use opentelemetry::KeyValue;
use opentelemetry::propagation::TextMapPropagator;
use opentelemetry::trace::{Status, TraceContextExt, TraceId};
use opentelemetry_http::HeaderExtractor;
use opentelemetry_sdk::propagation::TraceContextPropagator;
use tracing::field::Empty;
use tracing::{Level, Span};
use tracing_opentelemetry::OpenTelemetrySpanExt;

use super::TRACED;

/// An operation of GraphQL.
pub struct Operation<'a> {
    /// `query`, `mutation` or `subscription`.
    pub kind: &'static str,
    /// Its name in the document.
    pub name: Option<&'a str>,
    /// Whether its document is one of those that the server was started with, so that there are few names.
    pub is_known: bool,
}

/// Makes a span a part of its request's trace. Returns the trace's id, if there is one.
pub fn join(span: &Span, headers: &HeaderMap) -> Option<TraceId> {
    let mut received = None;
    if headers.contains_key("traceparent") {
        let parent = TraceContextPropagator::new().extract(&HeaderExtractor(headers));
        received = Some(parent.span().span_context().trace_id()).filter(|id| *id != TraceId::INVALID);
        // The log shows the trace's id even if this server does not trace.
        let _ = span.set_parent(parent);
    }
    let own = span.context().span().span_context().clone();
    if own.is_sampled() { Some(own.trace_id()) } else { received }
}

/// The span of the execution of an operation, if it is part of a trace. The name of the span has that of the operation only
/// where clients cannot choose it.
pub fn operation<'a>(describe: impl FnOnce() -> Operation<'a>) -> Span {
    if !tracing::enabled!(target: TRACED, Level::TRACE) {
        return Span::none();
    }
    let Operation { kind, name, is_known } = describe();
    let named = name.filter(|_| is_known).map(|name| format!("{kind} {name}"));
    tracing::trace_span!(
        target: TRACED,
        "graphql",
        otel.name = named.as_deref().unwrap_or(kind),
        otel.kind = "server",
        otel.status_code = Empty,
        "error.type" = Empty,
        "graphql.operation.type" = kind,
        "graphql.operation.name" = name,
    )
}

/// Records the first error of an operation.
pub fn executed(span: &Span, code: Option<&'static str>) {
    if let Some(code) = code {
        span.record("otel.status_code", "ERROR").record("error.type", code);
    }
}

/// Records the result of a request; without a status, the request was dropped.
pub fn answered(span: &Span, method: &'static str, route: Option<&str>, status: Option<u16>) {
    let context = span.context();
    let span = context.span();
    if !span.span_context().is_sampled() {
        return;
    }
    span.update_name(route.map_or(method.to_owned(), |route| format!("{method} {route}")));
    span.set_attribute(KeyValue::new("http.request.method", method));
    if let Some(route) = route {
        span.set_attribute(KeyValue::new("http.route", route.to_owned()));
    }
    if let Some(status) = status {
        span.set_attribute(KeyValue::new("http.response.status_code", i64::from(status)));
    }
    if status.is_none_or(|status| status >= 500) {
        span.set_status(Status::error(if status.is_some() { "the server failed" } else { "dropped" }));
    }
}
