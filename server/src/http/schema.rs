//! The schema as text, for code generators and for reading.

use axum::Router;
use axum::body::Bytes;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::get;

use super::etag;
use crate::Api;

/// The text of a schema.
#[derive(Clone, Debug)]
pub struct Text {
    sdl: Bytes,
    etag: String,
}

impl Text {
    /// This text.
    pub fn new(sdl: String) -> Self {
        Self { etag: etag::of(sdl.as_bytes()), sdl: sdl.into() }
    }
}

/// The text of the schema that is served, at `/schema.graphql`.
pub fn routes(api: Api) -> Router {
    Router::new().route("/schema.graphql", get(async move |request: HeaderMap| schema(&request, &api)))
}

fn schema(request: &HeaderMap, api: &Api) -> Response {
    let serving = api.serving();
    let Some(Text { sdl, etag }) = serving.sdl() else { return StatusCode::NOT_FOUND.into_response() };
    let known = etag::is_known(request, etag);
    let headers = [(CONTENT_TYPE, "text/plain; charset=utf-8"), (CACHE_CONTROL, "no-cache"), (ETAG, etag.as_str())];
    if known { (StatusCode::NOT_MODIFIED, headers).into_response() } else { (headers, sdl.clone()).into_response() }
}
