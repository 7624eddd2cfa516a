//! The span of a request in a trace: its parent, and its result. The attributes follow OpenTelemetry's semantic conventions.

use axum::http::HeaderMap;
use opentelemetry::KeyValue;
use opentelemetry::propagation::TextMapPropagator;
use opentelemetry::trace::{Status, TraceContextExt};
use opentelemetry_http::HeaderExtractor;
use opentelemetry_sdk::propagation::TraceContextPropagator;
use tracing::Span;
use tracing_opentelemetry::OpenTelemetrySpanExt;

/// Makes a span a part of the trace that these headers name.
pub fn join(span: &Span, headers: &HeaderMap) {
    let _ = span.set_parent(TraceContextPropagator::new().extract(&HeaderExtractor(headers)));
}

/// The id of the trace of a span, if it is sent.
pub fn sampled(span: &Span) -> Option<String> {
    let context = span.context();
    let span = context.span();
    let span = span.span_context();
    span.is_sampled().then(|| span.trace_id().to_string())
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
