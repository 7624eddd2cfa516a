//! The two routes.

use axum::Router;
use axum::body::Body;
use axum::http::{Request, StatusCode};
use bookends::server::{FIRST_QUERY, router};
use serde_json::Value;
use tower::ServiceExt;

use crate::shop::{SMALL, Shop};

async fn send(router: Router, request: Request<Body>) -> (StatusCode, String) {
    let response = router.oneshot(request).await.unwrap();
    let status = response.status();
    let body = axum::body::to_bytes(response.into_body(), usize::MAX).await.unwrap();
    (status, String::from_utf8(body.to_vec()).unwrap())
}

#[tokio::test]
async fn the_first_page_holds_the_first_query() {
    let shop = Shop::new(SMALL).await;
    let (status, page) = send(router(shop.api), Request::get("/").body(Body::empty()).unwrap()).await;
    assert_eq!(status, StatusCode::OK);
    assert!(page.contains("GraphiQL") && page.contains(FIRST_QUERY));
}

#[tokio::test]
async fn e2_no_cursor_is_worse_than_a_typed_error() {
    let shop = Shop::new(SMALL).await;
    for cursor in ["?", "\u{0}", "AQ", &"A".repeat(100_000)] {
        let query = "query($after: String) { ratings(after: $after) { nodes { id } } }";
        let body = serde_json::json!({ "query": query, "variables": { "after": cursor } }).to_string();
        let request = Request::post("/graphql").header("Content-Type", "application/json").body(body.into()).unwrap();
        let (status, answer) = send(router(shop.api.clone()), request).await;
        assert!(status.is_success() && answer.contains("CURSOR_INVALID"), "{status} {answer}");
    }
}

#[tokio::test]
async fn h1_the_api_answers_a_post() {
    let shop = Shop::new(SMALL).await;
    let body = serde_json::json!({ "query": FIRST_QUERY }).to_string();
    let request = Request::post("/graphql").header("Content-Type", "application/json").body(body.into()).unwrap();
    let (status, answer) = send(router(shop.api), request).await;
    assert_eq!(status, StatusCode::OK);
    let answer: Value = serde_json::from_str(&answer).unwrap();
    assert_eq!(answer["data"]["ratings"]["edges"].as_array().unwrap().len(), 5);
}
