//! Payloads of mutations: they are read in the transaction of the write, before its commit.

use sea_orm::ConnectionTrait;
use serde_json::{Value, json};

use crate::support::station::{SMALL, Station};

/// Adds a reading of a sensor, and selects lists in the payload.
fn read(sensor: &str, lists: &str) -> String {
    format!(
        "mutation {{ createReading(input: {{ sensorId: {sensor:?}, value: 5 }}) {{
            readingEdge {{ node {{ id sensor {{ counted: readings(first: 0) {{ totalCount }} {lists} }} }} }}
        }} }}"
    )
}

#[tokio::test]
async fn j2_a_payload_shows_its_own_commit_in_all_of_its_parts() {
    let station = Station::new(SMALL).await;
    let [sensor, ..] = station.first_of_each().await;
    let counted = "counted: readings(first: 0) { totalCount }";
    let lists = format!("readings(last: 1) {{ totalCount nodes {{ id sensor {{ {counted} }} }} }}");
    let before = station.data("{ sensors(first: 1) { nodes { readings { totalCount } } } }").await;
    let before = before["sensors"]["nodes"][0]["readings"]["totalCount"].as_u64().unwrap();
    for added in 1..=3 {
        let answer = station.execute(&read(&sensor, &lists), Value::Null).await;
        assert_eq!(answer["errors"], Value::Null, "{answer}");
        let created = &answer["data"]["createReading"]["readingEdge"]["node"];
        let listed = &created["sensor"]["readings"];
        assert_eq!(listed["nodes"][0]["id"], created["id"], "{answer}");
        for count in [
            &created["sensor"]["counted"]["totalCount"],
            &listed["totalCount"],
            &listed["nodes"][0]["sensor"]["counted"]["totalCount"],
        ] {
            assert_eq!(count, before + added, "{answer}");
        }
    }
}

#[tokio::test]
async fn j2_a_write_whose_payload_cannot_be_read_has_not_happened() {
    let station = Station::new(SMALL).await;
    let [sensor, ..] = station.first_of_each().await;
    let before = station.count("readings").await;
    station.db.writer.execute_unprepared("ALTER TABLE repair RENAME TO hidden").await.unwrap();
    let answer = station.execute(&read(&sensor, "repairs { nodes { id } }"), Value::Null).await;
    assert_eq!(answer["data"], json!({ "createReading": null }), "{answer}");
    assert_eq!(answer["errors"].as_array().unwrap().len(), 1, "{answer}");
    assert_eq!(answer["errors"][0]["extensions"]["code"], "SCHEMA_CHANGED", "{answer}");
    assert_eq!(station.count("readings").await, before);
    // The connection is as good as before.
    assert_eq!(station.execute(&read(&sensor, ""), Value::Null).await["errors"], Value::Null);
}

#[tokio::test]
async fn j2_a_wrong_argument_in_a_payload_makes_a_list_null_and_stops_no_write() {
    let station = Station::new(SMALL).await;
    let [sensor, ..] = station.first_of_each().await;
    let before = station.count("readings").await;
    let answer = station.execute(&read(&sensor, "repairs(after: \"?\") { nodes { id } }"), Value::Null).await;
    assert_eq!(answer["data"]["createReading"]["readingEdge"]["node"]["sensor"]["repairs"], Value::Null, "{answer}");
    assert_eq!(
        answer["errors"][0]["path"],
        json!(["createReading", "readingEdge", "node", "sensor", "repairs"]),
        "{answer}"
    );
    assert_eq!(answer["errors"][0]["extensions"]["code"], "CURSOR_INVALID", "{answer}");
    assert_eq!(station.count("readings").await.as_u64(), before.as_u64().map(|before| before + 1));
}
