//! Observation of requests: an id, a line in the log, and the metrics.
//!
//! The id comes from the client or its proxy, or is generated. It is in the response, and in every line that is logged for
//! the request.

use std::borrow::Cow;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use axum::extract::Request;
use axum::http::{HeaderMap, HeaderValue, Method};
use axum::response::Response;
use tracing::field::{Empty, display};
use tracing::{Instrument, Span};
use uuid::Builder;
use uuid::fmt::Hyphenated;

use super::headers::REQUEST_ID;
use super::probes::is_probe;
use super::response::Codes;
use crate::metrics::Metrics;
use crate::request::listed;
use crate::telemetry::{UNTRACED, milliseconds, trace};

/// The maximum length of a client's request id, in bytes.
const MAX_ID: usize = 128;

/// Observes a request to a route, if it is known.
pub async fn observe<Responding: Future<Output = Response>>(
    metrics: &Metrics,
    route: Option<Cow<'static, str>>,
    mut request: Request,
    respond: impl FnOnce(Request) -> Responding,
) -> Response {
    let id = id(request.headers());
    let mut record = Record::new(metrics.clone(), route, request.method(), &id, request.headers());
    // Handlers read the id from the header.
    request.headers_mut().insert(REQUEST_ID, id.clone());
    let mut response = respond(request).instrument(record.span.clone()).await;
    response.headers_mut().insert(REQUEST_ID, id);
    record.status = Some(response.status().as_u16());
    record.codes = response.extensions_mut().remove().map_or_else(Vec::new, |Codes(codes)| codes);
    response
}

/// The record of a request. It is logged when it is dropped: after the response, or when the client or the server is gone.
struct Record {
    metrics: Metrics,
    span: Span,
    route: Option<Cow<'static, str>>,
    method: &'static str,
    begun: Instant,
    status: Option<u16>,
    codes: Vec<&'static str>,
}

impl Record {
    fn new(
        metrics: Metrics,
        route: Option<Cow<'static, str>>,
        method: &Method,
        id: &HeaderValue,
        headers: &HeaderMap,
    ) -> Self {
        let (begun, method) = (Instant::now(), known(method));
        // At level ERROR, so that the span is around every line, whatever the level of the log.
        macro_rules! span {
            ($target:expr) => {
                tracing::error_span!(
                    target: $target,
                    "request",
                    id = id.to_str().unwrap_or_default(),
                    method,
                    route = route.as_deref(),
                    operation = Empty,
                    trace_id = Empty,
                    otel.kind = "server",
                )
            };
        }
        let is_probe = route.as_deref().is_some_and(is_probe);
        let span = if is_probe { span!(UNTRACED) } else { span!(module_path!()) };
        if let Some(id) = trace::join(&span, headers) {
            span.record("trace_id", display(id));
        }
        Self { metrics, span, route, method, begun, status: None, codes: Vec::new() }
    }
}

impl Drop for Record {
    fn drop(&mut self) {
        let (route, status, time) = (self.route.as_deref(), self.status, self.begun.elapsed());
        for code in &self.codes {
            self.metrics.error(code);
        }
        let label = self.route.clone().unwrap_or(Cow::Borrowed("other"));
        self.metrics.request(label, self.method, status, time);
        trace::answered(&self.span, self.method, route, status);
        let (errors, ms) = (listed(self.codes.iter().copied()), milliseconds(time));
        self.span.in_scope(|| match status {
            Some(200) if route.is_some_and(is_probe) => tracing::debug!(status, ms, errors, "answered"),
            Some(status) => tracing::info!(status, ms, errors, "answered"),
            None => tracing::info!(ms, "dropped: the client disconnected, or the server is stopping"),
        });
    }
}

/// The id in the request if it is valid; otherwise a new one.
fn id(headers: &HeaderMap) -> HeaderValue {
    let is_valid =
        |id: &&HeaderValue| (1..=MAX_ID).contains(&id.len()) && id.as_bytes().iter().all(u8::is_ascii_graphic);
    let received = headers.get(REQUEST_ID).filter(is_valid).cloned();
    received.unwrap_or_else(new_id)
}

/// A new id. It is no secret, so its random bits need not come from the system, which takes a call for each of them.
fn new_id() -> HeaderValue {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let mut random = [0; 10];
    fastrand::fill(&mut random);
    let id = Builder::from_unix_timestamp_millis(u64::try_from(since.as_millis()).unwrap_or_default(), &random);
    let mut text = [0; Hyphenated::LENGTH];
    HeaderValue::from_str(id.into_uuid().hyphenated().encode_lower(&mut text)).expect("a UUID is ASCII")
}

/// The label of a method. Clients can invent methods, and a label must have few values.
fn known(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::HEAD => "HEAD",
        Method::OPTIONS => "OPTIONS",
        Method::POST => "POST",
        _ => "_OTHER",
    }
}
