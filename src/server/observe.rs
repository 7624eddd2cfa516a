//! What is seen of every request: an id, a line in the log, and its share in the metrics.
//!
//! The id is the client's own, or its proxy's, where it has one; all that is logged on the way has it, and so does the answer.

use std::time::Instant;

use axum::Router;
use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::Response;
use tracing::Instrument;
use tracing::field::Empty;
use uuid::Uuid;

use super::answer::Codes;
use crate::metrics::Metrics;
use crate::telemetry::trace;

/// The header of the id.
pub const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// The longest id that is taken from a client, in bytes.
const LONGEST: usize = 128;

/// The routes, observed. What is laid around them later is not.
pub fn observed(router: Router, metrics: &Metrics) -> Router {
    router.layer(from_fn_with_state(metrics.clone(), observe))
}

async fn observe(
    State(metrics): State<Metrics>,
    route: Option<MatchedPath>,
    mut request: Request,
    next: Next,
) -> Response {
    let begun = Instant::now();
    let _in_flight = metrics.request();
    let id = id(request.headers());
    let (route, method) = (route.map_or("other".into(), |route| route.as_str().to_owned()), method(request.method()));
    // An error, so that it is there around every line, be it an error.
    let span = tracing::error_span!(
        "request",
        id = id.to_str().unwrap_or_default(),
        method,
        route,
        operation = Empty,
        trace_id = Empty,
        otel.kind = "server",
    );
    if let Some(trace) = trace::join(&span, request.headers()) {
        span.record("trace_id", tracing::field::display(trace));
    }
    // Others on the way find it where the client would have put it.
    request.headers_mut().insert(REQUEST_ID, id.clone());
    let mut response = next.run(request).instrument(span.clone()).await;
    response.headers_mut().insert(REQUEST_ID, id);

    let (status, time) = (response.status().as_u16(), begun.elapsed());
    let codes = response.extensions().get::<Codes>().map_or(&[][..], |Codes(codes)| codes);
    for code in codes {
        metrics.error(*code);
    }
    let errors = codes.iter().map(|code| code.as_str()).collect::<Vec<_>>().join(",");
    let ms = time.as_secs_f64() * 1e3;
    span.in_scope(|| tracing::info!(status, ms, errors, "answered"));
    trace::answered(&span, method, &route, status);
    metrics.answered(route, method, status, time);
    response
}

/// The id that a request came with, if it has one that can be passed on; else a new one.
fn id(headers: &HeaderMap) -> HeaderValue {
    let is_fine =
        |id: &&HeaderValue| (1..=LONGEST).contains(&id.len()) && id.as_bytes().iter().all(u8::is_ascii_graphic);
    let brought = headers.get(REQUEST_ID).filter(is_fine).cloned();
    brought.unwrap_or_else(|| HeaderValue::from_str(&Uuid::now_v7().to_string()).expect("a UUID is ASCII"))
}

/// Clients can invent methods, and a label must have few values.
fn method(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::HEAD => "HEAD",
        Method::OPTIONS => "OPTIONS",
        Method::POST => "POST",
        _ => "other",
    }
}
