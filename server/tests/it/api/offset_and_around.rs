//! Pages after an offset and around an object: their errors, and their work.

use crate::support::station::{Plan, SMALL, Station};
use bookends_server::config::Limits;
use serde_json::{Value, json};

/// The id of the first object of this list.
async fn first_id(station: &Station, list: &str) -> String {
    let data = station.data(&format!("{{ {list}(first: 1) {{ nodes {{ id }} }} }}")).await;
    data[list]["nodes"][0]["id"].as_str().unwrap().to_owned()
}

#[track_caller]
fn check_refused(answer: &Value, code: &str, text: &str) {
    let error = &answer["errors"][0];
    assert_eq!(error["extensions"]["code"], code, "{answer}");
    assert!(error["message"].as_str().unwrap().contains(text), "{answer}");
}

#[tokio::test]
async fn d2_arguments_that_contradict_each_other_are_refused_before_anything_is_read() {
    let station = Station::new(SMALL).await;
    let (reading, sensor) = (first_id(&station, "readings").await, first_id(&station, "sensors").await);
    let end = station.data("{ readings(first: 1) { pageInfo { endCursor } } }").await;
    let cursor = end["readings"]["pageInfo"]["endCursor"].as_str().unwrap();
    station.statements.take();
    for (args, code, text) in [
        ("offset: -1".to_owned(), "PAGE_INVALID", "`offset` must be 0 to 1000000, not -1"),
        ("offset: 1000001".to_owned(), "PAGE_INVALID", "continue after a cursor"),
        (format!("offset: 1, after: \"{cursor}\""), "PAGE_INVALID", "not allowed with `after`"),
        (format!("offset: 0, last: 1, before: \"{cursor}\""), "PAGE_INVALID", "not allowed with `before`"),
        (format!("around: \"{reading}\", after: \"{cursor}\""), "PAGE_INVALID", "`after` is not allowed"),
        (format!("around: \"{reading}\", before: \"{cursor}\""), "PAGE_INVALID", "`before` is not allowed"),
        (format!("around: \"{reading}\", last: 1"), "PAGE_INVALID", "`last` is not allowed"),
        (format!("around: \"{reading}\", offset: 0"), "PAGE_INVALID", "`offset` is not allowed"),
        (format!("around: \"{reading}\", first: 0"), "PAGE_INVALID", "at least 1"),
        (format!("around: \"{reading}\", first: 101"), "PAGE_INVALID", "0 to 100"),
        (format!("around: \"{sensor}\""), "ID_INVALID", "expected an id of `Reading`"),
        ("around: \"\"".to_owned(), "ID_INVALID", "malformed"),
    ] {
        let answer = station.execute(&format!("{{ readings({args}) {{ nodes {{ id }} }} }}"), Value::Null).await;
        check_refused(&answer, code, text);
        assert_eq!(answer["data"], json!({ "readings": null }), "{args}");
        assert_eq!(station.statements.take().len(), 0, "{args}");
    }
    let empty = station
        .data(&format!("{{ readings(around: \"{reading}\", after: \"\", first: 1) {{ nodes {{ id }} }} }}"))
        .await;
    assert_eq!(empty["readings"]["nodes"][0]["id"], reading);
}

#[tokio::test]
async fn an_object_that_the_list_lacks_is_not_found() {
    let station = Station::new(SMALL).await;
    let around = |list: &str, id: &str| {
        format!("{{ {list}, around: \"{id}\") {{ nodes {{ id }} pageCursors {{ first {{ page }} }} }} }}")
    };
    let reading = first_id(&station, "readings").await;
    let filtered = around("readings(first: 3, where: { value: { in: [] } }", &reading);
    check_refused(&station.execute(&filtered, Value::Null).await, "NOT_FOUND", "`around`");
    // Whatever is selected.
    for selected in ["totalCount", "__typename", "pageInfo { endCursor }"] {
        let query = format!("{{ readings(where: {{ value: {{ in: [] }} }}, around: \"{reading}\") {{ {selected} }} }}");
        check_refused(&station.execute(&query, Value::Null).await, "NOT_FOUND", "`around`");
    }
    station.data(&format!("mutation {{ deleteReading(input: {{ id: \"{reading}\" }}) {{ deletedId }} }}")).await;
    check_refused(&station.execute(&around("readings(first: 3", &reading), Value::Null).await, "NOT_FOUND", "`around`");
}

#[tokio::test]
async fn of_many_parents_only_the_one_of_the_object_has_a_page() {
    let station = Station::new(SMALL).await;
    let data = station.data("{ readings(first: 1) { nodes { id sensor { id } } } }").await;
    let (reading, sensor) = (&data["readings"]["nodes"][0]["id"], &data["readings"]["nodes"][0]["sensor"]["id"]);
    let answer = station
        .execute(
            &format!(
                "{{ sensors(first: 50) {{ nodes {{ id readings(first: 3, around: {reading}) {{ nodes {{ id }} }} }} }} }}"
            ),
            Value::Null,
        )
        .await;
    let sensors = answer["data"]["sensors"]["nodes"].as_array().unwrap();
    for found in sensors {
        let page = &found["readings"]["nodes"];
        let has = page.as_array().is_some_and(|page| page.iter().any(|node| node["id"] == *reading));
        assert!(if found["id"] == *sensor { has } else { page.is_null() }, "{answer}");
    }
    assert_eq!(answer["errors"].as_array().unwrap().len(), sensors.len() - 1);
}

#[tokio::test]
async fn i1_an_offset_takes_one_statement_more_and_an_object_none() {
    let station = Station::new(SMALL).await;
    let reading = first_id(&station, "readings").await;
    for (query, statements) in [
        ("readings(first: 5, offset: 7) { nodes { id sensor { name } } }".to_owned(), 2),
        ("readings(last: 5, offset: 7, orderBy: { field: VALUE }) { nodes { id } }".to_owned(), 2),
        (format!("readings(first: 5, around: \"{reading}\") {{ nodes {{ id sensor {{ name }} }} }}"), 1),
        ("readings(first: 5, offset: 0) { nodes { id } }".to_owned(), 1),
        ("sensors(first: 9) { nodes { readings(first: 2, offset: 1) { nodes { id } } } }".to_owned(), 3),
        ("readings(first: 2) { pageCursors { around { cursor } } }".to_owned(), 2),
        ("readings(first: 2) { pageCursors { around { page } } }".to_owned(), 2),
        ("readings(first: 2) { pageCursors { last { page } } }".to_owned(), 3),
        ("readings(last: 2) { pageCursors { around { page } } }".to_owned(), 3),
    ] {
        station.statements.take();
        station.data(&format!("{{ {query} }}")).await;
        assert_eq!(station.statements.take().len(), statements, "{query}");
    }
}

#[tokio::test]
async fn a_list_has_the_cap_that_the_server_is_given() {
    let limits = Limits { max_offset: 3, ..Limits::DEFAULT };
    let station = Station::within(Plan { sensors: 2, readings: 40, repairs: 0 }, limits).await;
    station.data("{ readings(offset: 3) { nodes { id } } }").await;
    check_refused(
        &station.execute("{ readings(offset: 4) { nodes { id } } }", Value::Null).await,
        "PAGE_INVALID",
        "`offset` must be 0 to 3,",
    );
    let numbers = "pageCursors { around { page isCurrent } last { page } }";
    let near = station.data(&format!("{{ readings(first: 1, offset: 3) {{ {numbers} }} }}")).await;
    assert_eq!(near["readings"]["pageCursors"]["around"][2], json!({ "page": 4, "isCurrent": true }));
    assert_eq!(near["readings"]["pageCursors"]["last"]["page"], Value::Null);
}
