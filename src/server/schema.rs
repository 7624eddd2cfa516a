//! The schema as text, for code generators and for reading.

use axum::Router;
use axum::body::Bytes;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::get;

use super::etag;

/// This text at `/schema.graphql`.
pub fn routes(sdl: String) -> Router {
    let etag = etag::of(sdl.as_bytes());
    let sdl = Bytes::from(sdl);
    Router::new().route("/schema.graphql", get(async move |request: HeaderMap| schema(&request, &etag, sdl)))
}

fn schema(request: &HeaderMap, etag: &str, sdl: Bytes) -> Response {
    let known = etag::is_known(request, etag);
    let headers = [(CONTENT_TYPE, "text/plain; charset=utf-8"), (CACHE_CONTROL, "no-cache"), (ETAG, etag)];
    if known { (StatusCode::NOT_MODIFIED, headers).into_response() } else { (headers, sdl).into_response() }
}
