//! What the statements of a request cost, in the response to a client that asks.

use crate::support::station::{self, Plan, empty};
use axum::body::Body;
use axum::http::Request;
use bookends_server::Api;
use bookends_server::config::Limits;
use serde_json::{Value, json};
use tower::ServiceExt;

use crate::support::served::{TOKEN, routes, writable};

const REPORT: (&str, &str) = ("GraphQL-Timing", "report");

/// What a response says of the statements of its request: their number, and the rows that they returned.
async fn described(api: &Api, header: (&str, &str), body: &Value) -> (Option<String>, Value) {
    let request = Request::post("/graphql").header("Content-Type", "application/json").header(header.0, header.1);
    let request = request.header("Authorization", format!("Bearer {TOKEN}")).body(Body::from(body.to_string()));
    let response = routes(api.clone(), writable()).oneshot(request.unwrap()).await.unwrap();
    let timing = response.headers().get("Server-Timing").map(|value| value.to_str().unwrap().to_owned());
    let body = axum::body::to_bytes(response.into_body(), usize::MAX).await.unwrap();
    let described = timing.map(|timing| {
        let (time, described) = timing.strip_prefix("db;dur=").unwrap().split_once(";desc=").unwrap();
        assert!(time.parse::<f64>().unwrap() >= 0.0, "{timing}");
        described.trim_matches('"').to_owned()
    });
    (described, serde_json::from_slice(&body).unwrap())
}

#[tokio::test]
async fn i1_a_response_has_the_time_of_its_statements_if_asked() {
    let (_test, db) = empty().await;
    station::fill(&db, Plan { sensors: 8, readings: 500, repairs: 10 }).await.unwrap();
    let api = station::api(db, Limits::DEFAULT);
    let page = "query($after: String) { readings(first: 10, after: $after) { nodes { id sensor { id } } pageInfo { endCursor } } }";
    let mut after = Value::Null;
    // The page and its neighbours: the first page has one, every other one has two, and the depth changes nothing. The first
    // request is executed by the schema, the others by their plan.
    for expected in ["1 statement, 11 rows", "1 statement, 12 rows", "1 statement, 12 rows", "1 statement, 12 rows"] {
        let (described, answer) =
            described(&api, REPORT, &json!({ "query": page, "variables": { "after": after } })).await;
        assert_eq!(described.as_deref(), Some(expected), "{answer}");
        after = answer["data"]["readings"]["pageInfo"]["endCursor"].clone();
    }
    for (query, expected) in [
        ("{ __typename }", "0 statements, 0 rows"),
        ("{ readings { reviews } }", "0 statements, 0 rows"),
        ("{ sensors(first: 1) { nodes { id } } repairs(first: 1) { totalCount } }", "2 statements, 3 rows"),
    ] {
        let (described, answer) = described(&api, REPORT, &json!({ "query": query })).await;
        assert_eq!(described.as_deref(), Some(expected), "{answer}");
    }
    for header in [("Accept", "*/*"), ("GraphQL-Timing", "1"), ("GraphQL-Timing", "")] {
        assert_eq!(described(&api, header, &json!({ "query": page })).await.0, None, "{header:?}");
    }
}

/// The statements of a write run in a task of their own.
#[tokio::test]
async fn the_statements_of_a_mutation_are_counted_too() {
    let (_test, db) = empty().await;
    let api = station::api(db, Limits::DEFAULT);
    let query = r#"mutation { createSensor(input: { name: "x", year: 0 }) { sensorEdge { cursor node { id } } } }"#;
    let (described, answer) = described(&api, REPORT, &json!({ "query": query })).await;
    assert!(answer["data"]["createSensor"]["sensorEdge"]["cursor"].is_string(), "{answer}");
    let described = described.unwrap();
    let statements: usize = described.split(' ').next().unwrap().parse().unwrap();
    assert!(statements >= 2, "an insert and a commit at least: {described}");
}
