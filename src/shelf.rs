//! The page at `/shelf`: all ratings in one list, read by Relay as a client of this API.
//!
//! npm builds `web/shelf/`, and its bundle is committed: Rust alone builds the server with it.

use std::sync::LazyLock;

use axum::Router;

use bookends_server::http::bundle::{self, Bundle};

/// The bundle of `web/shelf/`.
static SHELF: LazyLock<Bundle> = LazyLock::new(|| Bundle::new(include!(concat!(env!("OUT_DIR"), "/shelf.rs"))));

/// Only resources of this server, and the icon, which is data in the page. `'self'` in `connect-src` includes the
/// WebSocket.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; \
    base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// The page and its assets.
pub fn routes() -> Router {
    bundle::routes(&SHELF, "/shelf", POLICY)
}
