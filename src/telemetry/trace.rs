//! The span of a request, beyond what the log says: which trace it is a part of, and what came of it.
//!
//! A request is part of its client's trace where it says so by W3C Trace Context. Attributes of HTTP have the names of
//! OpenTelemetry's semantic conventions.

use axum::http::HeaderMap;
use opentelemetry::KeyValue;
use opentelemetry::propagation::TextMapPropagator;
use opentelemetry::trace::{Status, TraceContextExt, TraceId};
use opentelemetry_http::HeaderExtractor;
use opentelemetry_sdk::propagation::TraceContextPropagator;
use tracing::Span;
use tracing_opentelemetry::OpenTelemetrySpanExt;

/// Makes a span a part of the trace that its request belongs to. The trace to look for, if there is one.
pub fn join(span: &Span, headers: &HeaderMap) -> Option<TraceId> {
    let mut brought = None;
    if headers.contains_key("traceparent") {
        let parent = TraceContextPropagator::new().extract(&HeaderExtractor(headers));
        brought = Some(parent.span().span_context().trace_id()).filter(|id| *id != TraceId::INVALID);
        // Where nothing is traced, the log can still say what belongs together.
        let _ = span.set_parent(parent);
    }
    let own = span.context().span().span_context().clone();
    if own.is_sampled() { Some(own.trace_id()) } else { brought }
}

/// Records what came of a request; without a status, it was dropped.
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
