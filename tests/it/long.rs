//! Long requests: what they take of the processor delays no other request.

use std::pin::pin;

use async_graphql::Request;
use async_graphql::futures_util::{FutureExt, poll};
use axum::body::Body;
use axum::http;
use bookends::server::Access;
use serde_json::json;
use tower::ServiceExt;

use crate::served::routes;
use crate::shop::{SMALL, Shop};

const SHORT: &str = "{ nothing }";

/// A refusal waits for nothing: where it is not there at once, another thread makes it.
#[tokio::test]
async fn a_long_document_is_checked_on_another_thread() {
    let shop = Shop::new(SMALL).await;
    let long = format!("{{ {} }}", "nothing ".repeat(5_000));
    let mut response = pin!(shop.api.execute(Request::new(long)));
    assert!(poll!(response.as_mut()).is_pending());
    let short = shop.api.execute(Request::new(SHORT)).now_or_never().expect("a short one is refused at once");
    assert_eq!(short.errors.len(), 1);
    let response = serde_json::to_value(response.await).unwrap();
    assert_eq!(response["errors"][0]["extensions"]["code"], "GRAPHQL_VALIDATION_FAILED");
}

#[tokio::test]
async fn long_variables_are_read_and_checked_on_another_thread() {
    let shop = Shop::new(SMALL).await;
    let router = routes(shop.api.clone(), Access::Nobody);
    let request = |ids: usize| {
        let query = "query($ids: [ID!]!) { nothing(ids: $ids) }";
        let body = json!({ "query": query, "variables": { "ids": vec!["x"; ids] } }).to_string();
        let request = http::Request::post("/graphql").header("content-type", "application/json");
        router.clone().oneshot(request.body(Body::from(body)).unwrap())
    };
    let mut response = pin!(request(50_000));
    assert!(poll!(response.as_mut()).is_pending());
    assert!(request(5).now_or_never().is_some(), "a short one is refused at once");
    assert_eq!(response.await.unwrap().status(), 200);
}
