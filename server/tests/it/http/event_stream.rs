//! Operations whose responses are an event stream: GraphQL over Server-Sent Events, in distinct connections.

use bookends_server::config::{Bounds, Seconds};
use bookends_server::http::{Access, Server};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::support::patience::until;
use crate::support::served::{LONG, Served, TOKEN, code, writable};
use crate::support::station::{SMALL, Station};

const ADDED: &str = "subscription { readingCreated { node { value } } }";

/// The end of a response in chunks.
const END: &str = "\r\n0\r\n\r\n";

struct Streaming {
    station: Station,
    server: Served,
}

impl Streaming {
    async fn within(bounds: Bounds) -> Self {
        let station = Station::new(SMALL).await;
        let server = Served::of(Server::new(station.api.clone(), writable(), bounds)).await;
        Self { station, server }
    }

    /// Sends a request for an event stream, and does not wait for its end.
    async fn open(&self, request: &str) -> Stream {
        let mut socket = self.server.connect().await;
        socket.write_all(request.as_bytes()).await.unwrap();
        Stream { socket, text: String::new() }
    }

    /// The same for a subscription, once it has begun.
    async fn subscribe(&self, document: &str) -> Stream {
        let before = self.station.api.events().subscribers();
        let stream = self.open(&post("", document)).await;
        until(async || self.station.api.events().subscribers() > before).await;
        stream
    }

    /// All events of a response that ends.
    async fn all(&self, request: &str) -> Vec<Value> {
        let mut stream = self.open(request).await;
        stream.until(END).await;
        stream.events()
    }
}

/// A response that is being received.
struct Stream {
    socket: TcpStream,
    text: String,
}

impl Stream {
    /// Receives up to this text.
    async fn until(&mut self, text: &str) {
        while !self.text.contains(text) {
            assert!(self.receive().await, "{text} is missing in {}", self.text);
        }
    }

    /// Receives more, if there is more.
    async fn receive(&mut self) -> bool {
        let mut bytes = [0; 4096];
        let read = timeout(LONG, self.socket.read(&mut bytes)).await.expect("more, or the end").unwrap_or(0);
        self.text += std::str::from_utf8(&bytes[..read]).unwrap();
        read > 0
    }

    /// The results so far, and `"complete"`.
    fn events(&self) -> Vec<Value> {
        let (head, body) = self.text.split_once("\r\n\r\n").unwrap();
        assert!(head.starts_with("HTTP/1.1 200 "), "{head}");
        for header in ["content-type: text/event-stream", "cache-control: no-store", "vary: accept"] {
            assert!(head.contains(header), "{head}");
        }
        let events = body.split("event: ").skip(1).map(|event| event.split_once("\ndata: ").unwrap());
        let data = |(name, data): (&str, &str)| match name {
            "next" => serde_json::from_str(data.lines().next().unwrap()).unwrap(),
            name => json!(name),
        };
        events.map(data).collect()
    }
}

fn post(headers: &str, document: &str) -> String {
    let body = json!({ "query": document }).to_string();
    format!(
        "POST /graphql HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\nContent-Type: application/json\r\n\
        {headers}Content-Length: {}\r\n\r\n{body}",
        body.len()
    )
}

fn get(query: &str) -> String {
    let query = query.replace(' ', "%20").replace('{', "%7B").replace('}', "%7D");
    format!("GET /graphql?query={query} HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n")
}

#[tokio::test]
async fn a_subscription_sends_events_until_its_client_disconnects() {
    let streaming = Streaming::within(Bounds::DEFAULT).await;
    let [sensor, ..] = streaming.station.first_of_each().await;
    let mut stream = streaming.subscribe(ADDED).await;
    for value in [1, 5] {
        let mutation = format!(
            r#"mutation {{ createReading(input: {{ sensorId: "{sensor}", value: {value} }}) {{ __typename }} }}"#
        );
        streaming.station.data(&mutation).await;
        stream.until(&format!(r#""value":{value}"#)).await;
    }
    let added = |value: i32| json!({ "data": { "readingCreated": { "node": { "value": value } } } });
    assert_eq!(stream.events(), [added(1), added(5)]);
    drop(stream);
    until(async || streaming.station.api.events().subscribers() == 0).await;
}

#[tokio::test]
async fn queries_and_mutations_have_one_result() {
    let streaming = Streaming::within(Bounds::DEFAULT).await;
    let typename = |name: &str| vec![json!({ "data": { "__typename": name } }), json!("complete")];
    assert_eq!(streaming.all(&post("", "{ __typename }")).await, typename("Query"));
    assert_eq!(streaming.all(&get("{ __typename }")).await, typename("Query"));
    let token = format!("Authorization: Bearer {TOKEN}\r\n");
    assert_eq!(streaming.all(&post(&token, "mutation { __typename }")).await, typename("Mutation"));
}

#[tokio::test]
async fn errors_of_a_request_are_results() {
    let streaming = Streaming::within(Bounds::DEFAULT).await;
    let cases = [
        (post("", "{ nothing }"), "GRAPHQL_VALIDATION_FAILED"),
        (post("", "{"), "GRAPHQL_PARSE_FAILED"),
        (post("", "mutation { __typename }"), "UNAUTHENTICATED"),
        (get("mutation { __typename }"), "METHOD_NOT_ALLOWED"),
    ];
    for (request, code) in cases {
        let events = streaming.all(&request).await;
        assert_eq!(events.len(), 2, "{events:?}");
        assert_eq!(events[0]["errors"][0]["extensions"]["code"], code, "{events:?}");
        assert_eq!(events[1], "complete");
    }
}

/// There is no operation whose results they could be.
#[tokio::test]
async fn a_malformed_request_has_a_status() {
    let streaming = Streaming::within(Bounds::DEFAULT).await;
    let close = |request: String| request.replacen("Host:", "Connection: close\r\nHost:", 1);
    let cases = [
        (post("", "x").replace("query", "q\"ery"), 400, "BODY_MALFORMED"),
        (post("", "x").replace("query", "quiet"), 422, "REQUEST_MALFORMED"),
        (post("", "{ __typename }").replace("application/json", "text/plain"), 415, "MEDIA_TYPE_UNSUPPORTED"),
        (post("Content-Encoding: gzip\r\n", "{ __typename }"), 415, "MEDIA_TYPE_UNSUPPORTED"),
        (get("{ __typename }").replace("GET", "PUT"), 405, "METHOD_NOT_ALLOWED"),
    ];
    for (request, status, expected) in cases {
        let answer = streaming.server.ask(close(request)).await;
        assert!(answer.starts_with(&format!("HTTP/1.1 {status} ")), "{answer}");
        assert_eq!(code(&answer), expected, "{answer}");
    }
}

#[tokio::test]
async fn event_streams_share_the_limit_of_websockets() {
    let streaming = Streaming::within(Bounds { max_websockets: 1, ..Bounds::DEFAULT }).await;
    let stream = streaming.subscribe(ADDED).await;
    let refused = streaming.server.ask(post("Connection: close\r\n", ADDED)).await;
    assert!(refused.starts_with("HTTP/1.1 503 ") && refused.contains("retry-after: 1"), "{refused}");
    assert_eq!(code(&refused), "OVERLOADED");
    drop(stream);
    until(async || streaming.station.api.events().subscribers() == 0).await;
    streaming.subscribe(ADDED).await;
}

#[tokio::test]
async fn a_result_beyond_the_memory_budget_is_dropped() {
    let streaming =
        Streaming::within(Bounds { max_buffered: 6 << 10, max_body_size: 6 << 10, ..Bounds::DEFAULT }).await;
    let small = streaming.all(&post("", "{ readings(first: 2) { nodes { id } } }")).await;
    assert_eq!(small[0]["data"]["readings"]["nodes"].as_array().unwrap().len(), 2);
    let large = (0..8).map(|n| format!("a{n}: readings(first: 20) {{ nodes {{ id rowId createdAt }} }}"));
    let events = streaming.all(&post("", &format!("{{ {} }}", large.collect::<Vec<_>>().join(" ")))).await;
    assert_eq!(events[0]["errors"][0]["extensions"]["code"], "ANSWER_DROPPED", "{events:?}");
}

/// Without `complete`: its client tries again.
#[tokio::test]
async fn a_server_that_stops_breaks_its_event_streams() {
    let bounds = Bounds { shutdown_timeout: Seconds(2 * LONG), ..Bounds::DEFAULT };
    let streaming = Streaming::within(bounds).await;
    let mut stream = streaming.subscribe(ADDED).await;
    streaming.server.stop.send(()).unwrap();
    while stream.receive().await {}
    assert!(!stream.text.contains(END) && stream.events().is_empty(), "{}", stream.text);
    timeout(LONG, streaming.server.ended).await.expect("it ends").unwrap();
}

/// Without a token, nobody may write; everybody may hear.
#[tokio::test]
async fn event_streams_need_no_permission_to_read() {
    let station = Station::new(SMALL).await;
    let server = Served::of(Server::new(station.api.clone(), Access::Nobody, Bounds::DEFAULT)).await;
    let streaming = Streaming { station, server };
    let events = streaming.all(&post("", "mutation { __typename }")).await;
    assert_eq!(events[0]["errors"][0]["extensions"]["code"], "FORBIDDEN", "{events:?}");
    drop(streaming.subscribe(ADDED).await);
}
