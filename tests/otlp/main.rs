//! The export of traces, which needs the feature `otlp`: `cargo test --features otlp --test otlp`.
#![cfg(feature = "otlp")]

#[path = "../../server/tests/it/support"]
#[expect(dead_code, reason = "the other tests use the rest")]
mod support {
    pub mod patience;
    pub mod program;
    pub mod wire;
}

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, channel};

use bookends_server::opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use bookends_server::opentelemetry_proto::tonic::common::v1::any_value::Value as AnyValue;
use bookends_server::opentelemetry_proto::tonic::trace::v1::Span;
use bookends_server::opentelemetry_proto::tonic::trace::v1::span::SpanKind;
use bookends_server::opentelemetry_proto::tonic::trace::v1::status::StatusCode;
use bookends_server::prost::Message;
use serde_json::{Value, json};
use testdb::TestDb;

use support::program::{LONG, Program, program};
use support::wire::{ask, authorized, post_with};

/// The program with this database.
fn bookshop(url: &str) -> std::process::Command {
    program(env!("CARGO_BIN_EXE_bookshop"), url)
}

const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
const PARENT: &str = "00f067aa0ba902b7";

/// Sends a request with these headers on a connection of its own; the head of the answer.
fn post(address: &str, headers: &str, body: &Value) -> String {
    ask(address, post_with(&format!("Connection: close\r\n{headers}"), &body.to_string())).head
}

fn hex(bytes: &[u8]) -> String {
    let bytes: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    bytes.concat()
}

/// A collector that takes what it is sent.
fn collector() -> (String, Receiver<(String, ExportTraceServiceRequest)>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let (sender, sent) = channel();
    std::thread::spawn(move || {
        for socket in listener.incoming() {
            let mut socket = socket.unwrap();
            while let Some((head, body)) = request(&mut socket) {
                // First this: when the program has ended, all has been received.
                let _ = sender.send((head, ExportTraceServiceRequest::decode(&body[..]).unwrap()));
                socket.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n").unwrap();
            }
        }
    });
    (format!("http://{address}"), sent)
}

/// The next request on a connection, if there is one.
fn request(socket: &mut TcpStream) -> Option<(String, Vec<u8>)> {
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") {
        socket.read_exact(&mut byte).ok()?;
        head.push(byte[0]);
    }
    let head = String::from_utf8(head).unwrap().to_ascii_lowercase();
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")).unwrap();
    let mut body = vec![0; length.parse().unwrap()];
    socket.read_exact(&mut body).ok()?;
    Some((head, body))
}

fn attribute<'a>(span: &'a Span, key: &str) -> &'a AnyValue {
    let attribute = span.attributes.iter().find(|attribute| attribute.key == key);
    attribute.unwrap_or_else(|| panic!("{key} in {span:#?}")).value.as_ref().unwrap().value.as_ref().unwrap()
}

fn text(text: &str) -> AnyValue {
    AnyValue::StringValue(text.into())
}

#[test]
fn a_trace_goes_from_the_client_through_the_connections_to_the_statements() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let test = runtime.block_on(TestDb::new());
    let (endpoint, sent) = collector();
    let mut command = bookshop(&test.url);
    command.env("OTEL_EXPORTER_OTLP_ENDPOINT", endpoint).env("OTEL_EXPORTER_OTLP_HEADERS", "x-token=sesame");
    let trusted = "query Trusted { books(first: -1) { nodes { name } } }";
    let documents = std::env::temp_dir().join(format!("bookends_otlp_{}", std::process::id()));
    std::fs::write(&documents, json!({ "1": trusted }).to_string()).unwrap();
    command.env("DOCUMENTS", &documents);
    let program =
        Program::start(command.env("OTEL_SERVICE_NAME", "shop").env("OTEL_TRACES_SAMPLER", "parentbased_always_off"));
    let address = program.address();
    let query = "query Page { books(first: 2) { nodes { name ratings(first: 1) { nodes { id } } } } }";
    let parent = format!("Traceparent: 00-{TRACE}-{PARENT}-01\r\n");
    assert!(post(&address, &parent, &json!({ "query": query, "operationName": "Page" })).contains("200 OK"));
    let mutation = "mutation { addBook(input: { name: \"x\", year: 1 }) { clientMutationId } }";
    assert!(post(&address, &format!("{parent}{}", authorized()), &json!({ "query": mutation })).contains("200 OK"));
    assert!(post(&address, &parent, &json!({ "documentId": "1" })).contains("200 OK"));
    // The sampler leaves out what nobody else traces.
    assert!(post(&address, "", &json!({ "query": query })).contains("200 OK"));
    program.end();
    std::fs::remove_file(documents).unwrap();

    let mut spans = Vec::new();
    while let Ok((head, batch)) = sent.try_recv() {
        assert!(head.starts_with("post /v1/traces ") && head.contains("x-token: sesame\r\n"), "{head}");
        for resource in batch.resource_spans {
            let attributes = resource.resource.unwrap().attributes;
            let service = attributes.iter().find(|attribute| attribute.key == "service.name").unwrap();
            assert_eq!(service.value.clone().unwrap().value.unwrap(), text("shop"));
            spans.extend(resource.scope_spans.into_iter().flat_map(|scope| scope.spans));
        }
    }
    assert!(spans.iter().all(|span| hex(&span.trace_id) == TRACE), "{spans:#?}");
    let below =
        |parent: &str| -> Vec<&Span> { spans.iter().filter(|span| hex(&span.parent_span_id) == parent).collect() };

    let requests = below(PARENT);
    assert_eq!(requests.len(), 3, "{spans:#?}");
    let operation = |kind: &str| spans.iter().find(|span| span.name == kind).unwrap_or_else(|| panic!("{spans:#?}"));
    // The names of trusted documents are few.
    let failed = operation("query Trusted");
    assert_eq!(failed.status.clone().unwrap().code(), StatusCode::Error);
    assert_eq!(attribute(failed, "error.type"), &text("PAGE_INVALID"));
    let request = requests.iter().find(|span| span.span_id == operation("query").parent_span_id).unwrap();
    assert_eq!(attribute(request, "operation"), &text("Page"));
    assert_eq!(request.name, "POST /graphql");
    assert_eq!(attribute(request, "http.response.status_code"), &AnyValue::IntValue(200));
    let operations = below(&hex(&request.span_id));
    assert_eq!(operations.len(), 1, "{spans:#?}");
    // The client has chosen the name: it is no part of that of the span.
    assert_eq!((operations[0].name.as_str(), operations[0].kind()), ("query", SpanKind::Server));
    assert_eq!(attribute(operations[0], "graphql.operation.type"), &text("query"));
    assert_eq!(attribute(operations[0], "graphql.operation.name"), &text("Page"));
    assert!(operations[0].status.clone().unwrap_or_default().code() == StatusCode::Unset, "{operations:#?}");
    let connections = below(&hex(&operations[0].span_id));
    let fields: Vec<_> = connections.iter().map(|span| (attribute(span, "field"), attribute(span, "lists"))).collect();
    let expected = [(&text("Query.books"), &AnyValue::IntValue(1)), (&text("Book.ratings"), &AnyValue::IntValue(2))];
    // On PostgreSQL, the statement of the page reads the lists, too.
    assert_eq!(fields, expected[..if test.url.starts_with("sqlite") { 2 } else { 1 }]);
    for connection in connections {
        let statements = below(&hex(&connection.span_id));
        assert_eq!(statements.len(), 1, "{spans:#?}");
        let statement = statements[0];
        assert_eq!(statement.name, "SELECT");
        let AnyValue::StringValue(sql) = attribute(statement, "db.query.text") else { panic!("{statement:#?}") };
        assert!(sql.contains("book"), "{sql}");
        let (begin, end) = (connection.start_time_unix_nano, connection.end_time_unix_nano);
        assert!(begin <= statement.start_time_unix_nano && statement.end_time_unix_nano <= end, "{spans:#?}");
    }
    // Writing happens in a task of its own, and is part of the request all the same.
    let mutation = operation("mutation");
    assert!(mutation.attributes.iter().all(|attribute| attribute.key != "graphql.operation.name"), "{mutation:#?}");
    assert!(
        ["INSERT", "COMMIT"].iter().all(|name| below(&hex(&mutation.span_id)).iter().any(|span| span.name == *name)),
        "{spans:#?}"
    );
}

/// However much is logged.
#[test]
fn nothing_secret_is_in_the_log() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let test = runtime.block_on(TestDb::new());
    let (endpoint, _sent) = collector();
    let mut command = bookshop(&test.url);
    command.args(["--log", "trace"]);
    command.env("OTEL_EXPORTER_OTLP_ENDPOINT", endpoint).env("OTEL_EXPORTER_OTLP_HEADERS", "token=hunter2");
    let program = Program::start(&mut command);
    let query = json!({
        "query": "query Page($search: String) { books(search: $search) { hunter2: nodes { id } } }",
        "variables": { "search": "hunter2" },
        "operationName": "Page",
    });
    assert!(post(&program.address(), "Authorization: Bearer hunter2\r\n", &query).contains("200 OK"));
    let log = program.end();
    assert!(log.contains("answered") && !log.contains("hunter2"), "{log}");
}

#[test]
fn a_collector_that_is_not_there_is_no_reason_not_to_answer() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let test = runtime.block_on(TestDb::new());
    let program = Program::start(bookshop(&test.url).env("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:1"));
    let address = program.address();
    assert!(post(&address, "", &json!({ "query": "{ books(first: 1) { nodes { id } } }" })).contains("200 OK"));
    let log = program.end();
    assert!(log.contains("opentelemetry"), "{log}");

    for wrong in ["collector:4318", "http://user:hunter2@127.0.0.1:4318", "ftp://127.0.0.1"] {
        let mut program = Program::start(bookshop(&test.url).env("OTEL_EXPORTER_OTLP_ENDPOINT", wrong));
        assert!(!program.says("OTEL_EXPORTER_OTLP_ENDPOINT").contains("hunter2"));
        assert!(!program.ends_within(LONG).success());
    }
}
