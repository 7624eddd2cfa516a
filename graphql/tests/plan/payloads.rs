//! Payloads and events: planned once, and not parsed where they are written as they are.

use async_graphql::Value;

use bookends_graphql::Plans;

use crate::atlas::{Atlas, plans};

/// The number of plans that this makes.
async fn planned<T>(plans: &Plans, run: impl Future<Output = T>) -> (usize, T) {
    let before = plans.made();
    let result = run.await;
    (plans.made() - before, result)
}

/// The field of an object.
fn field<'a>(value: &'a Value, name: &str) -> &'a Value {
    if let Value::Object(fields) = value { &fields[name] } else { panic!("{value}") }
}

#[tokio::test]
async fn a_repeated_mutation_is_planned_once() {
    let (atlas, query) =
        (Atlas::new().await, "mutation { visit(id: 2) { town: city { name } edge { node { people } } } }");
    let plans = plans(query);
    let (first, _) = planned(&plans, atlas.first(&plans, query, "{}")).await;
    let (second, (data, text)) = planned(&plans, atlas.first(&plans, query, "{}")).await;
    assert!(first > 0 && second == 0, "{first} and {second}");
    assert_eq!(text, r#"{"visit":{"town":{"name":"Passau"},"edge":{"node":{"people":53}}}}"#);
    let visit = field(&data, "visit");
    assert!(["town", "edge"].iter().all(|name| matches!(field(visit, name), Value::Binary(_))), "{data:?}");
}

#[tokio::test]
async fn what_is_merged_is_parsed() {
    let atlas = Atlas::new().await;
    let query = "mutation { visit(id: 2) { city { name } ...More } } fragment More on Visited { city { people } }";
    let plans = plans(query);
    for _ in 0..2 {
        let (data, text) = atlas.first(&plans, query, "{}").await;
        assert_eq!(text, r#"{"visit":{"city":{"name":"Passau","people":53}}}"#);
        assert!(matches!(field(field(&data, "visit"), "city"), Value::Object(_)), "{data:?}");
    }
}

#[tokio::test]
async fn what_a_directive_excludes_is_planned_for_the_next_request() {
    let atlas = Atlas::new().await;
    let query = "mutation ($a: Boolean!) { visit(id: 2) { city { name @skip(if: $a) people @include(if: $a) } } }";
    let plans = plans(query);
    for (variables, data) in [
        (r#"{ "a": true }"#, r#"{ "visit": { "city": { "people": 53 } } }"#),
        (r#"{ "a": false }"#, r#"{ "visit": { "city": { "name": "Passau" } } }"#),
    ] {
        atlas.with(&plans, query, variables, data).await;
    }
}

#[tokio::test]
async fn events_for_many_subscribers_are_planned_once() {
    let atlas = Atlas::new().await;
    let query =
        "subscription ($id: Int!) { visited(id: $id) { node { name river { cities(first: 1) { totalCount } } } } }";
    let plans = plans(query);
    let (first, _) = planned(&plans, atlas.first(&plans, query, r#"{ "id": 1 }"#)).await;
    let (second, (data, text)) = planned(&plans, atlas.first(&plans, query, r#"{ "id": 3 }"#)).await;
    assert!(first > 0 && second == 0, "{first} and {second}");
    assert_eq!(text, r#"{"visited":{"node":{"name":"Budapest","river":{"cities":{"totalCount":2}}}}}"#);
    assert!(matches!(field(&data, "visited"), Value::Binary(_)), "{data:?}");
}
