//! The demo page, as the server has it in itself.

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::{HeaderMap, Request, StatusCode};
use bookends_server::config::Limits;
use bookends_server::http::Access;
use tower::ServiceExt;

use crate::support::served::routes;
use crate::support::shop::empty;

/// The size of the page with its assets, as they are sent, in bytes.
const MAX_SIZE: usize = 200_000;

async fn get(server: &Router, path: &str) -> (HeaderMap, Vec<u8>) {
    let request = Request::get(path).body(Body::empty()).unwrap();
    let response = server.clone().oneshot(request).await.unwrap();
    assert_eq!(response.status(), StatusCode::OK, "{path}");
    let headers = response.headers().clone();
    (headers, to_bytes(response.into_body(), usize::MAX).await.unwrap().to_vec())
}

#[tokio::test]
async fn the_shelf_is_served_from_the_committed_bundle() {
    let (_test, db) = empty().await;
    let server = routes(bookshop::api(db, Limits::DEFAULT), Access::Nobody);
    let (headers, page) = get(&server, "/shelf").await;
    let policy = headers["Content-Security-Policy"].to_str().unwrap();
    assert!(policy.starts_with("default-src 'none'") && !policy.contains("unsafe"), "{policy}");
    let page = String::from_utf8(page).unwrap();
    // They are relative to the page: behind a proxy it may have another path.
    let assets: Vec<_> = page.split('"').filter_map(|part| part.strip_prefix("./shelf/assets/")).collect();
    assert_eq!(assets.len(), 3, "a script, a style and the licences: {page}");
    let mut size = page.len();
    for asset in assets {
        let (headers, content) = get(&server, &format!("/shelf/assets/{asset}")).await;
        assert_eq!(headers["Content-Encoding"], "gzip");
        size += content.len();
    }
    assert!(size <= MAX_SIZE, "{size} bytes");
}
