//! Variables in the arguments of lists.

use crate::atlas::{Atlas, plans};

const QUERY: &str = "
    query ($first: Int, $after: String, $orderBy: [CitySort!], $where: CityFilter, $id: Int, $field: CitySortField!) {
        rivers(first: $first) {
            nodes {
                cities(first: $first, after: $after, orderBy: $orderBy, where: $where) { nodes { name } }
                own: cities(orderBy: { field: $field }, where: { key: { gt: $id, in: [2, 3, 5] } }) { nodes { name } }
            }
        }
    }
";

#[tokio::test]
async fn an_absent_variable_is_an_absent_argument() {
    let (atlas, plans) = (Atlas::new().await, plans(QUERY));
    let all = r#"{ "rivers": { "nodes": [
        {
            "cities": { "nodes": [{ "name": "Vienna" }, { "name": "Budapest" }] },
            "own": { "nodes": [{ "name": "Budapest" }] }
        },
        {
            "cities": { "nodes": [{ "name": "Passau" }, { "name": "Innsbruck" }] },
            "own": { "nodes": [{ "name": "Innsbruck" }, { "name": "Passau" }] }
        },
        { "cities": { "nodes": [{ "name": "Dresden" }] }, "own": { "nodes": [] } }
    ] } }"#;
    let some = r#"{ "rivers": { "nodes": [
        { "cities": { "nodes": [{ "name": "Budapest" }] }, "own": { "nodes": [{ "name": "Budapest" }] } }
    ] } }"#;
    let given = r#"{
        "first": 1, "field": "KEY", "id": 2, "where": { "not": { "key": { "eq": 9 } } },
        "orderBy": [{ "field": "NAME", "direction": "ASC" }]
    }"#;
    for _ in 0..2 {
        atlas.with(&plans, QUERY, r#"{ "field": "NAME" }"#, all).await;
        atlas.with(&plans, QUERY, given, some).await;
        atlas.with(&plans, QUERY, r#"{ "field": "NAME", "first": null, "after": "", "where": null }"#, all).await;
    }
}

#[tokio::test]
async fn an_absent_variable_has_its_default() {
    let atlas = Atlas::new().await;
    let query = "query ($first: Int = 1, $where: CityFilter = { key: { gt: 1 } }) {
        rivers(first: $first) {
            nodes { cities(where: $where) { nodes { name } } }
        }
    }";
    let expected = r#"{ "rivers": { "nodes": [
        { "cities": { "nodes": [{ "name": "Budapest" }] } }
    ] } }"#;
    atlas.data(query, expected).await;

    let given = r#"{ "rivers": { "nodes": [
        { "cities": { "nodes": [{ "name": "Vienna" }] } }
    ] } }"#;
    let variables = r#"{ "where": { "key": { "lt": 3 } } }"#;
    atlas.with(&plans(query), query, variables, given).await;
}
