//! What we rely on async-graphql for, and errors of the database.

use sea_orm::ConnectionTrait;
use serde_json::{Value, json};

use crate::support::log::Log;
use crate::support::station::{self, SMALL, Station};

/// 7.1 to 7.2.1 of async-graphql return the keys in the order in which the resolvers complete.
#[tokio::test]
async fn keys_come_in_the_order_of_the_selection() {
    let station = Station::new(SMALL).await;
    let query = "{ slow: readings(first: 9) { nodes { sensor { name } } } __typename b: node(id: \"x\") { id } }";
    let text = serde_json::to_string(&station.api.execute(query).await.data).unwrap();
    let place = |key: &str| text.find(key).unwrap();
    assert!(place("\"slow\"") < place("\"__typename\"") && place("\"__typename\"") < place("\"b\""), "{text}");
}

/// The same versions drop a failed non-null key where the null must propagate, to the list that can be null and no
/// further.
#[tokio::test]
async fn a_failed_non_null_field_makes_its_list_null_and_no_other() {
    let station = Station::new(SMALL).await;
    station.db.writer.execute_unprepared("ALTER TABLE sensor RENAME TO hidden").await.unwrap();
    // On PostgreSQL, a failed statement ends the snapshot: what follows fails too.
    let query = "{ repairs(first: 0) { nodes { id } } readings(first: 1) { nodes { id sensor { name } } } }";
    let answer = station.execute(query, Value::Null).await;
    assert_eq!(answer["data"], json!({ "readings": null, "repairs": { "nodes": [] } }), "{answer}");
    assert_eq!(answer["errors"].as_array().unwrap().len(), 1);

    let query = format!("{{ node(id: {:?}) {{ id }} }}", station::unknown("Sensor"));
    let answer = station.execute(&query, Value::Null).await;
    assert_eq!(answer["data"], json!({ "node": null }), "a nullable field is null beside its error: {answer}");
    assert_eq!(answer["errors"].as_array().unwrap().len(), 1);
}

/// The client reads a fixed text and an id, under which the log has the database's own words.
#[tokio::test]
async fn internal_errors_are_logged() {
    let log = Log::default();
    let _guard = log.capture();

    let station = Station::new(SMALL).await;
    station.db.writer.execute_unprepared("ALTER TABLE reading RENAME TO hidden").await.unwrap();
    // It fails only when a row is read.
    let is_sqlite = station.db.writer.get_database_backend() == sea_orm::DbBackend::Sqlite;
    let fails = if is_sqlite { "json('{' || value)" } else { "('{' || value)::json" };
    let view = format!("CREATE VIEW reading AS SELECT * FROM hidden WHERE {fails} IS NULL");
    station.db.writer.execute_unprepared(&view).await.unwrap();
    let answer = station.execute("{ readings { nodes { id } pageInfo { hasNextPage } } }", Value::Null).await;
    let error = &answer["errors"][0];
    assert_eq!((&error["message"], &error["extensions"]["code"]), (&json!("internal error"), &json!("INTERNAL")));
    let is_of_database = |text: &str| text.contains("malformed JSON") || text.contains("invalid input syntax");
    assert!(!is_of_database(&answer.to_string()), "{answer}");
    let text = log.text();
    let id = error["extensions"]["errorId"].as_str().unwrap();
    let lines: Vec<&str> = text.lines().filter(|line| line.contains("ERROR")).collect();
    assert!(lines.len() == 1 && lines[0].contains(id) && is_of_database(lines[0]), "once, and all of it: {text}");
}
