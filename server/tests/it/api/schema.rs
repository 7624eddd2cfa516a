//! The schema as text.

use std::collections::BTreeMap;

use axum::body::{Body, to_bytes};
use axum::http::header::{CONTENT_TYPE, ETAG, IF_NONE_MATCH};
use axum::http::{Request, StatusCode};
use bookends_server::config::Limits;
use bookends_server::http::Access;
use bookends_server::request::Code;
use serde_json::json;
use tower::ServiceExt;

use crate::support::served::routes;
use crate::support::station::{self, SMALL, Station, empty};

fn sdl() -> String {
    station::application().sdl()
}

#[test]
fn a_connections_have_the_shape_that_relay_expects() {
    let sdl = sdl();
    for line in [
        "edges: [ReadingEdge!]!",
        "nodes: [Reading!]!",
        "pageInfo: PageInfo!",
        "totalCount: Int!",
        "cursor: String!",
        "node: Reading!",
        "hasPreviousPage: Boolean!",
        "hasNextPage: Boolean!",
        "startCursor: String\n",
        "endCursor: String\n",
        "interface Node {",
        "type Sensor implements Node {",
        "type Reading implements Node {",
        "node(",
        "first: Int",
        "after: String",
        "last: Int",
        "before: String",
    ] {
        assert!(sdl.contains(line), "{line}\n{sdl}");
    }
    assert!(!sdl.contains("first: Int ="), "A4: a default of `first` would break `last`");
}

/// Clients that throw on errors need no case for null.
#[tokio::test]
async fn a_list_is_marked_as_null_only_beside_an_error() {
    let sdl = sdl();
    let lists: Vec<&str> = sdl.lines().filter(|line| line.contains("): ") && line.contains("Connection")).collect();
    assert_eq!(lists.len(), 5);
    assert!(lists.iter().all(|list| list.ends_with("Connection @semanticNonNull")), "{lists:#?}");
    let definition = "\ndirective @semanticNonNull(levels: [Int!]! = [0]) on FIELD_DEFINITION\n";
    assert!(sdl.contains(definition), "{sdl}");

    let station = Station::new(SMALL).await;
    let query = "{ __schema { directives { name locations isRepeatable args { name defaultValue } } } }";
    let found = station.data(query).await;
    let expected = json!({
        "name": "semanticNonNull",
        "locations": ["FIELD_DEFINITION"],
        "isRepeatable": false,
        "args": [{ "name": "levels", "defaultValue": "[0]" }],
    });
    assert!(found["__schema"]["directives"].as_array().unwrap().contains(&expected), "{found}");
}

#[test]
fn the_codes_of_errors_are_an_enum() {
    let sdl = sdl();
    let (_, values) = sdl.split_once("\nenum ErrorCode {\n").unwrap();
    let (values, _) = values.split_once("\n}\n").unwrap();
    let lines: Vec<&str> = values.lines().map(str::trim).collect();
    let found: BTreeMap<&str, String> = lines.chunks(2).map(|pair| (pair[1], pair[0].to_lowercase())).collect();
    let expected = Code::ALL.iter().map(|(_, code, text)| (*code, format!("\"{text}.\"").to_lowercase())).collect();
    assert_eq!(found, expected);
}

#[tokio::test]
async fn the_text_is_served_once_to_clients_that_keep_it() {
    let (_test, db) = empty().await;
    let server = routes(station::api(db, Limits::DEFAULT), Access::Nobody);
    let ask = async |tag: &str| {
        let request = Request::get("/schema.graphql").header(IF_NONE_MATCH, tag).body(Body::empty()).unwrap();
        let (head, body) = server.clone().oneshot(request).await.unwrap().into_parts();
        let body = to_bytes(body, usize::MAX).await.unwrap();
        (head.status, head.headers, String::from_utf8(body.to_vec()).unwrap())
    };
    let (status, headers, text) = ask("\"other\"").await;
    assert_eq!((status, text), (StatusCode::OK, sdl()));
    assert_eq!(headers[CONTENT_TYPE], "text/plain; charset=utf-8");
    let tag = headers[ETAG].to_str().unwrap();
    let (status, headers, text) = ask(tag).await;
    assert_eq!((status, text.as_str(), headers[ETAG].to_str().unwrap()), (StatusCode::NOT_MODIFIED, "", tag));
}

#[tokio::test]
async fn the_text_is_not_served_where_introspection_is_off() {
    let (_test, db) = empty().await;
    let limits = Limits { introspection: false, ..Limits::DEFAULT };
    let server = routes(station::api(db, limits), Access::Nobody);
    let request = Request::get("/schema.graphql").body(Body::empty()).unwrap();
    assert_eq!(server.oneshot(request).await.unwrap().status(), StatusCode::NOT_FOUND);
}
