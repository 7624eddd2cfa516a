//! The API over HTTP.

use axum::body::Body;
use axum::http::{Request, StatusCode};
use bookends_server::http::Access;
use serde_json::Value;

use crate::support::served::{routes, send, writable};
use crate::support::station::{SMALL, Station};

#[tokio::test]
async fn e2_any_cursor_gets_an_answer_or_a_typed_error() {
    let station = Station::new(SMALL).await;
    for cursor in ["?", "\u{0}", "AQ", &"A".repeat(100_000)] {
        let query = "query($after: String) { readings(after: $after) { nodes { id } } }";
        let body = serde_json::json!({ "query": query, "variables": { "after": cursor } }).to_string();
        let request = Request::post("/graphql").header("Content-Type", "application/json").body(body.into()).unwrap();
        let (status, answer) = send(routes(station.api.clone(), Access::Nobody), request).await;
        assert!(status.is_success() && answer.contains("CURSOR_INVALID"), "{status} {answer}");
    }
}

#[tokio::test]
async fn h1_the_api_answers_a_post() {
    let station = Station::new(SMALL).await;
    let body =
        serde_json::json!({ "query": "{ readings(first: 5) { edges { cursor node { id value sensor { name } } } } }" })
            .to_string();
    let request = Request::post("/graphql").header("Content-Type", "application/json").body(body.into()).unwrap();
    let (status, answer) = send(routes(station.api, Access::Nobody), request).await;
    assert_eq!(status, StatusCode::OK);
    let answer: Value = serde_json::from_str(&answer).unwrap();
    assert_eq!(answer["data"]["readings"]["edges"].as_array().unwrap().len(), 5);
}

const SESAME: (&str, &str) = ("Authorization", "Bearer open-sesame-please");

/// A mutation, sent with these headers.
fn mutation(headers: &[(&str, &str)]) -> Request<Body> {
    let body = serde_json::json!({ "query": "mutation { createSensor(input: { name: \"x\", year: 0 }) { clientMutationId } }" });
    let request = Request::post("/graphql").header("Host", "localhost:8000");
    let request = headers.iter().fold(request, |request, (name, value)| request.header(*name, *value));
    request.body(body.to_string().into()).unwrap()
}

#[tokio::test]
async fn the_permission_comes_from_the_headers() {
    let station = Station::new(SMALL).await;
    let json = ("Content-Type", "application/json");
    for (access, headers, code) in [
        (writable(), &[json, SESAME][..], None),
        (writable(), &[json, ("Authorization", "Bearer open")], Some("UNAUTHENTICATED")),
        (writable(), &[json], Some("UNAUTHENTICATED")),
        (Access::Nobody, &[json, SESAME], Some("FORBIDDEN")),
    ] {
        let (status, answer) = send(routes(station.api.clone(), access), mutation(headers)).await;
        assert_eq!(status, StatusCode::OK);
        let answer: Value = serde_json::from_str(&answer).unwrap();
        assert_eq!(answer["errors"][0]["extensions"]["code"].as_str(), code, "{headers:?} {answer}");
    }
}

/// Requests that a browser sends for a page of another site without a preflight request.
#[tokio::test]
async fn h6_a_request_without_preflight_is_rejected() {
    let station = Station::new(SMALL).await;
    for kind in
        ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "", "application/jsonx"]
    {
        let mutation = mutation(&[("Content-Type", kind), SESAME]);
        let (status, _) = send(routes(station.api.clone(), writable()), mutation).await;
        assert_eq!(status, StatusCode::UNSUPPORTED_MEDIA_TYPE, "{kind}");
    }
    let (status, _) = send(routes(station.api.clone(), writable()), mutation(&[SESAME])).await;
    assert_eq!(status, StatusCode::UNSUPPORTED_MEDIA_TYPE);
    assert_eq!(station.data("{ sensors { totalCount } }").await["sensors"]["totalCount"], 8, "nothing was written");
}
