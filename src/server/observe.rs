//! What is seen of every request that could be read: an id, a line in the log, and its share in the metrics.
//!
//! The id is the client's own, or its proxy's, where it has one; all that is logged on the way has it, and so does the
//! answer.

use std::time::Instant;

use axum::Router;
use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::Response;
use tracing::field::{Empty, display};
use tracing::{Instrument, Span};
use uuid::Uuid;

use super::answer::Codes;
use super::probes::is_probe;
use crate::graphql::Code;
use crate::metrics::Metrics;
use crate::telemetry::{UNTRACED, milliseconds, trace};

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
    let id = id(request.headers());
    let mut seen = Seen::new(metrics, route, request.method(), &id, request.headers());
    // Who answers it finds it there, whoever has chosen it.
    request.headers_mut().insert(REQUEST_ID, id.clone());
    let mut response = next.run(request).instrument(seen.span.clone()).await;
    response.headers_mut().insert(REQUEST_ID, id);
    seen.status = Some(response.status().as_u16());
    seen.codes = response.extensions_mut().remove().map_or_else(Vec::new, |Codes(codes)| codes);
    response
}

/// A request, until it is answered, or dropped: its client has gone, or the server.
struct Seen {
    metrics: Metrics,
    span: Span,
    route: Option<MatchedPath>,
    method: &'static str,
    begun: Instant,
    status: Option<u16>,
    codes: Vec<Code>,
}

impl Seen {
    fn new(
        metrics: Metrics,
        route: Option<MatchedPath>,
        method: &Method,
        id: &HeaderValue,
        headers: &HeaderMap,
    ) -> Self {
        let (begun, method) = (Instant::now(), known(method));
        // An error, so that it is there around every line, be it an error.
        macro_rules! span {
            ($target:expr) => {
                tracing::error_span!(
                    target: $target,
                    "request",
                    id = id.to_str().unwrap_or_default(),
                    method,
                    route = route.as_ref().map(MatchedPath::as_str),
                    operation = Empty,
                    trace_id = Empty,
                    otel.kind = "server",
                )
            };
        }
        let is_probe = route.as_ref().is_some_and(|route| is_probe(route.as_str()));
        let span = if is_probe { span!(UNTRACED) } else { span!(module_path!()) };
        if let Some(id) = trace::join(&span, headers) {
            span.record("trace_id", display(id));
        }
        Self { metrics, span, route, method, begun, status: None, codes: Vec::new() }
    }
}

impl Drop for Seen {
    fn drop(&mut self) {
        let (route, status, time) = (self.route.as_ref().map(MatchedPath::as_str), self.status, self.begun.elapsed());
        for code in &self.codes {
            self.metrics.error(code.as_str());
        }
        self.metrics.request(route.unwrap_or("other"), self.method, status, time);
        trace::answered(&self.span, self.method, route, status);
        let (errors, ms) = (Code::listed(self.codes.iter().copied()), milliseconds(time));
        self.span.in_scope(|| match status {
            Some(200) if route.is_some_and(is_probe) => tracing::debug!(status, ms, errors, "answered"),
            Some(status) => tracing::info!(status, ms, errors, "answered"),
            None => tracing::info!(ms, "dropped: the client has gone, or the server stops"),
        });
    }
}

/// The id that a request came with, if it has one that can be passed on; else a new one.
fn id(headers: &HeaderMap) -> HeaderValue {
    let is_fine =
        |id: &&HeaderValue| (1..=LONGEST).contains(&id.len()) && id.as_bytes().iter().all(u8::is_ascii_graphic);
    let brought = headers.get(REQUEST_ID).filter(is_fine).cloned();
    brought.unwrap_or_else(|| HeaderValue::from_str(&Uuid::now_v7().to_string()).expect("a UUID is ASCII"))
}

/// Clients can invent methods, and a label must have few values.
fn known(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::HEAD => "HEAD",
        Method::OPTIONS => "OPTIONS",
        Method::POST => "POST",
        _ => "_OTHER",
    }
}
