//! The page at `/`: GraphiQL, served from this binary without requests to other hosts.
//!
//! npm builds `web/`, and its bundle is embedded if it exists. Without it, `/` is a plain form, so that Rust alone builds
//! the server. A debug build reads the bundle from its folder at each request; a release build contains it.

use axum::Router;
use axum::http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE};
use axum::response::IntoResponse;
use axum::routing::get;
use rust_embed::RustEmbed;

use super::bundle;

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
    let page = if Bundle::get("index.html").is_some() {
        bundle::routes::<Bundle>("/", BUILT_POLICY)
    } else {
        let first = FIRST_QUERY.replace('&', "&amp;").replace('<', "&lt;");
        Router::new().route("/", get(async move || plain(HTML, PLAIN.replace("{{first}}", &first))))
    };
    page.route("/plain.css", get(async || plain(CSS, PLAIN_CSS)))
        .route("/plain.js", get(async || plain(JS, PLAIN_JS)))
        .route("/token.js", get(async || plain(JS, TOKEN_JS)))
}

fn plain(content_type: &'static str, text: impl IntoResponse) -> impl IntoResponse {
    ([(CONTENT_TYPE, content_type), (CACHE_CONTROL, "no-cache"), (CONTENT_SECURITY_POLICY, PLAIN_POLICY)], text)
}
