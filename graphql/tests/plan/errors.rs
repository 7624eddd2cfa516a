//! Errors, their places, and what is null beside them.

use crate::atlas::{Atlas, plans};

async fn check(query: &str, data: &str, errors: &str) {
    Atlas::new().await.response(query, plans(query), "{}", data, errors).await;
}

#[tokio::test]
async fn a_list_with_a_bad_cursor_is_null_beside_an_error() {
    let query = r#"{
  rivers(first: 2) {
    nodes {
      name
      here: cities(first: 1, after: "x") { nodes { name } }
    }
  }
}"#;
    let data = r#"{ "rivers": { "nodes": [{ "name": "Danube", "here": null }, { "name": "Inn", "here": null }] } }"#;
    let errors = r#"[
        {
            "message": "`after`: the cursor is malformed",
            "locations": [{ "line": 5, "column": 7 }],
            "path": ["rivers", "nodes", 0, "here"],
            "extensions": { "code": "CURSOR_INVALID" }
        },
        {
            "message": "`after`: the cursor is malformed",
            "locations": [{ "line": 5, "column": 7 }],
            "path": ["rivers", "nodes", 1, "here"],
            "extensions": { "code": "CURSOR_INVALID" }
        }
    ]"#;
    check(query, data, errors).await;
}

#[tokio::test]
async fn a_list_under_relations_fails_alone() {
    let query = "{
  city(id: 2) { twin { river { cities(first: 101) { nodes { name } } name } } }
}";
    let data = r#"{ "city": { "twin": { "river": { "cities": null, "name": "Danube" } } } }"#;
    let errors = r#"[{
        "message": "`first` must be 0 to 100, not 101",
        "locations": [{ "line": 2, "column": 32 }],
        "path": ["city", "twin", "river", "cities"],
        "extensions": { "code": "PAGE_INVALID" }
    }]"#;
    check(query, data, errors).await;
}

#[tokio::test]
async fn a_list_of_the_query_fails_alone() {
    let query = "{ here: rivers(first: -1) { nodes { name } } rivers(first: 1) { nodes { name } } }";
    let data = r#"{ "here": null, "rivers": { "nodes": [{ "name": "Danube" }] } }"#;
    let errors = r#"[{
        "message": "`first` must be 0 to 100, not -1",
        "locations": [{ "line": 1, "column": 3 }],
        "path": ["here"],
        "extensions": { "code": "PAGE_INVALID" }
    }]"#;
    check(query, data, errors).await;
}

/// The error of Atlantis, whose river does not exist, at this place.
fn missing(line: usize, column: usize, path: &str) -> String {
    format!(
        r#"{{
            "message": "a row refers to a river that does not exist",
            "locations": [{{ "line": {line}, "column": {column} }}],
            "path": {path},
            "extensions": {{ "code": "INTERNAL" }}
        }}"#
    )
}

#[tokio::test]
async fn null_propagates_to_the_list() {
    let query = "{
  all: cities { nodes { name river { name } } }
  rivers(first: 1) { nodes { name } }
}";
    let data = r#"{ "all": null, "rivers": { "nodes": [{ "name": "Danube" }] } }"#;
    check(query, data, &format!("[{}]", missing(2, 30, r#"["all", "nodes", 5, "river"]"#))).await;

    let query = "{ cities(last: 2) { edges { node { name riverName at: river { name } } } totalCount } }";
    let errors = format!("[{}]", missing(1, 51, r#"["cities", "edges", 1, "node", "at"]"#));
    check(query, r#"{ "cities": null }"#, &errors).await;
}

#[tokio::test]
async fn null_propagates_to_a_relation_that_can_be_null() {
    let query = "{
  cities(first: 1, where: { key: { gte: 4 } }) { nodes { name twin { name river { name } } people } }
}";
    let data = r#"{ "cities": { "nodes": [{ "name": "Dresden", "twin": null, "people": 566 }] } }"#;
    check(query, data, &format!("[{}]", missing(2, 75, r#"["cities", "nodes", 0, "twin", "river"]"#))).await;

    let query = "{ city(id: 4) { twin { river { name } } name } }";
    let data = r#"{ "city": { "twin": null, "name": "Dresden" } }"#;
    check(query, data, &format!("[{}]", missing(1, 24, r#"["city", "twin", "river"]"#))).await;
}

#[tokio::test]
async fn null_propagates_to_an_object_found_by_its_key() {
    let query = "{ city(id: 6) { name river { name } } }";
    check(query, r#"{ "city": null }"#, &format!("[{}]", missing(1, 22, r#"["city", "river"]"#))).await;

    let query = r#"{ node(id: "AQAAAAY") { ... on City { river { name } } } }"#;
    check(query, r#"{ "node": null }"#, &format!("[{}]", missing(1, 39, r#"["node", "river"]"#))).await;

    let query = r#"{ nodes(ids: ["AQAAAAE", "AQAAAAY"]) { id ... on City { river { name } } } }"#;
    let data = r#"{ "nodes": [{ "id": "AQAAAAE", "river": { "name": "Danube" } }, null] }"#;
    check(query, data, &format!("[{}]", missing(1, 57, r#"["nodes", 1, "river"]"#))).await;
}

/// A list can fail, and be in an object that fails after it.
#[tokio::test]
async fn errors_inside_of_what_becomes_null_are_reported_too() {
    let query = r#"{
  nodes(ids: ["AQAAAAQ"]) {
    ... on City { here: river { cities(before: "x") { totalCount } } twin { river { name } } }
  }
}"#;
    let data = r#"{ "nodes": [{ "here": { "cities": null }, "twin": null }] }"#;
    let malformed = r#"{
        "message": "`before`: the cursor is malformed",
        "locations": [{ "line": 3, "column": 33 }],
        "path": ["nodes", 0, "here", "cities"],
        "extensions": { "code": "CURSOR_INVALID" }
    }"#;
    let errors = format!("[{malformed}, {}]", missing(3, 77, r#"["nodes", 0, "twin", "river"]"#));
    check(query, data, &errors).await;
}

#[tokio::test]
async fn a_merged_field_fails_once() {
    let query = r#"{
  rivers(after: "x") { nodes { name } }
  rivers(after: "x") { pageInfo { hasNextPage } }
}"#;
    let errors = r#"[{
        "message": "`after`: the cursor is malformed",
        "locations": [{ "line": 2, "column": 3 }],
        "path": ["rivers"],
        "extensions": { "code": "CURSOR_INVALID" }
    }]"#;
    check(query, r#"{ "rivers": null }"#, errors).await;
}

#[tokio::test]
async fn the_error_of_a_merged_field_is_at_its_first_place_that_is_not_skipped() {
    let query = "query ($a: Boolean!) {
  rivers(first: 1) {
    nodes { cities(first: 101) @include(if: $a) { totalCount } name }
    nodes { cities(first: 101) { nodes { name } } }
  }
}";
    let error = |line| {
        format!(
            r#"[{{
                "message": "`first` must be 0 to 100, not 101",
                "locations": [{{ "line": {line}, "column": 13 }}],
                "path": ["rivers", "nodes", 0, "cities"],
                "extensions": {{ "code": "PAGE_INVALID" }}
            }}]"#
        )
    };
    let (atlas, plans) = (Atlas::new().await, plans(query));
    for _ in 0..2 {
        let included = r#"{ "rivers": { "nodes": [{ "cities": null, "name": "Danube" }] } }"#;
        atlas.response(query, plans.clone(), r#"{ "a": true }"#, included, &error(3)).await;
        let skipped = r#"{ "rivers": { "nodes": [{ "name": "Danube", "cities": null }] } }"#;
        atlas.response(query, plans.clone(), r#"{ "a": false }"#, skipped, &error(4)).await;
    }
}

#[tokio::test]
async fn a_count_with_a_bad_bound_makes_its_list_null() {
    let query = "query ($n: Int = -1) {
  rivers(first: 1) { nodes { name cities { approximateCount(upTo: $n) { value } } } }
}";
    let data = r#"{ "rivers": { "nodes": [{ "name": "Danube", "cities": null }] } }"#;
    let errors = r#"[{
        "message": "`upTo` must be 0 to 10000, not -1",
        "locations": [{ "line": 2, "column": 44 }],
        "path": ["rivers", "nodes", 0, "cities", "approximateCount"],
        "extensions": { "code": "BAD_USER_INPUT" }
    }]"#;
    check(query, data, errors).await;
}

/// The row of an event is older than what it refers to is read.
#[tokio::test]
async fn what_an_event_refers_to_can_be_gone() {
    let query = "subscription {
  visited(id: 6) { node { name river { name } } }
}";
    let errors = r#"[{
        "message": "the river was deleted before it was read",
        "locations": [{ "line": 2, "column": 32 }],
        "path": ["visited", "node", "river"],
        "extensions": { "code": "GONE" }
    }]"#;
    Atlas::new().await.event(query, "null", errors).await;
}
