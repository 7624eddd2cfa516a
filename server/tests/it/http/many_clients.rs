//! Thousands of clients. The program runs as a process of its own, with its own file descriptors.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use testdb::TestDb;

use crate::support::counter::Client;
use crate::support::patience::until;
use crate::support::program::{LONG, Program};
use crate::support::station;
use crate::support::wire::{Connection, Outcome, ask, get, post_with, write};

/// The number of connections, limited by the file descriptors of a process and those of other tests. In CI, the wanted
/// number must fit.
fn many(wanted: usize) -> usize {
    const OTHERS: u64 = 2000;
    // The program inherits the limit.
    let limit = rlimit::increase_nofile_limit(rlimit::INFINITY).unwrap();
    let fit = usize::try_from(limit.saturating_sub(OTHERS)).unwrap_or(wanted);
    #[expect(clippy::disallowed_methods, reason = "a setting of the tests")]
    let is_ci = std::env::var_os("CI").is_some();
    assert!(wanted <= fit || !is_ci, "{wanted} connections do not fit into {limit} descriptors (ulimit -Hn)");
    wanted.min(fit.max(100))
}

/// The data of a response without errors.
fn data(address: &str, query: &str) -> Value {
    let answer = ask(address, write(&json!({ "query": query }).to_string()));
    let mut answer: Value = serde_json::from_str(&answer.body).unwrap();
    assert!(answer["errors"].is_null(), "{answer}");
    answer["data"].take()
}

/// Adds readings of a sensor, one after the other. Returns the expected events.
fn read(address: &str, sensor: &Value, times: usize) -> Vec<Value> {
    let created = (0..times).map(|n| {
        let input = format!("{{ sensorId: {sensor}, value: {} }}", 1 + n % 5);
        let edge = "readingEdge { cursor node { id value sensor { name } } }";
        data(address, &format!("mutation {{ createReading(input: {input}) {{ {edge} }} }}"))["createReading"]["readingEdge"].take()
    });
    created.collect()
}

/// The next edges of a subscription.
async fn heard(client: &mut Client, number: usize) -> Vec<Value> {
    let mut edges = Vec::new();
    for _ in 0..number {
        let mut message = client.hear().await;
        assert_eq!((&message["id"], &message["payload"]["errors"]), (&json!("1"), &Value::Null), "{message}");
        edges.push(message["payload"]["data"]["readingCreated"].take());
    }
    edges
}

/// Waits until a server has this many subscriptions and WebSockets.
async fn has(address: &str, number: usize) {
    let lines = ["subscriptions", "websockets"].map(|name| format!("bookends_{name} {number}"));
    until(async || {
        let metrics = ask(address, get("/metrics")).body;
        lines.iter().all(|line| metrics.lines().any(|said| said == line))
    })
    .await;
}

/// Two servers of one PostgreSQL; on SQLite there is one.
#[tokio::test]
async fn a_thousand_subscribers_get_every_event_once_in_the_same_order() {
    let test = TestDb::new().await;
    let number = if test.url.starts_with("sqlite") { 1 } else { 2 };
    let servers: Vec<_> = (0..number)
        .map(|_| {
            let program = Program::start(&mut station::program(&test.url));
            (program.address(), program)
        })
        .collect();
    let (one, other) = (&servers[0].0, &servers[number - 1].0);
    let mut clients = Vec::new();
    for (address, count) in [(one, many(1000)), (other, 20)] {
        for _ in 0..count {
            let mut client = Client::acknowledged(address).await;
            client.subscribe("1", "subscription { readingCreated { cursor node { id value sensor { name } } } }").await;
            clients.push(client);
        }
    }
    let on_one = if number == 1 { clients.len() } else { clients.len() - 20 };
    has(one, on_one).await;
    has(other, if number == 1 { on_one } else { 20 }).await;

    let sensor = data(one, "{ sensors(first: 1) { nodes { id } } }")["sensors"]["nodes"][0]["id"].take();
    let mut written = Vec::new();
    for address in [one, other, one] {
        written.extend(read(address, &sensor, 2));
    }
    for client in &mut clients {
        assert_eq!(heard(client, written.len()).await, written);
    }

    // Concurrent writes have an order, too, and it is the same for all subscribers.
    let written: BTreeSet<String> = std::thread::scope(|scope| {
        let writers = [one, other].map(|address| scope.spawn(|| read(address, &sensor, 5)));
        writers.into_iter().flat_map(|writer| writer.join().unwrap()).map(|edge| edge.to_string()).collect()
    });
    let first = heard(&mut clients[0], written.len()).await;
    assert_eq!(first.iter().map(Value::to_string).collect::<BTreeSet<_>>(), written);
    for client in &mut clients[1..] {
        assert_eq!(heard(client, written.len()).await, first);
    }
    for client in &mut clients {
        client.hears_nothing().await;
    }
    drop(clients);
    for (address, program) in servers {
        has(&address, 0).await;
        program.end();
    }
}

#[tokio::test]
async fn ten_thousand_idle_connections_do_not_block_others() {
    /// The memory of one connection, in kilobytes.
    const MAX_MEMORY: u64 = 64;
    let test = TestDb::new().await;
    // Idle connections must not time out, and one client may open half of the connections.
    let mut program =
        Program::start(station::program(&test.url).env("READ_TIMEOUT", "3600").env("MAX_CONNECTIONS", "32768"));
    let address = program.address();
    let query = post_with("", r#"{"query":"{ sensors(first: 1) { nodes { id } } }"}"#);
    let kept = || {
        let mut connection = Connection::open(&address).expect("the server takes a connection");
        let Outcome::Answered(answer) = connection.ask(&query) else { panic!("no answer") };
        assert!(answer.status == 200 && answer.goes_on(), "{answer:?}");
        connection
    };
    // Shared memory is allocated before the measurement.
    let mut idle: Vec<_> = (0..100).map(|_| kept()).collect();
    let before = program.memory("VmRSS");
    let more = many(10_000) - idle.len();
    idle.extend((0..more).map(|_| kept()));
    if let (Some(before), Some(after)) = (before, program.memory("VmRSS")) {
        let each = after.saturating_sub(before) / u64::try_from(more.max(1)).unwrap();
        assert!(each < MAX_MEMORY, "{each} kB each, {after} kB in all");
    }
    assert!(data(&address, "{ sensors { totalCount } }")["sensors"]["totalCount"].is_number());
    // All of them are still open.
    for connection in &mut idle {
        let Outcome::Answered(answer) = connection.ask(get("/health").replace("Connection: close\r\n", "")) else {
            panic!("it was closed")
        };
        assert_eq!(answer.status, 200);
    }
    program.signal("-TERM");
    assert!(program.ends_within(LONG).success());
}
