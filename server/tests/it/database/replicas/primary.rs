//! Queries that ask for the state of the primary, and the position that they have.

use std::{fs, thread};

use bookends_server::db::Position;
use serde_json::{Value, json};

use crate::support::counter;
use crate::support::fleet::{self, Server, at, with_replicas};
use crate::support::wire::ask;

use super::ANY_LAG;

/// What no replica has.
const LAST: &str = "FFFFFFFF/FFFFFFFF/FFFFFFFF";

/// A statement, several in one snapshot, and what has no plan.
const QUERIES: [&str; 3] = [
    "{ sensors(last: 1) { nodes { name } } }",
    "{ sensors(last: 1) { nodes { name } } readings(first: 1) { nodes { id } } repairs(first: 1) { totalCount } }",
    "{ __typename sensors(last: 1) { nodes { name } } node(id: \"x\") { id } }",
];

/// A client that has missed events reads from the primary once, and then from replicas again.
#[test]
fn a_query_at_the_last_position_has_one_that_replicas_reach() {
    let Some(primary) = fleet::primary() else { return };
    let replica = primary.replica();
    let mut command = with_replicas(&primary.url(""), &[&replica]);
    let server = Server::with_healthy(command.env(ANY_LAG.0, ANY_LAG.1), &[&replica]);
    let mut client = server.client();
    for (number, query) in QUERIES[..2].iter().enumerate() {
        replica.pause_replay();
        let name = number.to_string();
        client.add(&name).unwrap();
        let last = |data: &Value| data["sensors"]["nodes"][0]["name"].clone();
        assert_ne!(last(&client.query(query)), *name);
        let reply = client.request(&at(LAST), &json!({ "query": query })).unwrap();
        let position = reply.position.expect("a position");
        assert_eq!((last(&reply.data), &reply.extensions), (name.clone().into(), &json!({ "position": position })));
        assert_ne!(position, LAST);
        assert_eq!(last(&client.query_at(&position, query)), *name);
        // Any other position is kept by its client.
        let reply = client.request(&at(&position), &json!({ "query": query })).unwrap();
        assert_eq!((reply.position, reply.extensions), (None, Value::Null));
        replica.resume_replay();
        replica.catch_up(&primary);
        fleet::wait(|| {
            let queries = server.queries(&replica);
            assert_eq!(last(&client.query_at(&position, query)), *name);
            server.queries(&replica) > queries
        });
    }
    // A request that is rejected shows nothing. One whose field failed was executed.
    let position = |query: &str| {
        let body = json!({ "query": query, "extensions": { "position": LAST } }).to_string();
        let answer = ask(&server.address, crate::support::wire::post(&body));
        let parsed: Value = serde_json::from_str(&answer.body).unwrap();
        assert!(parsed["errors"].is_array(), "{}", answer.body);
        (answer.header("GraphQL-Position").is_some(), parsed["extensions"]["position"].is_string())
    };
    assert_eq!(position("{ nothing }"), (false, false));
    assert_eq!(position(QUERIES[2]), (true, true));
}

/// A transaction commits between the beginning of a query and its read.
#[test]
fn the_position_of_a_query_includes_what_it_read() {
    const WAITS: &str = "FROM pg_locks WHERE NOT granted AND relation = 'sensor'::regclass";
    let Some(primary) = fleet::primary() else { return };
    let replica = primary.replica();
    let mut command = with_replicas(&primary.url(""), &[&replica]);
    let server = Server::with_healthy(command.env(ANY_LAG.0, ANY_LAG.1), &[&replica]);
    thread::scope(|scope| {
        let before = scope.spawn(|| {
            primary.sql(&format!(
                "BEGIN; LOCK TABLE sensor; INSERT INTO sensor VALUES ('ffffffff-0000-7000-8000-000000000000', 'late', 1);
                DO $$ BEGIN WHILE NOT EXISTS (SELECT {WAITS}) LOOP PERFORM pg_sleep(0.005); END LOOP; END $$;
                SELECT pg_current_wal_insert_lsn(); COMMIT"
            ))
        });
        primary.until(
            "SELECT EXISTS (SELECT FROM pg_locks WHERE granted AND relation = 'sensor'::regclass
                AND mode = 'AccessExclusiveLock')",
        );
        let reply = server.client().request(&at(LAST), &json!({ "query": QUERIES[0] })).unwrap();
        assert_eq!(reply.data["sensors"]["nodes"][0]["name"], "late");
        let before = format!("1/{}", before.join().unwrap());
        let [before, position] = [before, reply.position.unwrap()].map(|text| text.parse::<Position>().unwrap());
        assert!(before < position, "{before} {position}");
    });
}

/// The response to the next client must not have the position of this one.
#[test]
fn caches_do_not_keep_a_response_with_a_position() {
    let Some(primary) = fleet::primary() else { return };
    let replica = primary.replica();
    let documents = primary.folder().join("documents.json");
    fs::write(&documents, json!({ "last": QUERIES[0] }).to_string()).unwrap();
    let mut command = with_replicas(&primary.url(""), &[&replica]);
    command.env("DOCUMENTS", documents).env("DOCUMENTS_MAX_AGE", "60");
    let server = Server::with_healthy(&mut command, &[&replica]);
    let get = |headers: &str| {
        let head = "GET /graphql?documentId=last HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n";
        let answer = ask(&server.address, format!("{head}{headers}\r\n"));
        let header = |name| answer.header(name).map(str::to_owned);
        (header("Cache-Control").unwrap(), header("Vary").unwrap(), header("ETag").is_some())
    };
    assert_eq!(get(""), ("public, max-age=60".into(), "accept, graphql-position".into(), true));
    assert_eq!(get(&at(LAST)), ("no-store".into(), "accept".into(), false));
}

#[tokio::test]
async fn over_a_websocket_the_extensions_of_an_operation_have_its_position() {
    let Some(primary) = fleet::primary() else { return };
    let replica = primary.replica();
    let mut command = with_replicas(&primary.url(""), &[&replica]);
    let server = Server::with_healthy(command.env(ANY_LAG.0, ANY_LAG.1), &[&replica]);
    replica.pause_replay();
    let (_, position) = server.client().add("new").unwrap();
    let mut socket = counter::Client::acknowledged(&server.address).await;
    let mut execute = async |extensions: Value| {
        let payload = json!({ "query": QUERIES[0], "extensions": extensions });
        socket.say(json!({ "type": "subscribe", "id": "1", "payload": payload })).await;
        let response = socket.hear().await;
        assert_eq!(socket.hear().await["type"], "complete");
        let mut payload = response["payload"].clone();
        (payload["data"]["sensors"]["nodes"][0]["name"].take(), payload["extensions"]["position"].take())
    };
    assert_ne!(execute(json!({})).await.0, "new");
    assert_eq!(execute(json!({ "position": position })).await, ("new".into(), Value::Null));
    let (name, position) = execute(json!({ "position": LAST })).await;
    assert_eq!(name, "new");
    assert!(position.is_string() && position != LAST, "{position}");
}
