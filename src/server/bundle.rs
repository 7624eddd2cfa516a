//! A page that npm has built: its `index.html`, and assets whose names contain the hash of their content.
//!
//! The files of a bundle lie in its folder as their URLs are below `/`. The assets are embedded and sent as gzip: every
//! browser accepts it, and the binary is smaller by two thirds.

use std::collections::HashMap;

use axum::Router;
use axum::extract::Path;
use axum::http::header::{CACHE_CONTROL, CONTENT_ENCODING, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, IntoResponseParts, Response};
use axum::routing::get;

use super::etag;

/// The files of a bundle, by their names.
#[derive(Debug)]
pub struct Bundle(HashMap<&'static str, File>);

#[derive(Debug)]
struct File {
    bytes: &'static [u8],
    etag: String,
}

impl Bundle {
    /// The bundle of these files.
    pub fn new(files: &[(&'static str, &'static [u8])]) -> Self {
        Self(files.iter().map(|(name, bytes)| (*name, File { bytes, etag: etag::of(bytes) })).collect())
    }
}

/// The page of a bundle at this path, under this content security policy, and its assets in the folder `assets` there.
pub fn routes(bundle: &'static Bundle, path: &str, policy: &'static str) -> Router {
    let folder = format!("{}/assets/", path.trim_end_matches('/'));
    let assets = format!("{folder}{{name}}");
    let asset = async move |Path(name): Path<String>, request: HeaderMap| {
        asset(bundle, &format!("{}{name}", folder.trim_start_matches('/')), policy, &request)
    };
    Router::new()
        .route(path, get(async move |request: HeaderMap| page(bundle, policy, &request)))
        .route(&assets, get(asset))
}

/// The page of a bundle, without a route.
pub fn page(bundle: &Bundle, policy: &'static str, request: &HeaderMap) -> Response {
    let Some(file) = bundle.0.get("index.html") else { return StatusCode::NOT_FOUND.into_response() };
    let headers = [(CONTENT_TYPE, "text/html; charset=utf-8"), (CACHE_CONTROL, "no-cache")];
    embedded(request, file, policy, headers)
}

/// A file that never changes under its name.
fn asset(bundle: &Bundle, name: &str, policy: &'static str, request: &HeaderMap) -> Response {
    let (Some(content_type), Some(file)) = (content_type(name), bundle.0.get(format!("{name}.gz").as_str())) else {
        return StatusCode::NOT_FOUND.into_response();
    };
    let caching = "public, max-age=31536000, immutable";
    let headers = [(CONTENT_TYPE, content_type), (CONTENT_ENCODING, "gzip"), (CACHE_CONTROL, caching)];
    embedded(request, file, policy, headers)
}

fn embedded(request: &HeaderMap, file: &File, policy: &'static str, headers: impl IntoResponseParts) -> Response {
    let known = etag::is_known(request, &file.etag);
    let headers = (headers, [(CONTENT_SECURITY_POLICY, policy)], [(ETAG, file.etag.clone())]);
    if known { (StatusCode::NOT_MODIFIED, headers).into_response() } else { (headers, file.bytes).into_response() }
}

/// The media type of an asset.
fn content_type(name: &str) -> Option<&'static str> {
    Some(match name.rsplit_once('.')?.1 {
        "css" => "text/css; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "svg" => "image/svg+xml",
        "ttf" => "font/ttf",
        "txt" => "text/plain; charset=utf-8",
        "woff2" => "font/woff2",
        _ => return None,
    })
}
