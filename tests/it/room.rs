//! How much the server holds for clients that are slow.

use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::SeqCst;

use async_graphql::futures_util::future::select_all;
use axum::Router;
use axum::body::Bytes;
use axum::routing::{get, post};
use bookends::config::Bounds;
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::time::timeout;

use crate::counter::{PATIENT, Server};
use crate::served::{LONG, Served, code, heard, post as request};

/// Some body for which there is room.
const BODY: &str = "of a few bytes";

/// Asks until there is room again.
async fn until_answered(server: &Served, text: &str) -> String {
    let answered = async {
        loop {
            let answer = server.ask(text).await;
            if answer.starts_with("HTTP/1.1 200 ") {
                return answer;
            }
        }
    };
    timeout(LONG, answered).await.expect("there is no room again")
}

#[tokio::test]
async fn bodies_that_do_not_come_to_an_end_are_bounded_together() {
    let router = Router::new().route("/graphql", post(async |body: Bytes| body.len().to_string()));
    let server = Served::new(router, Bounds { max_buffered: 1 << 20, ..Bounds::DEFAULT }).await;
    let text = request(&"x".repeat(200_000));
    let mut sockets = Vec::new();
    for _ in 0..10 {
        let mut socket = server.connect().await;
        // One that is turned away need not take it all.
        let _ = socket.write_all(text.as_bytes().strip_suffix(b"x").unwrap()).await;
        sockets.push(socket);
    }
    let answered = select_all(sockets.iter().map(|socket| Box::pin(socket.readable())));
    let (_, first, _) = timeout(LONG, answered).await.expect("nobody is turned away");
    let refusal = heard(&mut sockets.swap_remove(first)).await;
    assert!(refusal.starts_with("HTTP/1.1 503 ") && refusal.contains("\r\nretry-after: 1\r\n"), "{refusal}");
    assert_eq!(code(&refusal), "OVERLOADED");
    let mut let_in = 0;
    for socket in &mut sockets {
        let _ = socket.write_all(b"x").await;
        let_in += usize::from(heard(socket).await.ends_with("200000"));
    }
    assert!(let_in > 0);
    assert!(until_answered(&server, &text).await.ends_with("200000"));
}

#[tokio::test]
async fn answers_that_nobody_takes_are_bounded_together() {
    const LENGTH: usize = 32 << 20;
    let long = post(async |body: Bytes| if body.is_empty() { Bytes::from(vec![b'x'; LENGTH]) } else { body });
    let bounds = Bounds { max_buffered: LENGTH + BODY.len(), ..Bounds::DEFAULT };
    let server = Served::new(Router::new().route("/graphql", long), bounds).await;
    let mut idle = server.connect().await;
    idle.write_all(request("").as_bytes()).await.unwrap();
    // It has begun to come, so it is there.
    idle.read_exact(&mut [0]).await.unwrap();
    let answer = server.ask(request("")).await;
    assert!(answer.starts_with("HTTP/1.1 503 "), "{answer}");
    assert_eq!(code(&answer), "ANSWER_DROPPED");
    assert!(server.ask(request(BODY)).await.ends_with(BODY), "a small answer takes no room");
    drop(idle);
    assert!(until_answered(&server, &request("")).await.len() > LENGTH);
}

#[tokio::test]
async fn answers_that_a_websocket_does_not_take_are_bounded_together() {
    const PADDING: usize = 60_000;
    const OPERATIONS: usize = 40;
    let bounds = Bounds { max_buffered: 1 << 20, ..Bounds::DEFAULT };
    let server = Server::within(PATIENT, bounds).await;
    let mut client = server.client().await;
    for id in 0..OPERATIONS {
        client.subscribe(&id.to_string(), &format!("subscription {{ count(padding: {PADDING}, to: 100) }}")).await;
    }
    // The socket takes some of them, and what it has not taken waits.
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
async fn connections_beyond_the_bound_wait_at_the_door() {
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
