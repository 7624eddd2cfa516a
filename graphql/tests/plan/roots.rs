//! Fields of the query: which of them need no schema, and what is null beside their errors.

use crate::atlas::{Atlas, is_resolved, plans};

#[tokio::test]
async fn a_query_of_declared_fields_needs_no_schema() {
    let atlas = Atlas::new().await;
    let declared = [
        ("{ __typename }", r#"{ "__typename": "Query" }"#),
        ("{ what: __typename ... { __typename } }", r#"{ "what": "Query", "__typename": "Query" }"#),
        ("{ city(id: 3) { name } }", r#"{ "city": { "name": "Budapest" } }"#),
        ("{ city(id: 9) { name } }", r#"{ "city": null }"#),
        (r#"{ land(code: "AT") { name } }"#, r#"{ "land": { "name": "Austria" } }"#),
        (r#"{ land(code: "DE") { name } }"#, r#"{ "land": null }"#),
        (
            r#"{ node(id: "AgAAAAM") { id ... on River { name } } }"#,
            r#"{ "node": { "id": "AgAAAAM", "name": "Elbe" } }"#,
        ),
        (r#"{ node(id: "AgAAAAk") { id } }"#, r#"{ "node": null }"#),
        (r"{ nodes(ids: []) { id } }", r#"{ "nodes": [] }"#),
        (
            r#"{ nodes(ids: ["AgAAAAE", "AQAAAAk", "AgAAAAE"]) { __typename id } }"#,
            r#"{ "nodes": [
                { "__typename": "River", "id": "AgAAAAE" }, null, { "__typename": "River", "id": "AgAAAAE" }
            ] }"#,
        ),
        (
            "{ rivers(first: 1) { nodes { name } } __typename one: city(id: 1) { name } two: city(id: 2) { river { name } } }",
            r#"{
                "rivers": { "nodes": [{ "name": "Danube" }] },
                "__typename": "Query",
                "one": { "name": "Vienna" },
                "two": { "river": { "name": "Inn" } }
            }"#,
        ),
        (
            "{ ...City ...River ...City } fragment City on Query { city(id: 1) { name } } \
             fragment River on Query { city(id: 1) { river { name } } __typename }",
            r#"{ "city": { "name": "Vienna", "river": { "name": "Danube" } }, "__typename": "Query" }"#,
        ),
    ];
    for (query, data) in declared {
        let plans = plans(query);
        atlas.with(&plans, query, "{}", data).await;
        assert!(!is_resolved(&plans), "{query}");
    }
    let others = [
        ("{ cityOf(id: 3) { name } __typename }", r#"{ "cityOf": { "name": "Budapest" }, "__typename": "Query" }"#),
        (r#"{ nodeOf(id: "AgAAAAM") { id } }"#, r#"{ "nodeOf": { "id": "AgAAAAM" } }"#),
        (r#"{ nodesOf(ids: ["AgAAAAM"]) { id } }"#, r#"{ "nodesOf": [{ "id": "AgAAAAM" }] }"#),
        (
            r#"{ city(id: 3) { name } __type(name: "City") { name } }"#,
            r#"{ "city": { "name": "Budapest" }, "__type": { "name": "City" } }"#,
        ),
    ];
    for (query, data) in others {
        let plans = plans(query);
        atlas.with(&plans, query, "{}", data).await;
        assert!(is_resolved(&plans), "{query}");
    }
}

#[tokio::test]
async fn keys_can_be_variables_and_fields_can_be_skipped() {
    let atlas = Atlas::new().await;
    let query = "query ($id: Int!, $ids: [ID!]!, $a: Boolean!) {
        city(id: $id) @skip(if: $a) { name }
        __typename @include(if: $a)
        nodes(ids: $ids) { ... on City { name } ... on River { title: name } }
    }";
    let plans = plans(query);
    let expected = [
        (
            r#"{ "id": 1, "ids": "AQAAAAI", "a": false }"#,
            r#"{ "city": { "name": "Vienna" }, "nodes": [{ "name": "Passau" }] }"#,
        ),
        (
            r#"{ "id": 2, "ids": ["AgAAAAE", "AQAAAAE"], "a": true }"#,
            r#"{ "__typename": "Query", "nodes": [{ "title": "Danube" }, { "name": "Vienna" }] }"#,
        ),
        (r#"{ "id": 2, "ids": [], "a": false }"#, r#"{ "city": { "name": "Passau" }, "nodes": [] }"#),
    ];
    for (variables, data) in expected.iter().chain(&expected) {
        atlas.with(&plans, query, variables, data).await;
    }
}

fn malformed(line: usize, column: usize, path: &str) -> String {
    format!(
        r#"{{
            "message": "malformed global id: pass the field `id` of an object",
            "locations": [{{ "line": {line}, "column": {column} }}],
            "path": ["{path}"],
            "extensions": {{ "code": "ID_INVALID" }}
        }}"#
    )
}

async fn check(query: &str, data: &str, errors: &[String]) {
    let plans = plans(query);
    Atlas::new().await.response(query, plans.clone(), "{}", data, &format!("[{}]", errors.join(","))).await;
    assert!(!is_resolved(&plans), "{query}");
}

#[tokio::test]
async fn an_object_with_a_malformed_id_fails_alone() {
    let query = r#"{ node(id: "x") { id } city(id: 1) { name } }"#;
    check(query, r#"{ "node": null, "city": { "name": "Vienna" } }"#, &[malformed(1, 3, "node")]).await;
}

/// The list of nodes is never null.
#[tokio::test]
async fn nodes_with_a_malformed_id_fail_the_query() {
    check(r#"{ nodes(ids: ["AQAAAAI", "x"]) { id } }"#, "null", &[malformed(1, 3, "nodes")]).await;

    let query =
        r#"query ($ids: [ID!]!) { here: node(id: "?") { id } nodes(ids: $ids) { id } there: node(id: "!") { id } }"#;
    let (atlas, plans) = (Atlas::new().await, plans(query));
    let (here, nodes, there) = (malformed(1, 24, "here"), malformed(1, 51, "nodes"), malformed(1, 75, "there"));
    for _ in 0..2 {
        let data = r#"{ "here": null, "nodes": [], "there": null }"#;
        atlas.response(query, plans.clone(), r#"{ "ids": [] }"#, data, &format!("[{here}, {there}]")).await;
        atlas.response(query, plans.clone(), r#"{ "ids": "x" }"#, "null", &format!("[{nodes}, {here}]")).await;
    }

    let resolved = r#"{ city(id: 1) { name } nodesOf(ids: ["x"]) { id } }"#;
    let errors = format!("[{}]", malformed(1, 24, "nodesOf"));
    atlas.response(resolved, crate::atlas::plans(resolved), "{}", "null", &errors).await;

    let ids = [r#""AQAAAAI""#; 101].join(" ");
    let error = r#"{
        "message": "`ids` must have at most 100 ids, not 101",
        "locations": [{ "line": 1, "column": 3 }],
        "path": ["nodes"],
        "extensions": { "code": "BAD_USER_INPUT" }
    }"#;
    check(&format!("{{ nodes(ids: [{ids}]) {{ id }} }}"), "null", &[error.to_owned()]).await;
}
