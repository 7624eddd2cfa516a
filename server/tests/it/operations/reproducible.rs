//! Servers for tests: in memory, on a port that the system chooses, with reproducible keys.

use serde_json::{Value, json};
use testdb::TestDb;

use crate::support::program::{Program, address_of, fails};
use crate::support::station;
use crate::support::wire::{ask, post, write};

const AT: [&str; 5] = ["serve", "--at", "2026-01-01T00:00:00Z", "--rng-seed", "1"];

/// The body of the response to a mutation.
fn body(address: &str, mutation: &str) -> String {
    let answer = ask(address, write(&json!({ "query": mutation }).to_string()));
    assert_eq!(answer.status, 200, "{}", answer.body);
    answer.body
}

fn data(body: &str) -> Value {
    let body: Value = serde_json::from_str(body).unwrap();
    assert_eq!(body["errors"], Value::Null, "{body}");
    body["data"].clone()
}

/// The responses of a server to mutations, one of which is rejected after it has taken a key.
fn responses(address: &str) -> [String; 8] {
    let add =
        r#"mutation { createSensor(input: { name: "a", year: 1 }) { sensorEdge { cursor node { id createdAt } } } }"#;
    let created = |body: &str, object: &str| {
        let (field, edge) = (format!("create{object}"), format!("{}Edge", object.to_lowercase()));
        data(body)[field][edge]["node"]["id"].clone()
    };
    let send = |field: &str, input: String, selection: &str| {
        body(address, &format!("mutation {{ {field}(input: {{ {input} }}) {{ {selection} }} }}"))
    };
    let sensor = body(address, add);
    let id = created(&sensor, "Sensor");
    let read = || {
        let edge = "readingEdge { cursor node { id createdAt } }";
        send("createReading", format!("sensorId: {id}, value: 5"), edge)
    };
    let reading = read();
    let edge = "repairEdge { cursor node { id createdAt } }";
    let repair = send("createRepair", format!(r#"sensorId: {id}, cost: "9.50""#), edge);
    let delete = |object: &str, id: Value| send(&format!("delete{object}"), format!("id: {id}"), "deletedId");
    let deleted = [
        delete("Reading", created(&reading, "Reading")),
        delete("Repair", created(&repair, "Repair")),
        delete("Sensor", id.clone()),
    ];
    let [no_reading, no_repair, no_sensor] = deleted;
    [sensor, reading, repair, no_reading, no_repair, no_sensor, read(), body(address, add)]
}

#[tokio::test]
async fn the_same_mutations_have_the_same_responses() {
    let (one, two, other) = (TestDb::new().await, TestDb::new().await, TestDb::new().await);
    let [one, two] = [&one, &two].map(|test| {
        let program = Program::start(station::program(&test.url).args(AT));
        responses(&program.address())
    });
    assert_eq!(one, two);
    // The same on both databases.
    insta::assert_snapshot!("reproducible", one.join("\n"));

    let other =
        Program::start(station::program(&other.url).args(["serve", "--at", "2026-01-01T00:00:00Z", "--rng-seed", "2"]));
    let other = responses(&other.address());
    let node = |body: &str| data(body)["createSensor"]["sensorEdge"]["node"].clone();
    assert_eq!(node(&one[0])["createdAt"], node(&other[0])["createdAt"]);
    assert_ne!(node(&one[0])["id"], node(&other[0])["id"]);
}

#[tokio::test]
async fn reproducible_keys_repeat_none() {
    let test = TestDb::new().await;
    let program = Program::start(station::program(&test.url).args(AT));
    body(&program.address(), "mutation { createSensor(input: { name: \"a\", year: 1 }) { clientMutationId } }");
    program.end();
    fails(station::program(&test.url).args(AT), "the database has rows from the time in --at or later");
    let later = Program::start(station::program(&test.url).args(["serve", "--at", "2026-01-01T00:00:00.001Z"]));
    later.address();
}

#[test]
fn only_a_loopback_server_has_reproducible_keys() {
    for address in ["0.0.0.0:0", "[::]:0"] {
        fails(station::program("sqlite::memory:").env("LISTEN", address).args(AT), "--at needs a loopback address");
    }
    for (arguments, text) in [
        (&["serve", "--rng-seed", "1"][..], "--at"),
        (&["serve", "--at", "yesterday"], "expected a time such as"),
        (&["serve", "--at", "9999-01-01T00:00:00Z"], "from 1970 to 9998"),
        (&["fill", "--at", "2026-01-01T00:00:00Z"], "unexpected argument"),
    ] {
        let output = station::program("sqlite::memory:").args(arguments).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(!output.status.success() && said.contains(text), "{said}");
    }
}

/// The number of sensors on a server.
fn sensors(address: &str) -> Value {
    data(&ask(address, post(r#"{"query":"{ sensors(first: 1) { totalCount } }"}"#)).body)["sensors"]["totalCount"]
        .clone()
}

#[test]
fn a_database_in_memory_belongs_to_its_server() {
    let start = || {
        let program = Program::start(&mut station::program("sqlite::memory:"));
        let line = program.says("open http://");
        (program, line)
    };
    let [(one, line), (_two, other)] = [start(), start()];
    let (address, other) = (address_of(&line), address_of(&other));
    assert!(line.starts_with(&format!("open http://{address} in a browser: ")), "{line}");
    assert!(address != other && !address.ends_with(":0"), "{address} {other}");
    body(&address, "mutation { createSensor(input: { name: \"a\", year: 1 }) { clientMutationId } }");
    // Another connection of a client shows it.
    assert_eq!((sensors(&address), sensors(&other)), (101.into(), 100.into()));
    one.end();
    let (_three, line) = start();
    assert_eq!(sensors(&address_of(&line)), 100);
}
