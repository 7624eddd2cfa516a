//! WebSocket clients that are slow, silent or too many.

use std::sync::atomic::Ordering::SeqCst;
use std::time::{Duration, Instant};

use bookends_server::config::{Bounds, Seconds};
use bookends_server::http::websocket::{PROTOCOL, Timeouts};
use serde_json::json;
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::protocol::frame::Frame;
use tokio_tungstenite::tungstenite::protocol::frame::coding::{Data, OpCode};
use tokio_tungstenite::tungstenite::{Error, Message};

use crate::support::counter::{Client, NEVER, PATIENT, Server, next};
use crate::support::patience::{LONG, until};

/// The length of a padded number in [`stuck`]. A thousand of them exceed the buffers of a socket.
const PADDING: usize = 60_000;

/// Subscribes to endless numbers, and reads none.
async fn stuck(server: &Server) -> Client {
    let mut client = server.client().await;
    client.subscribe("slow", "{ slow }").await;
    client.subscribe("1", &format!("subscription {{ count(padding: {PADDING}) }}")).await;
    let counted = || server.probe.counted.load(SeqCst);
    server.until(|_| counted() > 0).await;
    let mut before = 0;
    while counted() > before {
        before = counted();
        assert!(before < 1000);
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    client
}

#[tokio::test]
async fn a_client_that_does_not_read_pauses_its_subscription() {
    let server = Server::new(PATIENT).await;
    let mut client = stuck(&server).await;
    // A query completes nevertheless: it may hold a database connection.
    server.until(|probe| probe.slow.load(SeqCst) == 1).await;

    // A client that reads again misses nothing.
    let counted = server.probe.counted.load(SeqCst);
    let mut heard = 0;
    while heard < counted + 10 {
        let message = client.hear().await;
        if message["id"] == "1" {
            assert_eq!(message, next("1", &format!("{heard:0>PADDING$}")));
            heard += 1;
        }
    }
}

#[tokio::test]
async fn a_client_that_does_not_read_for_long_is_disconnected() {
    let timeouts = Timeouts { write: Duration::from_secs(1), close: Duration::from_millis(50), ..PATIENT };
    let server = Server::new(timeouts).await;
    let mut client = stuck(&server).await;
    server.until(|probe| probe.open.load(SeqCst) == 0).await;
    assert!(server.probe.counted.load(SeqCst) < 1000);
    assert_eq!(client.closed().await.0, 1013, "it gets the close frame when it reads again");
}

#[tokio::test]
async fn pongs_that_are_not_read_do_not_accumulate() {
    let timeouts = Timeouts { write: Duration::from_millis(300), close: Duration::from_millis(50), ..PATIENT };
    let server = Server::new(timeouts).await;
    let text = Message::from(json!({ "type": "ping", "payload": { "x": "x".repeat(PADDING) } }).to_string());
    for ping in [Message::Ping(vec![0; 125].into()), text] {
        let mut client = server.client().await;
        client.subscribe("1", NEVER).await;
        server.until(|probe| probe.open.load(SeqCst) == 1).await;
        let flood = async {
            loop {
                client.feed(ping.clone()).await;
            }
        };
        tokio::select! {
            () = server.until(|probe| probe.open.load(SeqCst) == 0) => {}
            () = flood => {}
        }
    }
}

#[tokio::test]
async fn a_silent_client_is_disconnected() {
    let server = Server::new(Timeouts { idle: Duration::from_millis(100), ..PATIENT }).await;
    let mut alive = server.client().await;
    let mut dead = server.client().await;
    for client in [&mut alive, &mut dead] {
        client.subscribe("1", NEVER).await;
    }
    server.until(|probe| probe.open.load(SeqCst) == 2).await;
    // A client that reads answers pings. After two unanswered pings, the connection is closed.
    for _ in 0..6 {
        assert_eq!(alive.frame().await, Some(Message::Ping("".into())));
    }
    server.until(|probe| probe.open.load(SeqCst) == 1).await;
    alive.hears_nothing().await;
}

#[tokio::test]
async fn a_server_that_stops_closes_its_websockets() {
    // The server ends only when its WebSockets end.
    let bounds = Bounds { shutdown_timeout: Seconds(2 * LONG), ..Bounds::DEFAULT };
    let mut server = Server::within(PATIENT, bounds).await;
    let mut idle = server.client().await;
    let mut greeting = server.socket(Some(PROTOCOL)).await;
    let stuck = stuck(&server).await;
    server.stop.take().unwrap().send(()).unwrap();
    for client in [&mut idle, &mut greeting] {
        assert_eq!(client.closed().await, (1001, "Going away".into()));
    }
    // Including the one that does not read.
    timeout(LONG, server.ended).await.expect("it ends").unwrap();
    assert_eq!(server.probe.open.load(SeqCst), 0);
    drop(stuck);
}

#[tokio::test]
async fn websockets_beyond_the_limit_are_rejected() {
    // One client that is alone may open half of them.
    let server = Server::within(PATIENT, Bounds { max_websockets: 4, ..Bounds::DEFAULT }).await;
    let (first, second) = (server.client().await, server.client().await);
    let Err(Error::Http(refusal)) = server.handshake(Some(PROTOCOL)).await.map(drop) else {
        panic!("a third one is open")
    };
    assert_eq!((refusal.status().as_u16(), &refusal.headers()["Retry-After"]), (503, &"1".parse().unwrap()));
    drop(first);
    // It is free as soon as the server notices the disconnect.
    let end = Instant::now() + Duration::from_secs(30);
    while server.handshake(Some(PROTOCOL)).await.is_err() {
        assert!(Instant::now() < end);
    }
    drop(second);
}

/// The first fragment of a message, which has others.
fn fragment(bytes: usize) -> Message {
    Message::Frame(Frame::message(vec![b' '; bytes], OpCode::Data(Data::Text), false))
}

/// The limit of one message does not help: there can be thousands of sockets.
#[tokio::test]
async fn unfinished_messages_share_the_memory_budget() {
    let server = Server::within(PATIENT, Bounds { max_buffered: 2 << 20, ..Bounds::DEFAULT }).await;
    let mut open = Vec::new();
    let refused = loop {
        let mut client = server.client().await;
        client.send(fragment(100_000)).await;
        // A frame of control may stand between two fragments.
        client.send(Message::Ping("".into())).await;
        match client.frame().await {
            Some(Message::Pong(_)) => open.push(client),
            refused => break refused,
        }
        assert!(open.len() < 8, "nothing counts them");
    };
    let Some(Message::Close(Some(frame))) = refused else { panic!("{refused:?}") };
    assert!(u16::from(frame.code) == 1013 && frame.reason.contains("MAX_BUFFERED"), "{frame:?}");
    // What they took is free again when they are gone.
    drop(open);
    until(async || {
        let mut client = server.client().await;
        client.send(fragment(100_000)).await;
        client.send(Message::Ping("".into())).await;
        matches!(client.frame().await, Some(Message::Pong(_)))
    })
    .await;
}

#[tokio::test]
async fn an_unfinished_message_has_a_time_limit_and_an_idle_client_has_none() {
    let bounds = Bounds { read_timeout: Seconds(Duration::from_secs(1)), ..Bounds::DEFAULT };
    let server = Server::within(PATIENT, bounds).await;
    let (mut idle, mut slow) = (server.client().await, server.client().await);
    slow.send(fragment(10)).await;
    let (code, reason) = slow.closed().await;
    assert!(code == 1013 && reason.contains("READ_TIMEOUT"), "{code} {reason}");
    idle.say(json!({ "type": "ping" })).await;
    assert_eq!(idle.hear().await, json!({ "type": "pong" }));
}
