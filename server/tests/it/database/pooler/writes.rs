//! Mutations and subscriptions behind a pooler.

use bookends_server::config::Limits;
use serde_json::{Value, json};

use super::behind_pooler;
use crate::support::heard::Heard;
use crate::support::pooled::{listening, unprepared};
use crate::support::station::{self, SMALL, Station};

const READ: &str =
    "mutation ($sensor: ID!, $value: Int!) { createReading(input: { sensorId: $sensor, value: $value }) {
    readingEdge { cursor node { id } }
} }";

async fn sensor(station: &Station) -> Value {
    station.data("{ sensors(first: 1) { nodes { id readings { totalCount } } } }").await["sensors"]["nodes"][0].clone()
}

/// Every character but NUL, which is refused as elsewhere.
#[tokio::test]
async fn a_name_is_stored_as_it_was_sent() {
    let Some((station, _pooler)) = behind_pooler(SMALL).await else { return };
    let letters = (1..0x300).chain(0x1f600..0x1f610).filter_map(char::from_u32);
    let letters: Vec<char> = letters.filter(|letter| !letter.is_control() && !letter.is_whitespace()).collect();
    let names = letters.chunks(100).map(String::from_iter);
    let quoted = [r"\", r"\\'", "'; DROP TABLE sensor; --", "$1 $2 '$1'", "\"$1\"", "E'\\''"].map(str::to_owned);
    for name in names.chain(quoted) {
        let add = "mutation ($name: String!) { createSensor(input: { name: $name, year: -44 }) { sensorEdge { node { id name year } } } }";
        let added = station.execute(add, json!({ "name": name })).await;
        let node = &added["data"]["createSensor"]["sensorEdge"]["node"];
        assert_eq!((&node["name"], &node["year"]), (&json!(name), &json!(-44)), "{added}");
        let find = "query ($name: String!) { sensors(where: { name: { eq: $name } }) { nodes { id } } }";
        let found = station.execute(find, json!({ "name": name })).await;
        assert_eq!(found["data"]["sensors"]["nodes"][0]["id"], node["id"], "{found}");
    }
    let refused = station.code(r#"{ sensors(where: { name: { eq: "a\u0000b" } }) { totalCount } }"#).await;
    assert_eq!(refused, "BAD_USER_INPUT");
}

#[tokio::test]
async fn a_refused_write_changes_nothing() {
    let Some((station, _pooler)) = behind_pooler(SMALL).await else { return };
    let before = sensor(&station).await;
    let delete = "mutation ($sensor: ID!) { deleteSensor(input: { id: $sensor }) { deletedId } }";
    let refused = station.execute(delete, json!({ "sensor": before["id"] })).await;
    assert_eq!(refused["errors"][0]["extensions"]["code"], "IN_USE", "{refused}");
    assert_eq!(sensor(&station).await, before);
}

#[tokio::test]
async fn subscribers_listen_past_the_pooler() {
    let Some((station, pooler)) = behind_pooler(SMALL).await else { return };
    let sensor = sensor(&station).await;
    let (without, with) = (unprepared(&pooler.url()), listening(&pooler.url(), &station.test.url));
    let [without, with] = [station::connect(&without).await.unwrap(), station::connect(&with).await.unwrap()]
        .map(|db| station::api(db, Limits::DEFAULT));
    let subscription = "subscription { readingCreated { node { value } } }";
    assert_eq!(Heard::soon(&without, subscription).code().await, "SUBSCRIPTIONS_DISABLED");
    let mut heard = Heard::of(&with, subscription).await;
    // A server that does not listen announces all the same.
    let created = station.execute(READ, json!({ "sensor": sensor["id"], "value": 4 })).await;
    assert_eq!(created["errors"], Value::Null, "{created}");
    assert_eq!(heard.edge().await["node"]["value"], 4);
}
