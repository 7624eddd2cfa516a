//! Fields of objects that code resolves: one call for all rows that are read together.

use async_graphql::futures_util::FutureExt as _;

use crate::atlas::{Atlas, plans};

/// Checks the response, and what the service was asked for it. Returns the number of statements.
async fn check(query: &str, data: &str, asked: &[&str]) -> usize {
    let atlas = Atlas::new().await;
    let statements = atlas.data(query, data).await;
    // By async-graphql alone, and by a server.
    assert_eq!(atlas.service.asked(), [asked, asked].concat(), "{query}");
    statements
}

async fn fails(query: &str, data: &str, errors: &[String]) {
    let errors = format!("[{}]", errors.join(","));
    Atlas::new().await.response(query, plans(query), "{}", data, &errors).await;
}

fn error(message: &str, column: usize, path: &str, code: &str) -> String {
    format!(
        r#"{{
            "message": "{message}",
            "locations": [{{ "line": 1, "column": {column} }}],
            "path": {path},
            "extensions": {{ "code": "{code}" }}
        }}"#
    )
}

#[tokio::test]
async fn one_call_has_all_rows_of_a_page() {
    let query = "{ cities(first: 3, where: { key: { ne: 2 } }) { nodes { name weather } } }";
    let data = r#"{ "cities": { "nodes": [
        { "name": "Vienna", "weather": "6 C" },
        { "name": "Budapest", "weather": "8 C" },
        { "name": "Dresden", "weather": "7 C" }
    ] } }"#;
    assert_eq!(check(query, data, &["weather Vienna, Budapest, Dresden"]).await, 1);
}

#[tokio::test]
async fn one_call_has_the_pages_of_all_parents() {
    let query = "{ rivers { nodes { cities(first: 1) { nodes { mayor } } } } }";
    let data = r#"{ "rivers": { "nodes": [
        { "cities": { "nodes": [{ "mayor": "M. Vienna" }] } },
        { "cities": { "nodes": [{ "mayor": "M. Passau" }] } },
        { "cities": { "nodes": [{ "mayor": "M. Dresden" }] } }
    ] } }"#;
    assert_eq!(check(query, data, &["mayor Vienna, Passau, Dresden"]).await, 2);
}

#[tokio::test]
async fn a_row_at_several_places_is_resolved_once() {
    let query = "{ cities(first: 4) { nodes { river { rank } } } city(id: 3) { river { into { rank } rank } } }";
    let data = r#"{
        "cities": { "nodes": [
            { "river": { "rank": 1 } }, { "river": { "rank": 3 } }, { "river": { "rank": 1 } }, { "river": { "rank": 2 } }
        ] },
        "city": { "river": { "into": null, "rank": 1 } }
    }"#;
    assert_eq!(check(query, data, &["rank Danube, Inn, Elbe", "rank Danube"]).await, 4);
}

#[tokio::test]
async fn what_is_not_selected_is_not_resolved() {
    let atlas = Atlas::new().await;
    let query = "query ($a: Boolean!) { city(id: 1) { name weather @include(if: $a) next @skip(if: $a) { name } } }";
    let plans = plans(query);
    for (variables, data, asked) in [
        (r#"{ "a": true }"#, r#"{ "city": { "name": "Vienna", "weather": "6 C" } }"#, "weather Vienna"),
        (r#"{ "a": false }"#, r#"{ "city": { "name": "Vienna", "next": { "name": "Passau" } } }"#, "next Vienna"),
    ] {
        atlas.with(&plans, query, variables, data).await;
        assert_eq!(atlas.service.asked(), [asked, asked]);
    }
    check(
        "{ cities(first: 0) { nodes { weather } } city(id: 9) { weather } }",
        r#"{ "cities": { "nodes": [] }, "city": null }"#,
        &[],
    )
    .await;
}

#[tokio::test]
async fn arguments_are_those_of_each_place() {
    let query = r#"query ($unit: String = "K") { city(id: 1) { weather here: weather(unit: $unit) there: weather(unit: "F") } }"#;
    let data = r#"{ "city": { "weather": "6 C", "here": "6 K", "there": "6 F" } }"#;
    check(query, data, &["weather Vienna"; 3]).await;
}

/// Each waits for the other.
#[tokio::test]
async fn resolvers_of_the_same_rows_run_at_the_same_time() {
    check("{ city(id: 1) { one other } }", r#"{ "city": { "one": true, "other": true } }"#, &[]).await;
}

#[tokio::test]
async fn the_error_of_a_row_is_that_of_its_field() {
    let query = "{ cities(last: 2, before: null, where: { key: { lte: 2 } }) { nodes { weather } } }";
    let data = r#"{ "cities": { "nodes": [{ "weather": "6 C" }, { "weather": null }] } }"#;
    let unknown = "the weather of Passau is unknown";
    fails(query, data, &[error(unknown, 71, r#"["cities", "nodes", 1, "weather"]"#, "UNKNOWN")]).await;
}

#[tokio::test]
async fn a_field_that_cannot_be_null_fails_what_is_around_it() {
    let query = "{ city(id: 5) { mayor } rivers(first: 2) { nodes { cities { nodes { mayor } } } } }";
    let data = r#"{ "city": null, "rivers": { "nodes": [
        { "cities": { "nodes": [{ "mayor": "M. Vienna" }, { "mayor": "M. Budapest" }] } },
        { "cities": null }
    ] } }"#;
    let unknown = "the mayor of Innsbruck is unknown";
    let path = r#"["rivers", "nodes", 1, "cities", "nodes", 1, "mayor"]"#;
    let errors = [error(unknown, 17, r#"["city", "mayor"]"#, "UNKNOWN"), error(unknown, 69, path, "UNKNOWN")];
    fails(query, data, &errors).await;
}

#[tokio::test]
async fn a_call_that_fails_is_the_error_of_each_row() {
    let query = "{ cities(first: 2) { nodes { late } } }";
    let at =
        |row| error("the time of all is unknown", 30, &format!(r#"["cities", "nodes", {row}, "late"]"#), "UNKNOWN");
    let data = r#"{ "cities": { "nodes": [{ "late": null }, { "late": null }] } }"#;
    fails(query, data, &[at(0), at(1)]).await;
}

#[tokio::test]
async fn a_value_for_each_row_is_required() {
    let errors = [error("internal error", 17, r#"["city", "lost"]"#, "INTERNAL")];
    fails("{ city(id: 1) { lost } }", r#"{ "city": { "lost": null } }"#, &errors).await;
}

#[tokio::test]
async fn objects_are_read_by_one_statement() {
    let query =
        "{ cities(first: 5, where: { key: { ne: 4 } }) { nodes { next { name river { name } next { name } } } } }";
    let data = r#"{ "cities": { "nodes": [
        { "next": { "name": "Passau", "river": { "name": "Inn" }, "next": { "name": "Budapest" } } },
        { "next": { "name": "Budapest", "river": { "name": "Danube" }, "next": null } },
        { "next": null },
        { "next": null },
        { "next": null }
    ] } }"#;
    let asked = ["next Vienna, Passau, Budapest, Innsbruck, Atlantis", "next Passau, Budapest"];
    assert_eq!(check(query, data, &asked).await, 3);

    let unknown = "the next city of Dresden is unknown";
    let errors = [error(unknown, 17, r#"["city", "next"]"#, "UNKNOWN")];
    fails("{ city(id: 4) { next { name } } }", r#"{ "city": { "next": null } }"#, &errors).await;
}

#[tokio::test]
async fn payloads_and_events_have_resolved_fields() {
    let query = "mutation { visit(id: 3) { city { weather next { name } } edge { node { mayor } } } }";
    let data = r#"{ "visit": {
        "city": { "weather": "8 C", "next": null }, "edge": { "node": { "mayor": "M. Budapest" } }
    } }"#;
    check(query, data, &["weather Budapest", "next Budapest", "mayor Budapest"]).await;

    let atlas = Atlas::new().await;
    atlas
        .event(
            "subscription { visited(id: 1) { node { weather } } }",
            r#"{ "visited": { "node": { "weather": "6 C" } } }"#,
            "[]",
        )
        .await;
    assert_eq!(atlas.service.asked(), ["weather Vienna"]);
}

#[tokio::test]
async fn a_call_ends_with_its_request() {
    let atlas = Atlas::new().await;
    let mut response = Box::pin(atlas.data("{ city(id: 1) { endless } }", "null"));
    while atlas.service.asked().is_empty() {
        assert!(response.as_mut().now_or_never().is_none());
        tokio::task::yield_now().await;
    }
    drop(response);
    assert_eq!(atlas.service.asked(), ["ended "]);
}

#[tokio::test]
async fn what_a_resolver_costs_is_declared() {
    use bookends_graphql::Cost;

    let costs = crate::tables::declaration().costs();
    let cost = |name: &str| costs.iter().find(|it| it.on == "City" && it.field == name).map(|it| it.cost.clone());
    assert!(matches!(cost("mayor"), Some(Cost::Statement)));
    assert!(matches!(cost("weather"), Some(Cost::Statements(3))));
}
