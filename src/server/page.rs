//! GraphiQL: at `/`, and at `/graphql` for a browser that opens it. It sends no requests to other hosts.
//!
//! npm builds `web/graphiql`, and its bundle is committed. The program contains it.

use std::sync::LazyLock;

use axum::Router;
use axum::http::header::VARY;
use axum::http::{HeaderMap, HeaderValue};
use axum::response::Response;

use super::bundle;

pub use super::bundle::Bundle;

/// The first query that the page shows.
pub const FIRST_QUERY: &str = include_str!("../../web/queries/ratings.graphql");

/// The bundle of `web/graphiql`.
pub static GRAPHIQL: LazyLock<Bundle> =
    LazyLock::new(|| Bundle::new(include!(concat!(env!("OUT_DIR"), "/graphiql.rs"))));

/// Only resources of this server. `'self'` in `connect-src` includes the WebSocket.
///
/// GraphiQL's editor needs `'unsafe-inline'` for styles: its theme is a `<style>`, and it positions lines by `style`
/// attributes. Its workers are files of the bundle. Its small images are data in its styles.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; connect-src 'self'; \
    worker-src 'self'; img-src 'self' data:; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// The page of this bundle at `/`, and its assets.
pub fn routes(bundle: &'static Bundle) -> Router {
    bundle::routes(bundle, "/", POLICY)
}

/// The page in place of a response of the API.
pub fn respond_in_place_of_api(request: &HeaderMap) -> Response {
    let mut response = bundle::page(&GRAPHIQL, POLICY, request);
    response.headers_mut().insert(VARY, HeaderValue::from_static("accept"));
    response
}
