//! The span of a request in the trace of its client, by W3C Trace Context; within it, that of its operation.

use std::borrow::Cow;

use axum::http::{HeaderMap, HeaderValue};
use tracing::field::Empty;
use tracing::{Level, Span};

use super::{TRACED, otlp};

pub use super::otlp::answered;

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
pub fn join<'a>(span: &Span, headers: &'a HeaderMap) -> Option<Cow<'a, str>> {
    let received = headers.get("traceparent");
    if received.is_some() {
        otlp::join(span, headers);
    }
    // The log shows the trace's id even if this server does not trace.
    otlp::sampled(span).map(Cow::from).or_else(|| received.and_then(trace_id).map(Cow::from))
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

/// The id in a header `traceparent`, by W3C Trace Context: `version-trace-parent-flags`.
fn trace_id(header: &HeaderValue) -> Option<&str> {
    let is_hex =
        |part: &str, length| part.len() == length && part.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    let is_id = |part: &str, length| is_hex(part, length) && part.bytes().any(|byte| byte != b'0');
    let mut parts = header.to_str().ok()?.split('-');
    let (version, trace, parent, flags) = (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
    let is_valid = is_hex(version, 2)
        && version != "ff"
        && (version != "00" || parts.next().is_none())
        && is_id(trace, 32)
        && is_id(parent, 16)
        && is_hex(flags, 2);
    is_valid.then_some(trace)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trace_has_the_id_of_a_valid_header() {
        let trace = "4bf92f3577b34da6a3ce929d0e0e4736";
        let parent = "00f067aa0ba902b7";
        for valid in [format!("00-{trace}-{parent}-01"), format!("01-{trace}-{parent}-00-more")] {
            assert_eq!(trace_id(&valid.parse().unwrap()), Some(trace));
        }
        for invalid in [
            String::new(),
            format!("ff-{trace}-{parent}-01"),
            format!("00-{trace}-{parent}-01-more"),
            format!("00-{trace}-{parent}"),
            format!("00-{}-{parent}-01", trace.to_uppercase()),
            format!("00-{}-{parent}-01", "0".repeat(32)),
            format!("00-{trace}-{}-01", "0".repeat(16)),
            "00-0-0-01".into(),
        ] {
            assert_eq!(trace_id(&invalid.parse().unwrap()), None, "{invalid}");
        }
    }
}
