//! The memory budget for requests and responses of slow clients.

use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::SeqCst;

use async_graphql::futures_util::future::select_all;
use axum::Router;
use axum::body::Bytes;
use axum::routing::{get, post};
use bookends_server::config::Bounds;
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::time::timeout;

use crate::support::counter::{PATIENT, Server};
use crate::support::patience::until;
use crate::support::served::{LONG, Served, code, heard, post as request};

/// A body that is always within the budget.
const BODY: &str = "of a few bytes";

/// Asks until the budget is available again.
async fn until_answered(server: &Served, text: &str) -> String {
    let mut answer = String::new();
    until(async || {
        answer = server.ask(text).await;
        answer.starts_with("HTTP/1.1 200 ")
    })
    .await;
    answer
}

#[tokio::test]
async fn incomplete_bodies_share_a_budget() {
    let router = Router::new().route("/graphql", post(async |body: Bytes| body.len().to_string()));
    let server = Served::new(router, Bounds { max_buffered: 1 << 20, ..Bounds::DEFAULT }).await;
    let text = request(&"x".repeat(200_000));
    let mut sockets = Vec::new();
    for _ in 0..10 {
        let mut socket = server.connect().await;
        // A rejected client need not send everything.
        let _ = socket.write_all(text.as_bytes().strip_suffix(b"x").unwrap()).await;
        sockets.push(socket);
    }
    let answered = select_all(sockets.iter().map(|socket| Box::pin(socket.readable())));
    let (_, first, _) = timeout(LONG, answered).await.expect("no request is rejected");
    let refusal = heard(&mut sockets.swap_remove(first)).await;
    assert!(refusal.starts_with("HTTP/1.1 503 ") && refusal.contains("\r\nretry-after: 1\r\n"), "{refusal}");
    assert_eq!(code(&refusal), "OVERLOADED");
    let mut accepted = 0;
    for socket in &mut sockets {
        let _ = socket.write_all(b"x").await;
        accepted += usize::from(heard(socket).await.ends_with("200000"));
    }
    assert!(accepted > 0);
    assert!(until_answered(&server, &text).await.ends_with("200000"));
}

#[tokio::test]
async fn responses_that_are_not_read_share_a_budget() {
    const LENGTH: usize = 32 << 20;
    let long = post(async |body: Bytes| if body.is_empty() { Bytes::from(vec![b'x'; LENGTH]) } else { body });
    // The share of one client is a little more than one response.
    let bounds = Bounds { max_buffered: 2 * LENGTH + LENGTH / 6, ..Bounds::DEFAULT };
    let server = Served::new(Router::new().route("/graphql", long), bounds).await;
    let mut idle = server.connect().await;
    idle.write_all(request("").as_bytes()).await.unwrap();
    // The first byte shows that the response exists.
    idle.read_exact(&mut [0]).await.unwrap();
    let answer = server.ask(request("")).await;
    assert!(answer.starts_with("HTTP/1.1 503 "), "{answer}");
    assert_eq!(code(&answer), "ANSWER_DROPPED");
    assert!(server.ask(request(BODY)).await.ends_with(BODY), "a small response is not counted");
    drop(idle);
    assert!(until_answered(&server, &request("")).await.len() > LENGTH);
}

#[tokio::test]
async fn responses_that_a_websocket_does_not_read_share_a_budget() {
    const PADDING: usize = 60_000;
    const OPERATIONS: usize = 40;
    let bounds = Bounds { max_buffered: 1 << 20, ..Bounds::DEFAULT };
    let server = Server::within(PATIENT, bounds).await;
    let mut client = server.client().await;
    for id in 0..OPERATIONS {
        client.subscribe(&id.to_string(), &format!("subscription {{ count(padding: {PADDING}, to: 100) }}")).await;
    }
    // The socket takes some of them; the others wait.
    server.until(|probe| probe.counted.load(SeqCst) >= OPERATIONS).await;
    let (mut dropped, mut complete) = (0, 0);
    while dropped + complete < OPERATIONS {
        let message = client.hear().await;
        match message["type"].as_str() {
            Some("error") => {
                assert_eq!(message["payload"][0]["extensions"]["code"], "ANSWER_DROPPED");
                dropped += 1;
            }
            Some("complete") => complete += 1,
            _ => assert_eq!(message["payload"]["data"]["count"].as_str().unwrap().len(), PADDING),
        }
    }
    assert!(dropped > 0 && complete > 0, "{dropped} {complete}");
    client.say(json!({ "type": "ping" })).await;
    assert_eq!(client.hear().await, json!({ "type": "pong" }));
}

#[tokio::test]
async fn connections_beyond_the_limit_wait_to_be_accepted() {
    let asked = Arc::new(AtomicUsize::new(0));
    let count = asked.clone();
    let router = Router::new().route("/", get(async move || count.fetch_add(1, SeqCst).to_string()));
    let server = Served::new(router, Bounds { max_connections: 1, ..Bounds::DEFAULT }).await;
    let mut first = server.connect().await;
    let mut second = server.connect().await;
    let ask = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n";
    second.write_all(ask).await.unwrap();
    for expected in [b'0', b'1'] {
        first.write_all(ask).await.unwrap();
        let mut byte = [0];
        let mut answer = Vec::new();
        while !answer.ends_with(b"\r\n\r\n") {
            first.read_exact(&mut byte).await.unwrap();
            answer.push(byte[0]);
        }
        first.read_exact(&mut byte).await.unwrap();
        assert_eq!(byte[0], expected);
    }
    drop(first);
    second.read_exact(&mut [0]).await.unwrap();
    assert_eq!(asked.load(SeqCst), 3);
}
