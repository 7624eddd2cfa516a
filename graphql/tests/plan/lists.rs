//! Lists in lists, and under relations to one.

use crate::atlas::{Atlas, is_resolved, plans};

#[tokio::test]
async fn a_parent_that_stands_twice_is_read_once() {
    let atlas = Atlas::new().await;
    let query = "{
        cities(first: 3) {
            nodes {
                name
                river {
                    name
                    cities(first: 1) { totalCount nodes { name } pageInfo { hasNextPage } }
                    last: cities(last: 1) { nodes { name river { tributaries { nodes { name } } } } }
                }
            }
        }
    }";
    let expected = r#"{
        "cities": { "nodes": [
            { "name": "Vienna", "river": {
                "name": "Danube",
                "cities": { "totalCount": 2, "nodes": [{ "name": "Vienna" }], "pageInfo": { "hasNextPage": true } },
                "last": { "nodes": [{ "name": "Budapest", "river": { "tributaries": { "nodes": [{ "name": "Inn" }] } } }] }
            } },
            { "name": "Passau", "river": {
                "name": "Inn",
                "cities": { "totalCount": 2, "nodes": [{ "name": "Passau" }], "pageInfo": { "hasNextPage": true } },
                "last": { "nodes": [{ "name": "Innsbruck", "river": { "tributaries": { "nodes": [] } } }] }
            } },
            { "name": "Budapest", "river": {
                "name": "Danube",
                "cities": { "totalCount": 2, "nodes": [{ "name": "Vienna" }], "pageInfo": { "hasNextPage": true } },
                "last": { "nodes": [{ "name": "Budapest", "river": { "tributaries": { "nodes": [{ "name": "Inn" }] } } }] }
            } }
        ] }
    }"#;
    let statements = atlas.data(query, expected).await;
    assert_eq!(statements, 5, "the cities, two lists of their rivers, one count, and the tributaries");
}

#[tokio::test]
async fn a_relation_that_is_null_has_no_lists() {
    let atlas = Atlas::new().await;
    let query = "{
        rivers {
            nodes {
                name
                into { name tributaries { nodes { name cities(where: { key: { gt: 2 } }) { nodes { name } } } } }
            }
        }
    }";
    let expected = r#"{
        "rivers": { "nodes": [
            { "name": "Danube", "into": null },
            { "name": "Inn", "into": {
                "name": "Danube",
                "tributaries": { "nodes": [{ "name": "Inn", "cities": { "nodes": [{ "name": "Innsbruck" }] } }] }
            } },
            { "name": "Elbe", "into": null }
        ] }
    }"#;
    assert_eq!(atlas.data(query, expected).await, 3, "one for each level");
}

#[tokio::test]
async fn each_list_has_counts_and_cursors_of_its_own() {
    let atlas = Atlas::new().await;
    let query = "{
        rivers {
            nodes {
                cities(last: 1) {
                    totalCount
                    approximateCount(upTo: 2) { value relation }
                    more: approximateCount { value }
                    pageCursors { around { page isCurrent } previous { page } next { page } }
                    pageInfo { hasPreviousPage startCursor endCursor }
                    edges { cursor }
                }
            }
        }
    }";
    let two = |cursor: &str| {
        format!(
            r#"{{ "cities": {{
                "totalCount": 2,
                "approximateCount": {{ "value": 2, "relation": "EXACT" }},
                "more": {{ "value": 2 }},
                "pageCursors": {{
                    "around": [{{ "page": 1, "isCurrent": false }}, {{ "page": 2, "isCurrent": true }}],
                    "previous": {{ "page": 1 }},
                    "next": null
                }},
                "pageInfo": {{ "hasPreviousPage": true, "startCursor": "{cursor}", "endCursor": "{cursor}" }},
                "edges": [{{ "cursor": "{cursor}" }}]
            }} }}"#
        )
    };
    let one = r#"{ "cities": {
        "totalCount": 1,
        "approximateCount": { "value": 1, "relation": "EXACT" },
        "more": { "value": 1 },
        "pageCursors": { "around": [{ "page": 1, "isCurrent": true }], "previous": null, "next": null },
        "pageInfo": { "hasPreviousPage": false, "startCursor": "ATATBgQ", "endCursor": "ATATBgQ" },
        "edges": [{ "cursor": "ATATBgQ" }]
    } }"#;
    let expected = format!(r#"{{ "rivers": {{ "nodes": [{}, {}, {one}] }} }}"#, two("ATATBgM"), two("ATATBgU"));
    atlas.data(query, &expected).await;
}

#[tokio::test]
async fn a_query_is_planned_with_its_resolved_fields() {
    let atlas = Atlas::new().await;
    let data = r#"{ "rivers": { "nodes": [{ "name": "Danube" }] }, "c": { "totalCount": 6 } }"#;
    let lists = "{ rivers(first: 1) { nodes { name } } ...C } fragment C on Query { c: cities { totalCount } }";
    let planned = plans(lists);
    assert!(!is_resolved(&planned));
    atlas.with(&planned, lists, "{}", data).await;

    let data = r#"{ "__typename": "Query", "rivers": { "totalCount": 3 }, "cityOf": { "name": "Passau" } }"#;
    let others = "{ __typename rivers { totalCount } cityOf(id: 2) { name } }";
    let planned = plans(others);
    atlas.with(&planned, others, "{}", data).await;
    assert!(is_resolved(&planned));
}

#[tokio::test]
async fn an_id_filter_takes_the_ids_of_integer_keys() {
    let query = r#"{ cities(where: { id: { in: ["AQAAAAE", "AQAAAAM"] } }) { nodes { id name } } }"#;
    let data = r#"{ "cities": { "nodes": [{ "id": "AQAAAAE", "name": "Vienna" }, { "id": "AQAAAAM", "name": "Budapest" }] } }"#;
    Atlas::new().await.with(&plans(query), query, "{}", data).await;
}
