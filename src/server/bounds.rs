//! The layers between a client and the routes.
//!
//! The body of a request to the API is received completely before the request takes a permit
//! ([`Admission`](crate::request::Admission)), so slow clients do not block others. Queries and mutations over a WebSocket
//! take permits of the same kind; events of subscriptions do not.

use std::convert::Infallible;
use std::future::ready;
use std::mem::take;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::{DefaultBodyLimit, Request, State};
use axum::http::header::{
    ACCEPT_ENCODING, AUTHORIZATION, CONTENT_TYPE, HeaderName, REFERRER_POLICY, RETRY_AFTER, WWW_AUTHENTICATE,
    X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use axum::http::{self, HeaderValue, Method};
use axum::middleware::{Next, from_fn_with_state, map_response};
use axum::response::Response;
use axum::{Extension, Router};
use tokio::time::timeout;
use tower::util::option_layer;
use tower::{Layer, ServiceExt, service_fn};
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::compression::predicate::{DefaultPredicate, Predicate, SizeAbove};
use tower_http::compression::{CompressionLayer, CompressionLevel};
use tower_http::cors::{AllowOrigin, CorsLayer};

use super::buffers::{RESPONSE_DROPPED, Unread, hold, read};
use super::capacity::Capacity;
use super::graphql::GRAPHQL_COST;
use super::media::Media;
use super::observe::REQUEST_ID;
use super::origin;
use super::response::{panicked, reject};
use super::websocket::is_websocket;
use crate::config::{AllowedOrigin, Bounds};
use crate::request::{BUDGET_EXCEEDED, Code, Memory, MemoryPermit, Permit, Rejected};

/// The only route that needs a permit.
const API: &str = "/graphql";

/// The maximum length of a URL, in bytes.
const MAX_URL: usize = 16 << 10;

/// The minimum size of a response that is compressed, in bytes.
const MIN_COMPRESSED: u64 = 1024;

/// The headers of W3C Trace Context.
const TRACE: (HeaderName, HeaderName) = (HeaderName::from_static("traceparent"), HeaderName::from_static("tracestate"));

/// Security headers of every response that does not set them itself. Browsers do not guess media types, do not show the
/// page in a frame, and do not send its URL to other sites.
const HEADERS: [(HeaderName, HeaderValue); 4] = [
    (X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
    (REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
    (X_FRAME_OPTIONS, HeaderValue::from_static("DENY")),
    (HeaderName::from_static("cross-origin-opener-policy"), HeaderValue::from_static("same-origin")),
];

/// Wraps routes in these bounds. The routes find the [`Capacity`] in their requests. Only the API needs a permit: all
/// other routes respond while the server is overloaded.
pub fn bounded(router: Router, bounds: &Bounds, capacity: &Capacity) -> Router {
    let gate = Gate {
        capacity: capacity.clone(),
        max_body_size: bounds.max_body_size,
        read_timeout: bounds.read_timeout.0,
        origins: bounds.cors_origins.as_slice().into(),
    };
    // As one layer: the router would call each of several through a pointer, with a future on the heap.
    router.layer((
        map_response(secured),
        option_layer(cors(&bounds.cors_origins)),
        Extension(capacity.clone()),
        from_fn_with_state(gate, pass),
        CatchPanicLayer::custom(panicked),
        DefaultBodyLimit::disable(),
    ))
}

/// Adds the security headers.
async fn secured<B>(mut response: http::Response<B>) -> http::Response<B> {
    for (name, value) in HEADERS {
        response.headers_mut().entry(name).or_insert(value);
    }
    response
}

#[derive(Clone)]
struct Gate {
    capacity: Capacity,
    max_body_size: usize,
    read_timeout: Duration,
    origins: Arc<[AllowedOrigin]>,
}

async fn pass(State(gate): State<Gate>, request: Request, next: Next) -> Response {
    let encodings: Vec<HeaderValue> = request.headers().get_all(ACCEPT_ENCODING).iter().cloned().collect();
    // No cache stores what the API responds. Other responses say that they depend on the encodings.
    let is_plain = encodings.is_empty() && request.uri().path() == API;
    let response = admitted(gate, request, next).await;
    if is_plain { response } else { compressed(encodings, response).await }
}

/// The response, compressed if that is worth it, in one of the encodings that a client accepts. As a layer, the state of the
/// compression would be a part of every response.
async fn compressed(encodings: Vec<HeaderValue>, mut response: Response) -> Response {
    let mut request = Request::new(Body::empty());
    for encoding in encodings {
        request.headers_mut().append(ACCEPT_ENCODING, encoding);
    }
    let compression = CompressionLayer::new()
        .quality(CompressionLevel::Fastest)
        .compress_when(DefaultPredicate::new().and(SizeAbove::new(MIN_COMPRESSED)));
    let answer = service_fn(move |_: Request| ready(Ok::<_, Infallible>(take(&mut response))));
    let Ok(response) = Box::pin(compression.layer(answer).oneshot(request)).await;
    response.map(Body::new)
}

/// The response to a request that was received within the bounds, and got a permit if it needs one.
async fn admitted(gate: Gate, mut request: Request, next: Next) -> Response {
    if request.uri().path() != API {
        return next.run(request).await;
    }
    let media = Media::accepted(request.headers()).unwrap_or(Media::Json);
    if request.uri().path_and_query().is_some_and(|uri| uri.as_str().len() > MAX_URL) {
        let message = format!("a URL has at most {MAX_URL} bytes: send the request by POST");
        return reject(media, Code::UrlTooLong, message);
    }
    if is_websocket(request.headers()) && !origin::may_open(request.uri(), request.headers(), &gate.origins) {
        let message = "this origin may not open a WebSocket (the setting CORS_ORIGINS)";
        return reject(media, Code::OriginForbidden, message);
    }
    let client = gate.capacity.clients.of(request.extensions().get().copied(), request.headers());
    let (capacity, _present) = (gate.capacity.shared(&client), client.enter());
    if is_websocket(request.headers()) {
        request.extensions_mut().insert(capacity.clone());
    }
    let (mut request, _permit) = match gate.receive(media, request, &capacity.memory).await {
        Ok(received) => received,
        Err(rejection) => return rejection,
    };
    let execute = |permit: Permit| {
        request.extensions_mut().insert(permit);
        next.run(request)
    };
    match capacity.admission.run(execute).await {
        Ok(response) => {
            let held = hold(&capacity.memory, response).await;
            held.unwrap_or_else(|| reject(media, Code::AnswerDropped, RESPONSE_DROPPED))
        }
        Err(full @ (Rejected::Overloaded | Rejected::ShareUsed)) => reject(media, Code::Overloaded, full.to_string()),
        Err(late @ Rejected::TimedOut) => reject(media, Code::TimedOut, late.to_string()),
    }
}

impl Gate {
    /// The request with its complete body, and the permit of the body.
    async fn receive(
        &self,
        media: Media,
        request: Request,
        memory: &Memory,
    ) -> Result<(Request, MemoryPermit), Response> {
        let (head, body) = request.into_parts();
        match timeout(self.read_timeout, read(memory, body, self.max_body_size)).await {
            Ok(Ok((body, permit))) => Ok((Request::from_parts(head, Body::from(body)), permit)),
            Ok(Err(Unread::TooLarge)) => {
                let message = format!("a body has at most {} bytes (the setting MAX_BODY_SIZE)", self.max_body_size);
                Err(reject(media, Code::BodyTooLarge, message))
            }
            Ok(Err(Unread::BudgetExceeded)) => Err(reject(media, Code::Overloaded, BUDGET_EXCEEDED)),
            Ok(Err(Unread::Incomplete)) => Err(reject(media, Code::BodyMalformed, "the body is incomplete")),
            Err(_) => {
                let message = "the body was not received in time (the setting READ_TIMEOUT)";
                Err(reject(media, Code::BodyTooSlow, message))
            }
        }
    }
}

/// Cross-origin resource sharing. Without it, browsers let no page of another site read a response or send JSON.
fn cors(allowed: &[AllowedOrigin]) -> Option<CorsLayer> {
    let value = |origin: &AllowedOrigin| match origin {
        AllowedOrigin::Any => None,
        AllowedOrigin::Only(origin) => HeaderValue::from_str(&origin.to_string()).ok(),
    };
    let origins = match allowed {
        [] => return None,
        allowed if allowed.contains(&AllowedOrigin::Any) => AllowOrigin::any(),
        allowed => AllowOrigin::list(allowed.iter().filter_map(value)),
    };
    let cors = CorsLayer::new()
        .allow_origin(origins)
        .allow_methods([Method::GET, Method::POST])
        .allow_headers([CONTENT_TYPE, AUTHORIZATION, REQUEST_ID, GRAPHQL_COST, TRACE.0, TRACE.1])
        .expose_headers([REQUEST_ID, RETRY_AFTER, WWW_AUTHENTICATE])
        .max_age(Duration::from_hours(1));
    Some(cors)
}
