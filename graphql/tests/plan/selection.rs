//! Which fields a response has, and in which order.

use crate::atlas::{Atlas, plans};

#[tokio::test]
async fn every_object_has_a_type_name() {
    let atlas = Atlas::new().await;
    let query = r#"{
        __typename
        rivers(first: 1) {
            __typename
            edges { __typename node { __typename } }
            nodes {
                kind: __typename
                cities(first: 1) { __typename nodes { __typename river { __typename } } }
                tributaries { nodes { into { __typename } } }
            }
            pageInfo { __typename }
            approximateCount { __typename value }
            pageCursors { __typename first { __typename isCurrent } around { __typename page } }
        }
        city(id: 1) { __typename }
        node(id: "AgAAAAE") { __typename }
    }"#;
    let expected = r#"{
        "__typename": "Query",
        "rivers": {
            "__typename": "RiverConnection",
            "edges": [{ "__typename": "RiverEdge", "node": { "__typename": "River" } }],
            "nodes": [{
                "kind": "River",
                "cities": {
                    "__typename": "CityConnection",
                    "nodes": [{ "__typename": "City", "river": { "__typename": "River" } }]
                },
                "tributaries": { "nodes": [{ "into": { "__typename": "River" } }] }
            }],
            "pageInfo": { "__typename": "PageInfo" },
            "approximateCount": { "__typename": "ApproximateCount", "value": 3 },
            "pageCursors": {
                "__typename": "PageCursors",
                "first": { "__typename": "PageCursor", "isCurrent": true },
                "around": [
                    { "__typename": "PageCursor", "page": 1 },
                    { "__typename": "PageCursor", "page": 2 },
                    { "__typename": "PageCursor", "page": 3 }
                ]
            }
        },
        "city": { "__typename": "City" },
        "node": { "__typename": "River" }
    }"#;
    atlas.data(query, expected).await;
}

#[tokio::test]
async fn fragments_apply_to_their_type_and_to_its_interfaces() {
    let atlas = Atlas::new().await;
    let query = r#"
        { ...Root nodes(ids: ["AQAAAAI", "AgAAAAM", "AQAAAAk"]) { ...Id ... on City { people } ...OfRiver ... { id } } }
        fragment Root on Query { rivers(first: 1) { ...Page ... on RiverConnection { nodes { ...OfRiver } } } }
        fragment Page on RiverConnection { edges { ...Edge } pageInfo { ...Info } }
        fragment Edge on RiverEdge { node { ... on Node { id } ... on River { name } } }
        fragment Info on PageInfo { hasNextPage }
        fragment Id on Node { __typename id }
        fragment OfRiver on River { title: name ...Id }
    "#;
    let expected = r#"{
        "rivers": {
            "edges": [{ "node": { "id": "AgAAAAE", "name": "Danube" } }],
            "pageInfo": { "hasNextPage": true },
            "nodes": [{ "title": "Danube", "__typename": "River", "id": "AgAAAAE" }]
        },
        "nodes": [
            { "__typename": "City", "id": "AQAAAAI", "people": 53 },
            { "__typename": "River", "id": "AgAAAAM", "title": "Elbe" },
            null
        ]
    }"#;
    assert_eq!(atlas.data(query, expected).await, 3, "a page, and a statement for each type");
}

#[tokio::test]
async fn fields_with_one_response_key_are_merged() {
    let atlas = Atlas::new().await;
    let query = "
        {
            cities(first: 2) { nodes { name river { name } } edges { node { name } } pageInfo { hasNextPage } }
            ...More
            cities(first: 2) { pageInfo { hasPreviousPage } approximateCount { value } }
        }
        fragment More on Query {
            cities(first: 2) {
                edges { node { river { cities(first: 1) { nodes { name } } } } }
                nodes { river { into { name } name } people }
                ... { edges { node { river { cities(first: 1) { nodes { people } totalCount } } } } }
                approximateCount { relation }
            }
        }
    ";
    let expected = r#"{
        "cities": {
            "nodes": [
                { "name": "Vienna", "river": { "name": "Danube", "into": null }, "people": 2006 },
                { "name": "Passau", "river": { "name": "Inn", "into": { "name": "Danube" } }, "people": 53 }
            ],
            "edges": [
                { "node": {
                    "name": "Vienna",
                    "river": { "cities": { "nodes": [{ "name": "Vienna", "people": 2006 }], "totalCount": 2 } }
                } },
                { "node": {
                    "name": "Passau",
                    "river": { "cities": { "nodes": [{ "name": "Passau", "people": 53 }], "totalCount": 2 } }
                } }
            ],
            "pageInfo": { "hasNextPage": true, "hasPreviousPage": false },
            "approximateCount": { "relation": "EXACT", "value": 6 }
        }
    }"#;
    let statements = atlas.data(query, expected).await;
    assert_eq!(statements, 4, "the cities, their count, the cities of their rivers, and the counts of these");
}

#[tokio::test]
async fn a_field_can_be_selected_under_several_names() {
    let atlas = Atlas::new().await;
    let query = "{
        first: cities(first: 1) { all: nodes { a: name b: name } }
        cities(last: 1, where: { key: { lt: 6 } }) {
            here: nodes { one: river { n: name } two: river { into { n: name } } on: riverName also: riverName }
            there: edges { it: node { size isOnTributary } }
        }
    }";
    let expected = r#"{
        "first": { "all": [{ "a": "Vienna", "b": "Vienna" }] },
        "cities": {
            "here": [{ "one": { "n": "Inn" }, "two": { "into": { "n": "Danube" } }, "on": "Inn", "also": "Inn" }],
            "there": [{ "it": { "size": 9, "isOnTributary": true } }]
        }
    }"#;
    assert_eq!(atlas.data(query, expected).await, 2, "a statement for each page, with its relations");
}

#[tokio::test]
async fn objects_by_their_keys_are_merged_too() {
    let atlas = Atlas::new().await;
    let query = r#"
        {
            city(id: 2) { river { name } twin { name } }
            node(id: "AQAAAAI") { ... on City { river { name } } }
            city(id: 2) { river { cities { nodes { name } } } twin { river { name } } }
            node(id: "AQAAAAI") { id ...Twin }
            missing: city(id: 9) { name }
            missingNode: node(id: "AQAAAAk") { id }
        }
        fragment Twin on City { river { id } twin { riverName } }
    "#;
    let expected = r#"{
        "city": {
            "river": { "name": "Inn", "cities": { "nodes": [{ "name": "Passau" }, { "name": "Innsbruck" }] } },
            "twin": { "name": "Vienna", "river": { "name": "Danube" } }
        },
        "node": { "river": { "name": "Inn", "id": "AgAAAAI" }, "id": "AQAAAAI", "twin": { "riverName": "Danube" } },
        "missing": null,
        "missingNode": null
    }"#;
    assert_eq!(atlas.data(query, expected).await, 5, "one for each object, and one for the list");
}

#[tokio::test]
async fn a_fragment_that_is_spread_twice_is_read_once() {
    let atlas = Atlas::new().await;
    let query = "
        { ...Root ... { ...Root } ...More }
        fragment Root on Query {
            rivers(first: 1) { nodes { name } }
            city(id: 2) { name }
            here: cities(after: \"x\") { totalCount }
        }
        fragment More on Query { ...Root rivers(first: 1) { nodes { id } } }
    ";
    let expected = r#"{
        "rivers": { "nodes": [{ "name": "Danube", "id": "AgAAAAE" }] },
        "city": { "name": "Passau" },
        "here": null
    }"#;
    let errors = r#"[{
        "message": "`after`: the cursor is malformed",
        "locations": [{ "line": 6, "column": 13 }],
        "path": ["here"],
        "extensions": { "code": "CURSOR_INVALID" }
    }]"#;
    let statements = atlas.response(query, plans(query), "{}", expected, errors).await;
    assert_eq!(statements, 2, "the rivers, and the city");
}

/// Below other fields than those of the query, the library merges what several plans wrote.
#[tokio::test]
async fn payloads_of_mutations_are_merged() {
    let atlas = Atlas::new().await;
    let query = "mutation {
        visit(id: 2) {
            __typename
            city { name river { name } }
            edge { node { __typename name } __typename }
            city { people river { cities { nodes { name } } into { name } } }
            edge { node { riverName on: river { id } off: river { into { id } } twin { river { name } } } }
        }
    }";
    let expected = r#"{
        "visit": {
            "__typename": "Visited",
            "city": {
                "name": "Passau",
                "river": {
                    "name": "Inn",
                    "cities": { "nodes": [{ "name": "Passau" }, { "name": "Innsbruck" }] },
                    "into": { "name": "Danube" }
                },
                "people": 53
            },
            "edge": {
                "node": {
                    "__typename": "City",
                    "name": "Passau",
                    "riverName": "Inn",
                    "on": { "id": "AgAAAAI" },
                    "off": { "into": { "id": "AgAAAAE" } },
                    "twin": { "river": { "name": "Danube" } }
                },
                "__typename": "CityEdge"
            }
        }
    }"#;
    atlas.data(query, expected).await;
}
