//! `@skip` and `@include`, with plans that were made for other variables.

use crate::atlas::{Atlas, plans};

/// Checks each response twice, so that each follows each.
async fn check(query: &str, expected: &[(&str, &str)]) {
    let (atlas, plans) = (Atlas::new().await, plans(query));
    for (variables, data) in expected.iter().chain(expected) {
        atlas.with(&plans, query, variables, data).await;
    }
}

#[tokio::test]
async fn columns_and_relations_can_be_skipped() {
    let query = "query ($a: Boolean!, $b: Boolean!) {
        cities(first: 1) {
            nodes { name @skip(if: $a) riverName @include(if: $b) river @include(if: $b) { name id @skip(if: $a) } }
            totalCount @include(if: $b)
        }
    }";
    let expected = [
        (r#"{ "a": false, "b": false }"#, r#"{ "cities": { "nodes": [{ "name": "Vienna" }] } }"#),
        (r#"{ "a": true, "b": false }"#, r#"{ "cities": { "nodes": [{}] } }"#),
        (
            r#"{ "a": true, "b": true }"#,
            r#"{ "cities": { "nodes": [{ "riverName": "Danube", "river": { "name": "Danube" } }], "totalCount": 6 } }"#,
        ),
        (
            r#"{ "a": false, "b": true }"#,
            r#"{ "cities": {
                "nodes": [
                    { "name": "Vienna", "riverName": "Danube", "river": { "name": "Danube", "id": "AgAAAAE" } }
                ],
                "totalCount": 6
            } }"#,
        ),
    ];
    check(query, &expected).await;
}

#[tokio::test]
async fn a_merged_field_is_there_if_one_place_is() {
    let query = "
        query ($a: Boolean!, $b: Boolean!) {
            cities(first: 1) {
                nodes { name @include(if: $a) }
                nodes @include(if: $b) { name river { name } }
                ...Rest @skip(if: $a)
            }
        }
        fragment Rest on CityConnection {
            nodes { river { into @include(if: $b) { name } } }
            pageInfo { hasNextPage }
        }
    ";
    let expected = [
        (
            r#"{ "a": false, "b": false }"#,
            r#"{ "cities": { "nodes": [{ "river": {} }], "pageInfo": { "hasNextPage": true } } }"#,
        ),
        (r#"{ "a": true, "b": false }"#, r#"{ "cities": { "nodes": [{ "name": "Vienna" }] } }"#),
        (
            r#"{ "a": true, "b": true }"#,
            r#"{ "cities": { "nodes": [{ "name": "Vienna", "river": { "name": "Danube" } }] } }"#,
        ),
        (
            r#"{ "a": false, "b": true }"#,
            r#"{ "cities": {
                "nodes": [{ "name": "Vienna", "river": { "name": "Danube", "into": null } }],
                "pageInfo": { "hasNextPage": true }
            } }"#,
        ),
    ];
    check(query, &expected).await;
}

#[tokio::test]
async fn a_root_field_can_be_skipped_at_each_place() {
    let query = "query ($a: Boolean!, $b: Boolean!) {
        rivers(first: 1) @include(if: $a) { nodes { name } }
        ... @skip(if: $b) { rivers(first: 1) { nodes { id } edges { node { name } } } }
        __typename
    }";
    let expected = [
        (
            r#"{ "a": true, "b": false }"#,
            r#"{
                "rivers": { "nodes": [{ "name": "Danube", "id": "AgAAAAE" }], "edges": [{ "node": { "name": "Danube" } }] },
                "__typename": "Query"
            }"#,
        ),
        (r#"{ "a": true, "b": true }"#, r#"{ "rivers": { "nodes": [{ "name": "Danube" }] }, "__typename": "Query" }"#),
        (r#"{ "a": false, "b": true }"#, r#"{ "__typename": "Query" }"#),
        (
            r#"{ "a": false, "b": false }"#,
            r#"{
                "rivers": { "nodes": [{ "id": "AgAAAAE" }], "edges": [{ "node": { "name": "Danube" } }] },
                "__typename": "Query"
            }"#,
        ),
    ];
    check(query, &expected).await;
}

#[tokio::test]
async fn what_is_skipped_is_not_read() {
    let query = "query ($a: Boolean!) {
        rivers(first: 1) {
            nodes @include(if: $a) { cities(first: 1) { nodes { name } } }
            pageInfo { hasNextPage }
            ... @skip(if: $a) { nodes { name tributaries @skip(if: $a) { totalCount } } }
            edges { node { name @include(if: true) cities @include(if: false) { totalCount } } }
        }
    }";
    let with_cities = r#"{ "rivers": {
        "nodes": [{ "cities": { "nodes": [{ "name": "Vienna" }] } }],
        "pageInfo": { "hasNextPage": true },
        "edges": [{ "node": { "name": "Danube" } }]
    } }"#;
    let with_tributaries = r#"{ "rivers": {
        "pageInfo": { "hasNextPage": true },
        "nodes": [{ "name": "Danube", "tributaries": { "totalCount": 1 } }],
        "edges": [{ "node": { "name": "Danube" } }]
    } }"#;
    let (atlas, plans) = (Atlas::new().await, plans(query));
    for _ in 0..2 {
        assert_eq!(atlas.with(&plans, query, r#"{ "a": true }"#, with_cities).await, 2);
        assert_eq!(atlas.with(&plans, query, r#"{ "a": false }"#, with_tributaries).await, 2);
    }
}
