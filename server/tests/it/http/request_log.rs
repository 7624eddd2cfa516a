//! What is seen of a request: its id, its line in the log, the id of its trace.

use bookends_server::http::websocket::PROTOCOL;
use serde_json::{Value, json};
use testdb::TestDb;

use crate::support::counter::Client;
#[cfg(not(feature = "otlp"))]
use crate::support::program::{LONG, Program};
use crate::support::station;
use crate::support::wire::{ask, get, post_with};

const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
const PARENT: &str = "00f067aa0ba902b7";

/// Sends a request with these headers on a connection of its own; the head of the answer.
fn post(address: &str, headers: &str, body: &Value) -> String {
    ask(address, post_with(&format!("Connection: close\r\n{headers}"), &body.to_string())).head
}

fn id(head: &str) -> &str {
    head.lines().find_map(|line| line.strip_prefix("x-request-id: ")).unwrap_or_else(|| panic!("{head}"))
}

#[test]
fn an_answer_has_the_id_of_its_request() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let test = runtime.block_on(TestDb::new());
    let program = Program::start(station::program(&test.url).env("LOG_FORMAT", "json"));
    let address = program.address();
    let query = json!({ "query": "query Page { sensors(first: 1) { nodes { id } } }", "operationName": "Page" });

    assert_eq!(id(&post(&address, "X-Request-Id: station-7/a\r\n", &query)), "station-7/a");
    let line: Value = serde_json::from_str(&program.says("answered")).unwrap();
    assert_eq!((&line["status"], &line["errors"], &line["level"]), (&json!(200), &json!(""), &json!("INFO")));
    assert!(line["ms"].as_f64().unwrap() > 0.0);
    let request = &line["spans"][0];
    for (field, value) in [("id", "station-7/a"), ("method", "POST"), ("route", "/graphql"), ("operation", "Page")] {
        assert_eq!(request[field], value, "{line}");
    }

    // An id that cannot be passed on is not: it would break the log, or fill it.
    for bad in [
        "X-Request-Id: \r\n",
        "X-Request-Id: a b\r\n",
        "X-Request-Id: é\r\n",
        &format!("X-Request-Id: {}\r\n", "x".repeat(129)),
        "",
    ] {
        let head = post(&address, bad, &json!({ "query": "{ sensors(first: -1) { nodes { id } } }" }));
        assert!(uuid::Uuid::parse_str(id(&head)).is_ok_and(|id| id.get_version_num() == 7), "{head}");
        let line: Value = serde_json::from_str(&program.says("answered")).unwrap();
        assert_eq!((&line["spans"][0]["id"], &line["errors"]), (&json!(id(&head)), &json!("PAGE_INVALID")));
    }

    // Where nothing is traced, the log still says what the request is part of.
    post(&address, &format!("Traceparent: 00-{TRACE}-{PARENT}-01\r\n"), &query);
    let line: Value = serde_json::from_str(&program.says("answered")).unwrap();
    assert_eq!(line["spans"][0]["trace_id"], TRACE);
    post(&address, "Traceparent: 00-0-0-01\r\n", &query);
    let line: Value = serde_json::from_str(&program.says("answered")).unwrap();
    assert_eq!(line["spans"][0]["trace_id"], Value::Null);
}

/// However much is logged.
#[test]
fn nothing_secret_is_in_the_log() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let test = runtime.block_on(TestDb::new());
    let mut command = station::program(&test.url.replace("postgres@", "postgres:hunter2@"));
    command.args(["--log", "trace"]).env("WRITE_TOKEN", "hunter2-and-so-on");
    let program = Program::start(&mut command);
    let address = program.address();
    let query = json!({
        "query": "query Page($name: String) { sensors(where: { name: { eq: $name } }) { hunter2: nodes { id } } }",
        "variables": { "name": "hunter2" },
        "operationName": "Page",
    });
    assert!(post(&address, "Authorization: Bearer hunter2\r\nCookie: hunter2\r\n", &query).contains("200 OK"));
    for wrong in [json!({ "query": "{ hunter2 }" }), json!({ "hunter2": "hunter2" })] {
        post(&address, "", &wrong);
    }
    runtime.block_on(async {
        let mut client = Client::open(&address, Some(PROTOCOL)).await.unwrap();
        client.say(json!({ "type": "connection_init", "payload": { "Authorization": "Bearer hunter2" } })).await;
        client.hear().await;
        client.say(json!({ "type": "subscribe", "id": "hunter2", "payload": query })).await;
        client.hear().await;
    });
    let log = program.end();
    assert_eq!(log.matches("answered").count(), 5, "{log}");
    assert!(!log.contains("hunter2"), "{log}");
}

#[test]
fn client_input_stays_on_one_log_line() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let test = runtime.block_on(TestDb::new());
    let program = Program::start(&mut station::program(&test.url));
    let address = program.address();
    // None of an operation is shown that is not there.
    post(
        &address,
        "",
        &json!({ "query": "query A { sensors { totalCount } }", "operationName": "no\nsuch\u{1b}[31m" }),
    );
    post(&address, "X-Request-Id: \"]{}\\n\r\n", &json!({ "query": "?" }));
    let log = program.end();
    let lines: Vec<&str> = log.lines().filter(|line| line.contains("answered")).collect();
    assert!(!lines[0].contains("such") && lines[0].contains("GRAPHQL_VALIDATION_FAILED"), "{log}");
    assert!(lines[1].contains(r#"id="\"]{}\\n""#) && lines[1].contains("GRAPHQL_PARSE_FAILED"), "{log}");
    assert_eq!(lines.len(), 2);
}

#[test]
fn probes_are_not_logged() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let test = runtime.block_on(TestDb::new());
    let program = Program::start(station::program(&test.url).env("LOG_FORMAT", "json"));
    let address = program.address();
    for path in ["health", "ready", "metrics", "nothing"] {
        ask(&address, get(&format!("/{path}")));
    }
    let log = program.end();
    let lines: Vec<Value> = log.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let answered: Vec<&Value> = lines.iter().filter(|line| line["message"] == "answered").collect();
    assert_eq!(answered.iter().map(|line| &line["status"]).collect::<Vec<_>>(), [404], "{log}");
}

/// Traces would be lost.
#[test]
#[cfg(not(feature = "otlp"))]
fn an_endpoint_for_traces_needs_a_program_that_sends_them() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let test = runtime.block_on(TestDb::new());
    let mut program =
        Program::start(station::program(&test.url).env("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:1"));
    program.says("built without the feature `otlp`");
    assert!(!program.ends_within(LONG).success());
}
