//! The page at `/`: GraphiQL, served from this binary without requests to other hosts.
//!
//! npm builds `web/`, and its bundle is embedded if it exists. Without it, `/` is a plain form, so that Rust alone builds
//! the server. A debug build reads the bundle from its folder at each request; a release build contains it.
//!
//! The assets are embedded and sent as gzip: every browser accepts it, and the binary is smaller by two thirds.

use axum::Router;
use axum::extract::Path;
use axum::http::header::{CACHE_CONTROL, CONTENT_ENCODING, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG, IF_NONE_MATCH};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse, IntoResponseParts, Response};
use axum::routing::get;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use rust_embed::{EmbeddedFile, RustEmbed};

/// The first query that the page shows.
pub const FIRST_QUERY: &str = include_str!("../../web/queries/ratings.graphql");

/// The bundle of `web/`, if it exists.
#[derive(RustEmbed)]
#[folder = "web/dist"]
#[allow_missing = true]
pub struct Built;

const PLAIN: &str = include_str!("../../web/plain/index.html");
const PLAIN_CSS: &str = include_str!("../../web/plain/plain.css");
const PLAIN_JS: &str = include_str!("../../web/plain/plain.js");
const TOKEN_JS: &str = include_str!("../../web/plain/token.js");

const HTML: &str = "text/html; charset=utf-8";
const CSS: &str = "text/css; charset=utf-8";
const JS: &str = "text/javascript; charset=utf-8";

/// Only resources of this server. `'self'` in `connect-src` includes the WebSocket.
const PLAIN_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; \
    base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// GraphiQL's editor needs `'unsafe-inline'` for styles: its theme is a `<style>`, and it positions lines by `style`
/// attributes. Its workers are files of the bundle. Its fonts and small images are data in its styles.
const BUILT_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; connect-src 'self'; \
    worker-src 'self'; img-src 'self' data:; font-src 'self' data:; base-uri 'none'; form-action 'none'; \
    frame-ancestors 'none'";

/// The page of a bundle, or the plain page if the bundle is empty.
pub fn routes<Bundle: RustEmbed + 'static>() -> Router {
    Router::new()
        .route("/", get(page::<Bundle>))
        .route("/assets/{name}", get(asset::<Bundle>))
        .route("/plain.css", get(async || plain(CSS, PLAIN_CSS)))
        .route("/plain.js", get(async || plain(JS, PLAIN_JS)))
        .route("/token.js", get(async || plain(JS, TOKEN_JS)))
}

async fn page<Bundle: RustEmbed>(request: HeaderMap) -> Response {
    if let Some(file) = Bundle::get("index.html") {
        return built(&request, file, [(CONTENT_TYPE, HTML), (CACHE_CONTROL, "no-cache")]);
    }
    let first = FIRST_QUERY.replace('&', "&amp;").replace('<', "&lt;");
    plain(HTML, PLAIN.replace("{{first}}", &first)).into_response()
}

/// A file whose name contains the hash of its content: it never changes.
async fn asset<Bundle: RustEmbed>(Path(name): Path<String>, request: HeaderMap) -> Response {
    let (Some(content_type), Some(file)) = (content_type(&name), Bundle::get(&format!("assets/{name}.gz"))) else {
        return StatusCode::NOT_FOUND.into_response();
    };
    let caching = "public, max-age=31536000, immutable";
    built(&request, file, [(CONTENT_TYPE, content_type), (CONTENT_ENCODING, "gzip"), (CACHE_CONTROL, caching)])
}

fn built(request: &HeaderMap, file: EmbeddedFile, headers: impl IntoResponseParts) -> Response {
    let etag = format!("\"{}\"", URL_SAFE_NO_PAD.encode(file.metadata.sha256_hash()));
    let known = request.get_all(IF_NONE_MATCH).iter().any(|tags| lists(tags, &etag));
    let headers = (headers, [(CONTENT_SECURITY_POLICY, BUILT_POLICY)], [(ETAG, etag)]);
    if known { (StatusCode::NOT_MODIFIED, headers).into_response() } else { (headers, file.data).into_response() }
}

/// Whether a list of entity tags contains this one. A proxy that compresses makes tags weak.
fn lists(tags: &HeaderValue, etag: &str) -> bool {
    tags.to_str().is_ok_and(|tags| tags.split(',').any(|tag| tag.trim().trim_start_matches("W/") == etag))
}

fn plain(content_type: &'static str, text: impl IntoResponse) -> impl IntoResponse {
    ([(CONTENT_TYPE, content_type), (CACHE_CONTROL, "no-cache"), (CONTENT_SECURITY_POLICY, PLAIN_POLICY)], text)
}

/// The media type of a file in a bundle.
fn content_type(name: &str) -> Option<&'static str> {
    Some(match name.rsplit_once('.')?.1 {
        "css" => CSS,
        "js" => JS,
        "svg" => "image/svg+xml",
        "ttf" => "font/ttf",
        _ => return None,
    })
}
