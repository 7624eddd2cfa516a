//! What stands between a client and the routes.
//!
//! The body of a request to the API is read first, wholly: only whoever has said all that it has to say takes a place
//! among those who are worked on ([`Admission`](crate::graphql::Admission)), so that slow clients keep nobody out.
//! Queries and mutations that come by a WebSocket take the same places; events do not.

use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::{DefaultBodyLimit, Request, State};
use axum::http::header::{
    AUTHORIZATION, CONTENT_TYPE, HeaderName, REFERRER_POLICY, RETRY_AFTER, X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use axum::http::{HeaderValue, Method, StatusCode};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::Response;
use axum::{Extension, Router};
use tokio::time::timeout;
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::compression::predicate::{DefaultPredicate, Predicate, SizeAbove};
use tower_http::compression::{CompressionLayer, CompressionLevel};
use tower_http::cors::{AllowOrigin, CorsLayer};
use tower_http::set_header::SetResponseHeaderLayer;

use super::answer::{dropped, not_now, panicked, refuse};
use super::buffers::{NO_ROOM, Room, Unread};
use super::capacity::Capacity;
use super::media::Media;
use super::observe::REQUEST_ID;
use super::origin::is_let_in;
use super::websocket::is_websocket;
use crate::config::Bounds;
use crate::graphql::{Code, NotDone};

/// The one route that costs something.
const API: &str = "/graphql";

/// The longest address that is read, with its query.
const MAX_URI: usize = 16 << 10;

/// Answers of fewer bytes than this are as fast without being compressed.
const COMPRESSED_FROM: u64 = 1024;

/// By these a client makes a request part of its trace (W3C Trace Context).
const TRACE: (HeaderName, HeaderName) = (HeaderName::from_static("traceparent"), HeaderName::from_static("tracestate"));

/// What every answer says, where it says nothing else. A browser takes no answer for what it is not, shows none in the
/// frame of another page, and tells no other site where its user was.
const HEADERS: [(HeaderName, &str); 4] = [
    (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (REFERRER_POLICY, "no-referrer"),
    (X_FRAME_OPTIONS, "DENY"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
];

/// The routes within these bounds, which find the [`Capacity`] in their requests. All but the API answer also when the
/// server is busy.
pub fn bounded(router: Router, bounds: &Bounds, capacity: &Capacity) -> Router {
    let gate = Gate {
        capacity: capacity.clone(),
        max_body_size: bounds.max_body_size,
        read_timeout: bounds.read_timeout.0,
        origins: bounds.cors_origins.as_slice().into(),
    };
    let compression = CompressionLayer::new()
        .quality(CompressionLevel::Fastest)
        .compress_when(DefaultPredicate::new().and(SizeAbove::new(COMPRESSED_FROM)));
    let router = router
        .layer(DefaultBodyLimit::disable())
        .layer(Extension(capacity.clone()))
        .layer(CatchPanicLayer::custom(panicked))
        .layer(from_fn_with_state(gate, pass))
        .layer(compression);
    let router = match cors(&bounds.cors_origins) {
        Some(cors) => router.layer(cors),
        None => router,
    };
    HEADERS.into_iter().fold(router, |router, (name, value)| {
        router.layer(SetResponseHeaderLayer::if_not_present(name, HeaderValue::from_static(value)))
    })
}

#[derive(Clone)]
struct Gate {
    capacity: Capacity,
    max_body_size: usize,
    read_timeout: Duration,
    origins: Arc<[String]>,
}

async fn pass(State(gate): State<Gate>, request: Request, next: Next) -> Response {
    if request.uri().path() != API {
        return next.run(request).await;
    }
    let media = Media::accepted(request.headers()).unwrap_or(Media::Json);
    if request.uri().path_and_query().is_some_and(|uri| uri.as_str().len() > MAX_URI) {
        let message = format!("an address has at most {MAX_URI} bytes: send it as the body of a POST");
        return refuse(media, StatusCode::URI_TOO_LONG, Code::UrlTooLong, message);
    }
    if is_websocket(request.headers()) && !is_let_in(request.headers(), &gate.origins) {
        let message = "pages of other sites open no WebSocket here, but those that the setting CORS_ORIGINS names";
        return refuse(media, StatusCode::FORBIDDEN, Code::OriginForbidden, message);
    }
    let (request, _room) = match gate.whole(media, request).await {
        Ok(whole) => whole,
        Err(refusal) => return refusal,
    };
    match gate.capacity.admission.run(next.run(request)).await {
        Ok(answer) => gate.capacity.buffers.keep(answer).await.unwrap_or_else(|| dropped(media)),
        Err(full @ NotDone::Full) => not_now(media, full.to_string()),
        Err(late @ NotDone::TooLate) => refuse(media, StatusCode::GATEWAY_TIMEOUT, Code::TimedOut, late.to_string()),
    }
}

impl Gate {
    /// The request with its whole body, and the room that this takes.
    async fn whole(&self, media: Media, request: Request) -> Result<(Request, Room), Response> {
        let (head, body) = request.into_parts();
        match timeout(self.read_timeout, self.capacity.buffers.read(body, self.max_body_size)).await {
            Ok(Ok((body, room))) => Ok((Request::from_parts(head, Body::from(body)), room)),
            Ok(Err(Unread::TooLong)) => {
                let message = format!("a body has at most {} bytes (the setting MAX_BODY_SIZE)", self.max_body_size);
                Err(refuse(media, StatusCode::PAYLOAD_TOO_LARGE, Code::BodyTooLarge, message))
            }
            Ok(Err(Unread::NoRoom)) => Err(not_now(media, NO_ROOM)),
            Ok(Err(Unread::Broken)) => {
                Err(refuse(media, StatusCode::BAD_REQUEST, Code::BodyMalformed, "the body ends before its end"))
            }
            Err(_) => {
                let message = "the body took too long to come (the setting READ_TIMEOUT)";
                Err(refuse(media, StatusCode::REQUEST_TIMEOUT, Code::BodyTooSlow, message))
            }
        }
    }
}

/// What browsers are told when a page of another site asks. Without it they let no such page read an answer, or send
/// JSON at all.
fn cors(origins: &[String]) -> Option<CorsLayer> {
    let origins = match origins {
        [] => return None,
        origins if origins.iter().any(|origin| origin == "*") => AllowOrigin::any(),
        origins => AllowOrigin::list(origins.iter().filter_map(|origin| HeaderValue::from_str(origin).ok())),
    };
    let cors = CorsLayer::new()
        .allow_origin(origins)
        .allow_methods([Method::GET, Method::POST])
        .allow_headers([CONTENT_TYPE, AUTHORIZATION, REQUEST_ID, TRACE.0, TRACE.1])
        .expose_headers([REQUEST_ID, RETRY_AFTER])
        .max_age(Duration::from_hours(1));
    Some(cors)
}
