//! The page at `/`: GraphiQL, from this binary, with no request to anywhere else.
//!
//! `web/` is built by npm, and its bundle embedded where it is there. Rust alone builds the server, too; then `/` is a
//! plain form. A debug build reads the bundle from its folder at each request, so that a page built anew is there at
//! once; a release build has it in itself.
//!
//! The assets are embedded as gzip, and sent so: every browser takes it, and the binary is smaller by two thirds.

use axum::Router;
use axum::extract::Path;
use axum::http::header::{CACHE_CONTROL, CONTENT_ENCODING, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG, IF_NONE_MATCH};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse, IntoResponseParts, Response};
use axum::routing::get;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use rust_embed::{EmbeddedFile, RustEmbed};

/// What a first look at the API should see.
pub const FIRST_QUERY: &str = include_str!("../../web/queries/ratings.graphql");

/// The bundle of `web/`, if it was built.
#[derive(RustEmbed)]
#[folder = "web/dist"]
#[allow_missing = true]
pub struct Built;

const PLAIN: &str = include_str!("../../web/plain/index.html");
const PLAIN_CSS: &str = include_str!("../../web/plain/plain.css");
const PLAIN_JS: &str = include_str!("../../web/plain/plain.js");

const HTML: &str = "text/html; charset=utf-8";
const CSS: &str = "text/css; charset=utf-8";
const JS: &str = "text/javascript; charset=utf-8";

/// Nothing but what comes from here. `'self'` of `connect-src` is the WebSocket, too.
const PLAIN_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; \
    base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// GraphiQL's editor writes its theme into a `<style>`, and the place of each line into a `style` attribute: hence the
/// `'unsafe-inline'`, of styles alone. Its workers are files of the bundle; its fonts and small images are in its
/// styles.
const BUILT_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; connect-src 'self'; \
    worker-src 'self'; img-src 'self' data:; font-src 'self' data:; base-uri 'none'; form-action 'none'; \
    frame-ancestors 'none'";

/// The page of a bundle, or the plain one where the bundle is empty.
pub fn routes<Bundle: RustEmbed + 'static>() -> Router {
    Router::new()
        .route("/", get(page::<Bundle>))
        .route("/assets/{name}", get(asset::<Bundle>))
        .route("/plain.css", get(async || plain(CSS, PLAIN_CSS)))
        .route("/plain.js", get(async || plain(JS, PLAIN_JS)))
}

async fn page<Bundle: RustEmbed>(request: HeaderMap) -> Response {
    if let Some(file) = Bundle::get("index.html") {
        return built(&request, file, [(CONTENT_TYPE, HTML), (CACHE_CONTROL, "no-cache")]);
    }
    let first = FIRST_QUERY.replace('&', "&amp;").replace('<', "&lt;");
    plain(HTML, PLAIN.replace("{{first}}", &first)).into_response()
}

/// A file whose name has a hash of what is in it: it never changes.
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

/// Whether a list of entity tags has this one. A proxy that compresses makes it a weak one.
fn lists(tags: &HeaderValue, etag: &str) -> bool {
    tags.to_str().is_ok_and(|tags| tags.split(',').any(|tag| tag.trim().trim_start_matches("W/") == etag))
}

fn plain(content_type: &'static str, text: impl IntoResponse) -> impl IntoResponse {
    ([(CONTENT_TYPE, content_type), (CACHE_CONTROL, "no-cache"), (CONTENT_SECURITY_POLICY, PLAIN_POLICY)], text)
}

/// What a bundle can have in it.
fn content_type(name: &str) -> Option<&'static str> {
    Some(match name.rsplit_once('.')?.1 {
        "css" => CSS,
        "js" => JS,
        "svg" => "image/svg+xml",
        "ttf" => "font/ttf",
        _ => return None,
    })
}
