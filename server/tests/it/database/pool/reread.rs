//! A response whose connection is lost between its statements: it is read once more, as a whole.

use std::pin::pin;

use async_graphql::futures_util::future::{Either, select};
use bookends_server::config::Limits;
use sea_orm::sqlx::ConnectOptions;
use serde_json::json;
use testdb::TestDb;

use super::postgres;
use super::proxy::Proxy;
use crate::support::station::{self, SMALL, Station, settings};

/// Two statements each. A plan executes the first one, once its document is known; the schema executes the others, and
/// reads once what a fragment selects twice.
const QUERIES: [&str; 3] = [
    "query($id: ID!) {
        sensors(where: { id: { eq: $id } }) {
            totalCount nodes { name readings(last: 2) { nodes { id } pageInfo { endCursor } } }
        }
    }",
    "query($id: ID!) { sensor(id: $id) { name readings(last: 2) { totalCount nodes { id } pageInfo { endCursor } } } }",
    "query($id: ID!) { ...Sensor ... { ...Sensor } __typename }
        fragment Sensor on Query { sensor(id: $id) { name readings(last: 2) { totalCount nodes { id } } } }",
];

#[tokio::test]
async fn j1_a_response_that_loses_its_connection_is_read_again_as_a_whole() {
    let station = Station::new(SMALL).await;
    if station.test.url.starts_with("sqlite") {
        return;
    }
    let proxy = Proxy::new(postgres(&station.test.url)).await;
    let db = station::connect(&settings(proxy.options.to_url_lossy().as_str())).await.unwrap();
    let [sensor, ..] = station.first_of_each().await;
    // Its own database is not used.
    let cut = Station::over(db, Limits::DEFAULT, TestDb::new().await);
    for (query, names) in QUERIES.into_iter().zip([["a", "b"], ["c", "d"], ["e", "f"]]) {
        // Its document is new, then known.
        for name in names {
            let write = format!(
                "mutation {{ updateSensor(input: {{ id: {sensor:?}, name: {name:?} }}) {{ clientMutationId }}
                createReading(input: {{ sensorId: {sensor:?}, value: 5 }}) {{ clientMutationId }} }}"
            );
            let before = station.body(query, json!({ "id": sensor })).await;
            cut.statements.take();
            let held = pin!(proxy.cut_after(1));
            let body = pin!(cut.body(query, json!({ "id": sensor })));
            let Either::Right((Ok(connection), body)) = select(body, held).await else {
                panic!("expected a second statement: {query}")
            };
            station.data(&write).await;
            drop(connection);
            let body = body.await;
            // The first statement of the first attempt saw the former name.
            let after = station.body(query, json!({ "id": sensor })).await;
            assert_ne!(after, before);
            assert_eq!(body, after, "{query}");
            assert_eq!(cut.statements.take().len(), 2 + 2, "{query}");
        }
    }
}
