//! A pooler in session mode, and poolers before a primary and its replica.
#![cfg(unix)]

use bookends_server::config::Limits;
use serde_json::json;
use testdb::{PoolMode, Pooler};

use crate::support::fleet::{self, Server};
use crate::support::heard::Heard;
use crate::support::pooled::{CONNECTIONS, listening};
use crate::support::program::fails;
use crate::support::station::{self, SMALL, Station};

/// A session keeps its connection, but PgBouncer refuses the parameters of one that prepares statements.
#[tokio::test]
async fn session_mode_needs_the_settings_of_transaction_mode() {
    let mut station = Station::new(SMALL).await;
    if station.test.url.starts_with("sqlite") {
        return;
    }
    let Some(pooler) = Pooler::start(&station.test.url, PoolMode::Session, 20) else { return };
    fails(station::program(&pooler.url()).args(["migrate", "status"]), "DATABASE_STATEMENT_MODE=unprepared");
    let db = station::connect(&listening(&pooler.url(), &station.test.url)).await.unwrap();
    station.api = station::api(db, Limits::DEFAULT);
    let mut heard = Heard::of(&station.api, "subscription { readingCreated { node { value } } }").await;
    let sensor = station.data("{ sensors(first: 1) { nodes { id } } }").await["sensors"]["nodes"][0]["id"].take();
    let create =
        "mutation ($sensor: ID!) { createReading(input: { sensorId: $sensor, value: 4 }) { clientMutationId } }";
    assert!(station.execute(create, json!({ "sensor": sensor })).await["errors"].is_null());
    assert_eq!(heard.edge().await["node"]["value"], 4);
}

/// Each PostgreSQL has a pooler of its own.
#[test]
fn replicas_are_read_through_poolers() {
    const QUERIES: [&str; 2] =
        ["{ sensors(last: 1) { nodes { name } } }", "{ sensors(last: 1) { nodes { name } } readings { totalCount } }"];
    let Some(primary) = fleet::primary() else { return };
    let replica = primary.replica();
    let start = |url: &str| Pooler::start(url, PoolMode::Transaction, CONNECTIONS);
    let (Some(to_primary), Some(to_replica)) = (start(&primary.url("")), start(&replica.url(""))) else { return };
    let mut command = station::program(&to_primary.url());
    command.env("DATABASE_REPLICA_URLS", to_replica.url()).env("DATABASE_STATEMENT_MODE", "unprepared");
    let server = Server::start(command.env("MAX_REPLICA_LAG", "3600"));
    fleet::wait(|| server.ready().contains(": healthy"));
    replica.pause_replay();
    let mut client = server.client();
    let (_, position) = client.add("new").unwrap();
    let name = |data: serde_json::Value| data["sensors"]["nodes"][0]["name"].clone();
    for query in QUERIES {
        assert_ne!(name(client.query(query)), "new");
        assert_eq!(name(client.query_at(&position, query)), "new");
    }
    replica.resume_replay();
    replica.catch_up(&primary);
    for query in QUERIES {
        fleet::wait(|| name(client.query(query)) == "new");
    }
}
