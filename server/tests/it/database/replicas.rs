//! Queries that read from replicas.
#![cfg(unix)]

use std::thread;

use serde_json::{Value, json};

use crate::support::fleet::{self, Server, at, load::Load, with_replicas};
use crate::support::wire::authorized;

mod consistent;
mod cursors;
mod lag;
mod lost;
mod primary;
mod refused;

/// A lag that no test reaches.
const ANY_LAG: (&str, &str) = ("MAX_REPLICA_LAG", "3600");

const COUNT: &str = "{ sensors { totalCount } }";

#[test]
fn queries_read_from_a_replica_and_payloads_from_the_primary() {
    let Some(primary) = fleet::primary() else { return };
    let replica = primary.replica();
    let mut command = with_replicas(&primary.url(""), &[&replica]);
    let server = Server::with_healthy(command.env(ANY_LAG.0, ANY_LAG.1), &[&replica]);
    // From here on, what a response has tells where it was read.
    replica.pause_replay();
    let mut client = server.client();
    let sensor = client.query("{ sensors(first: 1) { nodes { id } } }")["sensors"]["nodes"][0]["id"].clone();
    let readings = "readingEdge { node { sensor { readings(last: 1) { totalCount nodes { value } } } } }";
    let query = format!("{{ node(id: {sensor}) {{ ... on Sensor {{ readings(first: 0) {{ totalCount }} }} }} }}");
    let count = |data: Value| data["node"]["readings"]["totalCount"].as_u64().unwrap();
    let before = count(client.query(&query));
    let mut last = String::new();
    for (added, value) in [(1, 4), (2, 5)] {
        let input = format!("input: {{ sensorId: {sensor}, value: {value} }}");
        let reply = client.write(&format!("mutation {{ createReading({input}) {{ {readings} }} }}")).unwrap();
        let read = &reply.data["createReading"]["readingEdge"]["node"]["sensor"]["readings"];
        assert_eq!(*read, json!({ "totalCount": before + added, "nodes": [{ "value": value }] }));
        last = reply.position.expect("a mutation has a position");
        assert_eq!(reply.extensions["position"], *last);
    }
    let (queries, fallbacks) = (server.queries(&replica), server.metric("bookends_replica_fallbacks_total", None));
    assert_eq!(count(client.query(&query)), before);
    assert_eq!(server.queries(&replica), queries + 1);
    // The primary answers for a replica that does not replay the position.
    assert_eq!(count(client.query_at(&last, &query)), before + 2);
    assert_eq!(server.metric("bookends_replica_fallbacks_total", None), fallbacks + 1);
    let body = json!({ "query": query, "extensions": { "position": last } });
    assert_eq!(count(client.request("", &body).unwrap().data), before + 2);
    // Then the replica does.
    replica.resume_replay();
    replica.catch_up(&primary);
    fleet::wait(|| {
        let queries = server.queries(&replica);
        assert_eq!(count(client.query_at(&last, &query)), before + 2);
        server.queries(&replica) > queries
    });
}

/// A client would otherwise fetch what an event is about from a replica that lacks it.
#[test]
fn an_event_has_a_position_that_shows_what_it_shows() {
    let Some(primary) = fleet::primary() else { return };
    let replica = primary.replica();
    let mut command = with_replicas(&primary.url(""), &[&replica]);
    let server = Server::with_healthy(command.env(ANY_LAG.0, ANY_LAG.1), &[&replica]);
    replica.pause_replay();
    let mut client = server.client();
    let sensor = client.query("{ sensors(first: 1) { nodes { id } } }")["sensors"]["nodes"][0]["id"].clone();
    let mut subscribers: Vec<_> = (0..3)
        .map(|_| {
            server.subscribe(
                "subscription { readingCreated { node { id sensor { readings(first: 0) { totalCount } } } } }",
            )
        })
        .collect();
    fleet::wait(|| server.metric("bookends_subscriptions", None) == 3);
    let mut last = None;
    for value in 1..=5 {
        let input = format!("input: {{ sensorId: {sensor}, value: {value} }}");
        client.write(&format!("mutation {{ createReading({input}) {{ readingEdge {{ node {{ id }} }} }} }}")).unwrap();
        for subscriber in &mut subscribers {
            let event = subscriber.next();
            let (node, position) = (&event["data"]["readingCreated"]["node"], &event["extensions"]["position"]);
            let position = position.as_str().expect("an event has a position");
            let counted = "... on Reading { sensor { readings(first: 0) { totalCount } } }";
            let query = format!("{{ node(id: {}) {{ id {counted} }} }}", node["id"]);
            assert_eq!(client.query(&query)["node"], json!(null));
            assert_eq!(client.query_at("FFFFFFFF/FFFFFFFF/FFFFFFFF", &query)["node"]["id"], node["id"]);
            let fetched = &client.query_at(position, &query)["node"];
            assert_eq!(fetched["id"], node["id"]);
            let count = |node: &Value| node["sensor"]["readings"]["totalCount"].as_u64().unwrap();
            assert!(count(fetched) >= count(node), "{fetched} {node}");
            last = Some(position.to_owned());
        }
    }
    // The replica replays it, too.
    replica.resume_replay();
    replica.catch_up(&primary);
    fleet::wait(|| {
        let queries = server.queries(&replica);
        client.query_at(last.as_ref().unwrap(), COUNT);
        server.queries(&replica) > queries
    });
}

#[test]
fn a_malformed_position_is_refused() {
    let Some(primary) = fleet::primary() else { return };
    let replica = primary.replica();
    let server = Server::with_healthy(&mut with_replicas(&primary.url(""), &[&replica]), &[&replica]);
    let mut client = server.client();
    for malformed in ["x", "0/0", "0/0/", "/0/0", "0/0/G", "123456789/0/0", "0/0/123456789", "0/0/0 0/0/1", "-1/0/0"] {
        let header = at(malformed);
        let refused = client.request(&header, &json!({ "query": COUNT })).unwrap_err();
        assert_eq!(refused, "POSITION_MALFORMED", "{malformed}");
        let body = json!({ "query": COUNT, "extensions": { "position": malformed } });
        assert_eq!(client.request("", &body).unwrap_err(), "POSITION_MALFORMED", "{malformed}");
    }
    let body = json!({ "query": COUNT, "extensions": { "position": 1 } });
    assert_eq!(client.request("", &body).unwrap_err(), "POSITION_MALFORMED");
    // A mutation is executed on the primary, which has replayed everything.
    let header = authorized() + &at("0/0/0");
    let mutation = "mutation { createSensor(input: { name: \"x\", year: 1 }) { clientMutationId } }";
    client.request(&header, &json!({ "query": mutation })).unwrap();
}

#[test]
fn replicas_share_the_load() {
    let Some(primary) = fleet::primary() else { return };
    let replicas = [primary.replica(), primary.replica()];
    let both = [&replicas[0], &replicas[1]];
    let server = Server::with_healthy(&mut with_replicas(&primary.url(""), &both), &both);
    let load = Load::during(&server, 4, 0, |load| load.reads(400));
    load.no_read_failed_within(crate::support::patience::LONG);
    let queries = both.map(|replica| server.queries(replica));
    assert!(queries.iter().all(|answered| *answered >= 40), "{queries:?}");
    assert_eq!(server.metric("bookends_replica_fallbacks_total", None), 0);
}

/// A lock that one replica has replayed, and the other one has not, holds what reads from the first.
#[test]
fn the_least_busy_replica_answers() {
    const LOCK: &str = "DO $$ BEGIN
        LOCK TABLE sensor;
        WHILE NOT EXISTS (SELECT FROM pg_class WHERE relname = 'release') AND clock_timestamp() < now() + interval '1 minute' LOOP
            PERFORM pg_sleep(0.01);
        END LOOP;
    END $$";
    let Some(primary) = fleet::primary() else { return };
    let [busy, free] = [primary.replica(), primary.replica()];
    let mut command = with_replicas(&primary.url(""), &[&busy, &free]);
    // What is held may take as long as a busy machine needs.
    command.env(ANY_LAG.0, ANY_LAG.1).env("REQUEST_TIMEOUT", "600");
    let server = Server::with_healthy(&mut command, &[&busy, &free]);
    free.pause_replay();
    // A commit flushes the log. PostgreSQL does not wait for the log of a lock, or of its end.
    let flush = || primary.sql("SELECT pg_logical_emit_message(true, '', '')");
    thread::scope(|scope| {
        let locked = scope.spawn(|| primary.sql(LOCK));
        let is_locked = "SELECT count(*) > 0 FROM pg_locks WHERE mode = 'AccessExclusiveLock'";
        primary.until(is_locked);
        flush();
        busy.until(is_locked);
        let load = Load::during(&server, 1, 0, |load| {
            // Of two that nobody reads from, it is the busy one's turn soon.
            busy.until("SELECT count(*) > 0 FROM pg_locks WHERE NOT granted");
            let (mut client, queries) = (server.client(), [&busy, &free].map(|replica| server.queries(replica)));
            for _ in 0..50 {
                client.query(COUNT);
            }
            assert_eq!([&busy, &free].map(|replica| server.queries(replica)), [queries[0], queries[1] + 50]);
            primary.sql("CREATE TABLE release ()");
            locked.join().unwrap();
            flush();
            load.reads(1);
        });
        load.no_read_failed_within(crate::support::patience::LONG);
    });
}
