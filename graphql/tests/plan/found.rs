//! What something else has found: pages, edges and lists of declared objects, by their keys.

use keyset::{Key, Order};

use crate::atlas::{Atlas, is_resolved, plans};
use crate::tables::city;

/// The cursor of a city in the order of the primary key.
fn cursor(id: i32) -> String {
    let order = Order::of::<city::Entity>([]).unwrap();
    order.seal(&Key::new(&order, vec![id.into()]).unwrap()).unwrap().into()
}

#[tokio::test]
async fn a_found_page_is_read_by_one_statement_in_its_own_order() {
    let query = r#"{ search(ids: [5, 1, 9, 3], cursor: "at ", total: 70) {
        __typename
        edges { __typename cursor node { name river { name } } }
        nodes { people mayorless: weather }
        pageInfo { startCursor endCursor hasPreviousPage hasNextPage }
        totalCount
        approximateCount { value relation }
    } }"#;
    let data = r#"{ "search": {
        "__typename": "CityConnection",
        "edges": [
            { "__typename": "CityEdge", "cursor": "at 5", "node": { "name": "Innsbruck", "river": { "name": "Inn" } } },
            { "__typename": "CityEdge", "cursor": "at 1", "node": { "name": "Vienna", "river": { "name": "Danube" } } },
            { "__typename": "CityEdge", "cursor": "at 3", "node": { "name": "Budapest", "river": { "name": "Danube" } } }
        ],
        "nodes": [
            { "people": 131, "mayorless": "9 C" }, { "people": 2006, "mayorless": "6 C" }, { "people": 1686, "mayorless": "8 C" }
        ],
        "pageInfo": { "startCursor": "at 5", "endCursor": "at 3", "hasPreviousPage": true, "hasNextPage": false },
        "totalCount": 70,
        "approximateCount": { "value": 70, "relation": "EXACT" }
    } }"#;
    assert_eq!(Atlas::new().await.data(query, data).await, 1);
}

#[tokio::test]
async fn a_found_page_stands_beside_declared_fields_and_has_lists_below() {
    let atlas = Atlas::new().await;
    let query = "query ($ids: [Int!]!, $a: Boolean!) {
        rivers(first: 1) { nodes { name } }
        search(ids: $ids) { nodes @include(if: $a) { river { cities(first: 1) { nodes { name } totalCount } } } pageInfo { endCursor } }
        city(id: 1) { name }
    }";
    let plans = plans(query);
    let (one, two) = (cursor(1), cursor(2));
    let cases = [
        (
            r#"{ "ids": [2, 1], "a": true }"#,
            format!(
                r#""nodes": [
                    {{ "river": {{ "cities": {{ "nodes": [{{ "name": "Passau" }}], "totalCount": 2 }} }} }},
                    {{ "river": {{ "cities": {{ "nodes": [{{ "name": "Vienna" }}], "totalCount": 2 }} }} }}
                ], "pageInfo": {{ "endCursor": "{one}" }}"#
            ),
        ),
        // Which rows there are does not depend on what is selected of them.
        (r#"{ "ids": [1, 2, 8], "a": false }"#, format!(r#""pageInfo": {{ "endCursor": "{two}" }}"#)),
        (r#"{ "ids": [], "a": false }"#, r#""pageInfo": { "endCursor": null }"#.to_owned()),
    ];
    for (variables, search) in cases {
        let data = format!(
            r#"{{ "rivers": {{ "nodes": [{{ "name": "Danube" }}] }}, "search": {{ {search} }}, "city": {{ "name": "Vienna" }} }}"#
        );
        atlas.with(&plans, query, variables, &data).await;
    }
    assert!(is_resolved(&plans));
}

#[tokio::test]
async fn an_object_can_stand_at_several_places_of_a_found_page() {
    let query = "{ search(ids: [2, 2]) { edges { cursor node { name } } } citiesOf(ids: [3, 1, 7, 3]) { name } }";
    let two = cursor(2);
    let data = format!(
        r#"{{
            "search": {{ "edges": [
                {{ "cursor": "{two}", "node": {{ "name": "Passau" }} }}, {{ "cursor": "{two}", "node": {{ "name": "Passau" }} }}
            ] }},
            "citiesOf": [{{ "name": "Budapest" }}, {{ "name": "Vienna" }}, {{ "name": "Budapest" }}]
        }}"#
    );
    assert_eq!(Atlas::new().await.data(query, &data).await, 2);
}

#[tokio::test]
async fn a_found_edge_is_null_if_its_object_is_gone() {
    let query = r#"{
        edgeOf(id: 2, cursor: "x") { __typename cursor node { name } }
        here: edgeOf(id: 2) { cursor }
        gone: edgeOf(id: 8) { cursor node { name } }
    }"#;
    let data = format!(
        r#"{{
            "edgeOf": {{ "__typename": "CityEdge", "cursor": "x", "node": {{ "name": "Passau" }} }},
            "here": {{ "cursor": "{}" }},
            "gone": null
        }}"#,
        cursor(2)
    );
    Atlas::new().await.data(query, &data).await;
}

#[tokio::test]
async fn what_a_found_page_does_not_know_is_an_error() {
    for (field, what) in [
        ("totalCount", "the number of its objects"),
        ("approximateCount { value }", "the number of its objects"),
        ("pageCursors { first { page } }", "the cursors of other pages"),
    ] {
        let query = format!("{{ search(ids: [1]) {{ nodes {{ name }} {field} }} }}");
        let name = field.split(' ').next().unwrap();
        let errors = format!(
            r#"[{{
                "message": "this list does not tell {what}",
                "locations": [{{ "line": 1, "column": 37 }}],
                "path": ["search", "{name}"],
                "extensions": {{ "code": "BAD_USER_INPUT" }}
            }}]"#
        );
        Atlas::new().await.response(&query, plans(&query), "{}", r#"{ "search": null }"#, &errors).await;
    }
}

#[tokio::test]
async fn an_error_below_a_found_page_has_its_place() {
    let query = "{ search(ids: [1, 6]) { edges { node { river { name } } } } }";
    let errors = r#"[{
        "message": "a row refers to a river that does not exist",
        "locations": [{ "line": 1, "column": 40 }],
        "path": ["search", "edges", 1, "node", "river"],
        "extensions": { "code": "INTERNAL" }
    }]"#;
    Atlas::new().await.response(query, plans(query), "{}", r#"{ "search": null }"#, errors).await;
}
