//! Cross-origin resource sharing: which pages of other origins may read responses, and with which headers they ask.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::Request;
use axum::http::header::{
    ACCESS_CONTROL_REQUEST_HEADERS, ACCESS_CONTROL_REQUEST_METHOD, AUTHORIZATION, CONTENT_TYPE, HeaderName, ORIGIN,
    RETRY_AFTER, WWW_AUTHENTICATE,
};
use axum::http::{HeaderMap, HeaderValue, Method};
use axum::response::Response;
use tower_http::cors::{AllowOrigin, CorsLayer};

use super::headers::{GRAPHQL_COST, GRAPHQL_POSITION, REQUEST_ID};
use super::media::Media;
use super::origin::may_read;
use super::response::reject;
use super::timing::{GRAPHQL_TIMING, SERVER_TIMING};
use crate::config::AllowedOrigin;
use crate::request::Code;

/// The headers of a request that need a permission: those of this server, of W3C Trace Context, and those by which clients
/// name themselves and their operations.
const HEADERS: [HeaderName; 14] = [
    CONTENT_TYPE,
    AUTHORIZATION,
    REQUEST_ID,
    GRAPHQL_COST,
    GRAPHQL_POSITION,
    GRAPHQL_TIMING,
    HeaderName::from_static("traceparent"),
    HeaderName::from_static("tracestate"),
    HeaderName::from_static("apollo-require-preflight"),
    HeaderName::from_static("x-apollo-operation-name"),
    HeaderName::from_static("apollographql-client-name"),
    HeaderName::from_static("apollographql-client-version"),
    HeaderName::from_static("graphql-client-name"),
    HeaderName::from_static("graphql-client-version"),
];

/// Without allowed origins, browsers let no page of another one read a response or send JSON.
#[derive(Clone)]
pub struct Cors {
    allowed: Arc<[AllowedOrigin]>,
    pub layer: Option<CorsLayer>,
}

impl Cors {
    pub fn new(allowed: &[AllowedOrigin]) -> Self {
        Self { allowed: allowed.into(), layer: layer(allowed) }
    }

    /// The response to a preflight request of an origin that may not read.
    pub fn refuse(&self, request: &Request) -> Option<Response> {
        let origin = origin_of_preflight(request)?;
        if may_read(origin, request.uri(), request.headers(), &self.allowed) {
            return None;
        }
        let message = format!("pages of `{}` may not read from this server (the setting CORS_ORIGINS)", text(origin));
        tracing::debug!(reason = message, "refused a preflight request");
        Some(reject(Media::Json, Code::OriginForbidden, message))
    }
}

/// What explains a preflight request that asks for a header too many. Its status is 200: browsers then name the header in
/// their console, and after another status they do not.
pub fn explanation(request: &Request) -> Option<Response> {
    origin_of_preflight(request)?;
    let refused = refused_header(request.headers())?;
    let message = format!("pages of other origins may not send the header `{refused}`");
    tracing::debug!(reason = message, "refused a preflight request");
    Some(reject(Media::Json, Code::HeaderForbidden, message))
}

fn origin_of_preflight(request: &Request) -> Option<&HeaderValue> {
    let is_preflight =
        request.method() == Method::OPTIONS && request.headers().contains_key(ACCESS_CONTROL_REQUEST_METHOD);
    request.headers().get(ORIGIN).filter(|_| is_preflight)
}

fn refused_header(headers: &HeaderMap) -> Option<&str> {
    let lists = headers.get_all(ACCESS_CONTROL_REQUEST_HEADERS).iter().filter_map(|list| list.to_str().ok());
    let mut names = lists.flat_map(|list| list.split(',')).map(str::trim).filter(|name| !name.is_empty());
    names.find(|name| !HEADERS.iter().any(|allowed| allowed.as_str().eq_ignore_ascii_case(name)))
}

/// An origin in a message.
pub fn text(origin: &HeaderValue) -> &str {
    origin.to_str().unwrap_or("an unreadable origin")
}

fn layer(allowed: &[AllowedOrigin]) -> Option<CorsLayer> {
    let origins = match allowed {
        [] => return None,
        allowed if allowed.contains(&AllowedOrigin::Any) => AllowOrigin::any(),
        allowed => {
            let allowed = allowed.to_vec();
            AllowOrigin::predicate(move |origin, head| may_read(origin, &head.uri, &head.headers, &allowed))
        }
    };
    let cors = CorsLayer::new()
        .allow_origin(origins)
        .allow_methods([Method::GET, Method::POST])
        .allow_headers(HEADERS)
        .expose_headers([GRAPHQL_POSITION, REQUEST_ID, RETRY_AFTER, SERVER_TIMING, WWW_AUTHENTICATE])
        .max_age(Duration::from_hours(1));
    Some(cors)
}
