//! What surrounds every route: security headers, cross-origin rules, compression, and the response to a panic.

use std::convert::Infallible;
use std::future::{pending, ready};
use std::mem::take;
use std::panic::AssertUnwindSafe;

use axum::body::Body;
use axum::extract::Request;
use axum::http::HeaderValue;
use axum::http::header::{
    ACCEPT_ENCODING, HeaderName, ORIGIN, REFERRER_POLICY, VARY, X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use axum::response::Response;
use futures_util::FutureExt;
use tower::{Layer, ServiceExt, service_fn};
use tower_http::compression::predicate::{DefaultPredicate, Predicate, SizeAbove};
use tower_http::compression::{CompressionLayer, CompressionLevel};
use tower_http::cors::CorsLayer;

use super::cors::{self, Cors};
use super::graphql::API;
use super::response::panicked;
use crate::config::Bounds;

/// The minimum size of a response that is compressed, in bytes.
const MIN_COMPRESSED: u64 = 1024;

/// Security headers of every response that does not set them itself. Browsers do not guess media types, do not show the
/// page in a frame, and do not send its URL to other sites.
const HEADERS: [(HeaderName, HeaderValue); 4] = [
    (X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
    (REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
    (X_FRAME_OPTIONS, HeaderValue::from_static("DENY")),
    (HeaderName::from_static("cross-origin-opener-policy"), HeaderValue::from_static("same-origin")),
];

/// What surrounds the routes of a server. Cheap to clone.
#[derive(Clone)]
pub struct Surroundings {
    cors: Cors,
}

impl Surroundings {
    pub fn new(bounds: &Bounds) -> Self {
        Self { cors: Cors::new(&bounds.cors_origins) }
    }

    /// The response of a route.
    pub async fn call<Responding: Future<Output = Response>>(
        &self,
        request: Request,
        respond: impl FnOnce(Request) -> Responding,
    ) -> Response {
        let mut response = match (self.cors.refuse(&request), &self.cors.layer) {
            (Some(refusal), _) => refusal,
            (None, None) => uncaught(request, respond).await,
            // No page of a browser sent it.
            (None, Some(_)) if !request.headers().contains_key(ORIGIN) => {
                let mut response = uncaught(request, respond).await;
                response.headers_mut().append(VARY, HeaderValue::from_static("origin"));
                response
            }
            (None, Some(cors)) => shared(cors, request, respond).await,
        };
        for (name, value) in HEADERS {
            response.headers_mut().entry(name).or_insert(value);
        }
        response
    }
}

/// The response of a route, for pages of other origins.
async fn shared<Responding: Future<Output = Response>>(
    cors: &CorsLayer,
    request: Request,
    respond: impl FnOnce(Request) -> Responding,
) -> Response {
    let explanation = cors::explanation(&request);
    let mut respond = Some(respond);
    let once = service_fn(|request| {
        let responding = respond.take().map(|respond| uncaught(request, respond));
        async {
            match responding {
                Some(responding) => Ok::<_, Infallible>(responding.await),
                None => pending().await,
            }
        }
    });
    let Ok(response) = Box::pin(cors.layer(once).oneshot(request)).await;
    match explanation {
        None => response,
        Some(mut explanation) => {
            explanation.headers_mut().extend(response.into_parts().0.headers);
            explanation
        }
    }
}

/// The response of a route that may panic, compressed if the client accepts that.
async fn uncaught<Responding: Future<Output = Response>>(
    request: Request,
    respond: impl FnOnce(Request) -> Responding,
) -> Response {
    let encodings: Vec<HeaderValue> = request.headers().get_all(ACCEPT_ENCODING).iter().cloned().collect();
    // What the API responds then is plain, which every client accepts. Other responses say that they depend on the encodings.
    let is_plain = encodings.is_empty() && request.uri().path() == API;
    let response = AssertUnwindSafe(respond(request)).catch_unwind().await.unwrap_or_else(panicked);
    if is_plain { response } else { compressed(encodings, response).await }
}

/// The response, compressed by gzip if the client reads that and it is worth it. As a layer, the state of the compression would
/// be a part of every response.
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
