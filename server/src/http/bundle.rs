//! A page that npm has built: its `index.html`, and assets whose names contain the hash of their content.
//!
//! The files of a bundle lie in its folder as their URLs are below `/`. The assets are embedded and sent as gzip: every
//! browser accepts it, and the binary is smaller by two thirds.

use std::collections::HashMap;
use std::sync::Arc;

use axum::Router;
use axum::body::Bytes;
use axum::extract::Path;
use axum::http::header::{CACHE_CONTROL, CONTENT_ENCODING, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, IntoResponseParts, Response};
use axum::routing::get;

use super::etag;

/// The files of a bundle, by their names. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Bundle(Arc<HashMap<&'static str, File>>);

#[derive(Clone, Debug)]
struct File {
    bytes: Bytes,
    etag: String,
}

impl File {
    fn new(bytes: Bytes) -> Self {
        Self { etag: etag::of(&bytes), bytes }
    }
}

/// The page of a bundle.
const INDEX: &str = "index.html";

impl Bundle {
    /// The bundle of these files.
    pub fn new(files: &[(&'static str, &'static [u8])]) -> Self {
        let files = files.iter().map(|(name, bytes)| (*name, File::new(Bytes::from_static(bytes))));
        Self(Arc::new(files.collect()))
    }

    /// The same with a changed page.
    #[must_use]
    pub fn with_index(&self, change: impl FnOnce(&str) -> String) -> Self {
        let mut files = (*self.0).clone();
        if let Some(index) = files.get_mut(INDEX) {
            *index = File::new(change(&String::from_utf8_lossy(&index.bytes)).into());
        }
        Self(Arc::new(files))
    }
}

impl Bundle {
    /// The page, as HTML.
    pub fn index(&self) -> String {
        self.0.get(INDEX).map(|index| String::from_utf8_lossy(&index.bytes).into_owned()).unwrap_or_default()
    }
}

/// The page of a bundle at this path, under this content security policy, and its assets in the folder `assets` there.
pub fn routes(bundle: &Bundle, path: &str, policy: &'static str) -> Router {
    let bundle = bundle.clone();
    routes_of(move || bundle.clone(), path, policy)
}

/// The same for a bundle that can change.
pub(crate) fn routes_of(
    bundle: impl Fn() -> Bundle + Clone + Send + Sync + 'static,
    path: &str,
    policy: &'static str,
) -> Router {
    let folder = format!("{}/assets/", path.trim_end_matches('/'));
    let assets = format!("{folder}{{name}}");
    let (of_page, of_assets) = (bundle.clone(), bundle);
    let asset = async move |Path(name): Path<String>, request: HeaderMap| {
        asset(&of_assets(), &format!("{}{name}", folder.trim_start_matches('/')), policy, &request)
    };
    Router::new()
        .route(path, get(async move |request: HeaderMap| page(&of_page(), policy, &request)))
        .route(&assets, get(asset))
}

/// The page of a bundle, without a route.
pub fn page(bundle: &Bundle, policy: &'static str, request: &HeaderMap) -> Response {
    let Some(file) = bundle.0.get(INDEX) else { return StatusCode::NOT_FOUND.into_response() };
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
    if known {
        (StatusCode::NOT_MODIFIED, headers).into_response()
    } else {
        (headers, file.bytes.clone()).into_response()
    }
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
