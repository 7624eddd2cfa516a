//! The shares of clients: what one of them uses up is not what the others need.
#![cfg(target_os = "linux")]

use std::net::IpAddr;
use std::num::NonZeroU32;

use async_graphql::futures_util::poll;
use async_graphql::futures_util::stream::{BoxStream, StreamExt};
use async_graphql::{Request, Response};
use axum::body::Bytes;
use axum::routing::{get, post};
use axum::{Extension, Router};
use bookends_server::config::{Bounds, Limits};
use bookends_server::http::websocket::{Authorized, Handshake, Refused, Timeouts};
use bookends_server::http::{Access, Capacity, Server};
use bookends_server::metrics::Metrics;
use bookends_server::request::{
    Admission, Cpu, Incoming, Line, Memory, Queue, RequestContext, Session, Share, Sizes, Slots, Stock,
};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};
use tokio::time::timeout;

use crate::support::patience::until;
use crate::support::served::{LONG, Served, code, heard, post as request};
use crate::support::station::{SMALL, Station, permitted};

/// Two of the loopback addresses.
const ONE: &str = "127.0.0.1";
const OTHER: &str = "127.0.0.2";

/// The size of a body, and of each response.
const LARGE: usize = 200_000;

fn echo() -> Router {
    Router::new().route("/graphql", post(async |body: Bytes| "x".repeat(body.len().max(LARGE))))
}

async fn connect(server: &Served, from: &str) -> TcpStream {
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind((from.parse::<IpAddr>().unwrap(), 0).into()).unwrap();
    socket.connect(server.address.parse().unwrap()).await.unwrap()
}

async fn ask(server: &Served, from: &str, text: &str) -> String {
    let mut socket = connect(server, from).await;
    let _ = socket.write_all(text.as_bytes()).await;
    heard(&mut socket).await
}

/// Sends bodies without their last byte, until the server refuses one.
async fn exhaust(server: &Served, from: &str, header: Option<&str>) -> Vec<TcpStream> {
    let (mut sockets, text) = (Vec::new(), with(header, LARGE));
    for _ in 0..100 {
        let mut socket = connect(server, from).await;
        let _ = socket.write_all(&text.as_bytes()[..text.len() - 1]).await;
        // A body that is accepted has no response yet: another request of the client says whether the budget is left.
        let answer = ask(server, from, &with(header, 0)).await;
        if answer.starts_with("HTTP/1.1 503") {
            assert!(["OVERLOADED", "ANSWER_DROPPED"].contains(&code(&answer).as_str()));
            return sockets;
        }
        sockets.push(socket);
    }
    panic!("the budget has no end");
}

/// A request with another header, and a body of this size.
fn with(header: Option<&str>, size: usize) -> String {
    let text = request(&"x".repeat(size));
    match header {
        Some(header) => text.replacen("\r\n", &format!("\r\n{header}\r\n"), 1),
        None => text,
    }
}

#[tokio::test]
async fn unfinished_bodies_of_one_client_leave_memory_to_others() {
    let server = Served::new(echo(), Bounds { max_buffered: 2 << 20, ..Bounds::DEFAULT }).await;
    let unfinished = exhaust(&server, ONE, None).await;
    assert!(ask(&server, OTHER, &with(None, 0)).await.contains(" 200 "), "half is for the others");
    drop(unfinished);
}

#[tokio::test]
async fn a_proxy_forwards_many_clients() {
    let trusted_proxies = vec!["127.0.0.1/32".parse().unwrap()];
    let server = Served::new(echo(), Bounds { max_buffered: 2 << 20, trusted_proxies, ..Bounds::DEFAULT }).await;
    let unfinished = exhaust(&server, ONE, Some("x-forwarded-for: 198.51.100.7")).await;
    let other = with(Some("x-forwarded-for: 198.51.100.8"), 0);
    assert!(ask(&server, ONE, &other).await.contains(" 200 "));
    // What another peer says about itself changes nothing.
    let said = with(Some("x-forwarded-for: 198.51.100.7"), 0);
    assert!(ask(&server, OTHER, &said).await.contains(" 200 "));
    drop(unfinished);
}

#[tokio::test]
async fn connections_of_one_client_leave_some_to_others() {
    let server = Served::new(echo(), Bounds { max_connections: 8, ..Bounds::DEFAULT }).await;
    let mut open = Vec::new();
    for _ in 0..4 {
        open.push(connect(&server, ONE).await);
    }
    let mut beyond = connect(&server, ONE).await;
    let closed = timeout(LONG, beyond.read(&mut [0])).await.expect("the server closes it");
    assert!(matches!(closed, Ok(0) | Err(_)));
    assert!(ask(&server, OTHER, &with(None, 0)).await.contains(" 200 "));
    drop(open);
}

#[tokio::test]
async fn websockets_of_one_client_leave_some_to_others() {
    let bounds = Bounds { max_websockets: 8, ..Bounds::DEFAULT };
    let upgrade = async |Extension(Capacity { sockets, .. }): Extension<Capacity>, request: Handshake| {
        let refuse = async |_| Err::<Authorized<Never>, _>(Refused::Forbidden);
        sockets.upgrade(request, Metrics::default(), Timeouts::default(), refuse)
    };
    let server = Served::new(Router::new().route("/graphql", get(upgrade)), bounds).await;
    let handshake = "GET /graphql HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
        Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\
        Sec-WebSocket-Protocol: graphql-transport-ws\r\n\r\n";
    let open = async |from| {
        let mut socket = connect(&server, from).await;
        socket.write_all(handshake.as_bytes()).await.unwrap();
        let mut status = [0; "HTTP/1.1 101".len()];
        socket.read_exact(&mut status).await.unwrap();
        (String::from_utf8_lossy(&status).into_owned(), socket)
    };
    let mut kept = Vec::new();
    for _ in 0..4 {
        let (status, socket) = open(ONE).await;
        assert_eq!(status, "HTTP/1.1 101");
        kept.push(socket);
    }
    assert_eq!(open(ONE).await.0, "HTTP/1.1 503");
    let (status, socket) = open(OTHER).await;
    assert_eq!(status, "HTTP/1.1 101");
    drop((kept, socket));
}

/// It is never asked.
type Never = fn(Incoming) -> BoxStream<'static, Response>;

/// Each request costs more than 1,000: the budget of this client is whole again after more than half an hour.
#[tokio::test]
async fn a_budget_of_costs_is_spent_by_one_client_and_left_to_others() {
    let limits = Limits { max_complexity: 2_500, client_budget: NonZeroU32::new(1), ..Limits::DEFAULT };
    let station = Station::within(SMALL, limits).await;
    let server = Served::of(Server::new(station.api.clone(), Access::Nobody, Bounds::DEFAULT)).await;
    let text = request(r#"{"query":"{ sensors(where: {}) { totalCount } }"}"#);
    for _ in 0..2 {
        assert!(ask(&server, ONE, &text).await.starts_with("HTTP/1.1 200 "));
    }
    let answer = ask(&server, ONE, &text).await;
    assert!(answer.starts_with("HTTP/1.1 429 "), "{answer}");
    assert_eq!(code(&answer), "RATE_LIMITED");
    let after = answer.lines().find_map(|line| line.strip_prefix("retry-after: ")).unwrap();
    assert!((1..=1_100).contains(&after.parse::<u32>().unwrap()), "{after}");
    assert!(answer.contains(&format!(r#""retryAfter":{after}"#)), "{answer}");
    // A request that is refused for another reason costs nothing.
    assert_eq!(code(&ask(&server, ONE, &request(r#"{"query":"{ nothing }"}"#)).await), "GRAPHQL_VALIDATION_FAILED");
    assert!(ask(&server, OTHER, &text).await.starts_with("HTTP/1.1 200 "));

    // Over a WebSocket, the operations of this client have the same budget.
    let context = session(&Limited::default(), 1);
    let mut responses = station.api.stream(Incoming::from("{ sensors(where: {}) { totalCount } }").within(context));
    assert_eq!(code_of(responses.next().await), "RATE_LIMITED");
}

/// What the client [`ONE`] uses in turn.
struct Limited {
    turns: Line,
    long: Line,
}

impl Default for Limited {
    fn default() -> Self {
        let line = || Queue::new(Sizes { units: 1, each: 1, heavy: 1 }).line(None);
        Self { turns: line(), long: line() }
    }
}

/// The session of a WebSocket of the client, with this many permits.
fn session(limited: &Limited, permits: usize) -> RequestContext {
    session_of(ONE, limited, permits)
}

fn session_of(client: &str, Limited { turns, long }: &Limited, permits: usize) -> RequestContext {
    let share = Share {
        client: client.parse().unwrap(),
        permits: Stock::new(permits, 1).whole(),
        turns: turns.clone(),
        cpu: Cpu::shared(long.clone()),
        slots: Slots::default(),
    };
    let admission = Admission::new(10, LONG).shared(share);
    let session = Session { request_id: String::new(), admission, memory: Memory::new(1 << 20) };
    RequestContext { session: Some(session), ..RequestContext::default() }
}

fn code_of(response: Option<Response>) -> serde_json::Value {
    let response = serde_json::to_value(response.expect("a response")).unwrap();
    response["errors"][0]["extensions"]["code"].clone()
}

#[tokio::test]
async fn operations_over_a_websocket_take_permits_and_turns() {
    let station = Station::new(SMALL).await;
    let limited = Limited::default();
    let context = session(&limited, 1);
    let begin = |text: &str| station.api.stream(Incoming::from(text).within(context.clone()));
    let turn = limited.turns.unit(false).await;
    let mut waiting = begin("{ __typename }");
    assert!(poll!(waiting.next()).is_pending(), "it waits for a turn");
    for text in ["{ __typename }", "{ nothing }", "subscription { readingCreated { cursor } }"] {
        assert_eq!(code_of(begin(text).next().await), "OVERLOADED", "{text}");
    }
    drop(waiting);
    // What is not executed needs no turn.
    assert_eq!(code_of(begin("{ nothing }").next().await), "GRAPHQL_VALIDATION_FAILED");
    drop(turn);
    assert!(begin("{ __typename }").next().await.unwrap().is_ok());
    // A subscription that has begun gives its permit back.
    let mut subscribed = begin("subscription { readingCreated { cursor } }");
    tokio::select! {
        response = subscribed.next() => panic!("{response:?}"),
        () = until(async || station.api.events().subscribers() == 1) => {}
    }
    assert_eq!(code_of(begin("{ nothing }").next().await), "GRAPHQL_VALIDATION_FAILED");
}

/// It has none of the threads for them here.
#[tokio::test]
async fn long_requests_of_a_client_wait_for_one_another_and_delay_no_short_one() {
    let station = Station::new(SMALL).await;
    let limited = Limited::default();
    let context = session(&limited, 9);
    let begin = |text: &str| station.api.stream(Incoming::from(text).within(context.clone()));
    let thread = limited.long.unit(false).await;
    let mut long = begin(&format!("{{ {} }}", "nothing ".repeat(3_000)));
    assert!(poll!(long.next()).is_pending());
    assert_eq!(code_of(begin("{ nothing }").next().await), "GRAPHQL_VALIDATION_FAILED");
    drop(thread);
    assert_eq!(code_of(long.next().await), "GRAPHQL_VALIDATION_FAILED");
}

/// The subscription costs 144 when it begins, and as much for each event; the query costs 251. A budget of one in a second
/// is not whole again before the test has ended.
#[tokio::test]
async fn the_budget_of_a_subscriber_pays_for_each_event() {
    const ADDED: &str = "subscription { readingCreated { node { sensor { readings(first: 20) { nodes { id } } } } } }";
    const QUERY: &str = "{ readings(first: 100) { nodes { id } } }";
    let limits = Limits { max_complexity: 450, client_budget: NonZeroU32::new(1), ..Limits::DEFAULT };
    let station = Station::within(SMALL, limits).await;
    let subscribe = async |client| {
        let session = session_of(client, &Limited::default(), 9);
        let mut subscribed = station.api.stream(Incoming::from(ADDED).within(session.clone()));
        let before = station.api.events().subscribers();
        tokio::select! {
            response = subscribed.next() => panic!("{response:?}"),
            () = until(async || station.api.events().subscribers() > before) => {}
        }
        (session, subscribed)
    };
    let ask = async |session: &RequestContext| {
        code_of(station.api.stream(Incoming::from(QUERY).within(session.clone())).next().await)
    };
    let (session, subscribed) = subscribe(ONE).await;
    assert!(ask(&session).await.is_null(), "what it began with");
    drop(subscribed);
    let (session, mut subscribed) = subscribe(OTHER).await;
    // A write that comes from no client costs nothing.
    let sensors = station.api.execute("{ sensors(first: 1) { nodes { id } } }").await.data.into_json().unwrap();
    let input = format!("{{ sensorId: {}, value: 5 }}", sensors["sensors"]["nodes"][0]["id"]);
    let request = Request::new(format!("mutation {{ createReading(input: {input}) {{ reading: __typename }} }}"));
    let written = station.api.execute(permitted(request)).await;
    assert!(written.is_ok(), "{written:?}");
    assert!(subscribed.next().await.unwrap().is_ok());
    assert_eq!(ask(&session).await, "RATE_LIMITED");
}
