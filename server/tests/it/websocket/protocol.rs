//! The protocol `graphql-transport-ws`.

use std::sync::atomic::Ordering::SeqCst;
use std::time::Duration;

use bookends_server::http::websocket::{MAX_MESSAGE, MAX_OPERATIONS, PROTOCOL, Timeouts};
use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::frame::Frame;
use tokio_tungstenite::tungstenite::protocol::frame::coding::{Data, OpCode};

use crate::support::counter::{NEVER, PATIENT, Server, next};

/// The close frame after an acknowledged client sends these messages.
async fn closes(messages: &[Message]) -> (u16, String) {
    let server = Server::new(PATIENT).await;
    let mut client = server.client().await;
    for message in messages {
        client.send(message.clone()).await;
    }
    client.closed().await
}

fn text(message: Value) -> Message {
    message.to_string().into()
}

fn subscribe(id: &str) -> Message {
    text(json!({ "type": "subscribe", "id": id, "payload": { "query": NEVER } }))
}

#[tokio::test]
async fn another_subprotocol_is_4406() {
    let server = Server::new(PATIENT).await;
    let mut client = server.socket(None).await;
    assert_eq!(client.closed().await, (4406, "Subprotocol not acceptable".into()));
}

#[tokio::test]
async fn a_late_connection_init_is_4408() {
    let server = Server::new(Timeouts { init: Duration::from_millis(300), ..PATIENT }).await;
    let mut client = server.socket(Some(PROTOCOL)).await;
    client.say(json!({ "type": "ping" })).await;
    assert_eq!(client.hear().await, json!({ "type": "pong" }));
    assert_eq!(client.closed().await, (4408, "Connection initialisation timeout".into()));
}

#[tokio::test]
async fn a_second_connection_init_is_4429() {
    let init = text(json!({ "type": "connection_init", "payload": null }));
    assert_eq!(closes(&[init]).await, (4429, "Too many initialisation requests".into()));
}

#[tokio::test]
async fn nothing_is_executed_before_the_acknowledgement() {
    let server = Server::new(PATIENT).await;
    let mut client = server.socket(Some(PROTOCOL)).await;
    client.subscribe("1", NEVER).await;
    assert_eq!(client.closed().await, (4401, "Unauthorized".into()));
    assert_eq!(server.probe.open.load(SeqCst), 0);
}

#[tokio::test]
async fn connection_init_authorizes() {
    let server = Server::new(PATIENT).await;
    let mut client = server.socket(Some(PROTOCOL)).await;
    client.say(json!({ "type": "connection_init", "payload": { "name": "Ada" } })).await;
    assert_eq!(client.hear().await["type"], "connection_ack");
    for id in ["1", "2"] {
        client.subscribe(id, "{ name }").await;
        let answer = json!({ "type": "next", "id": id, "payload": { "data": { "name": "Ada" } } });
        assert_eq!(client.hear().await, answer);
        assert_eq!(client.hear().await, json!({ "type": "complete", "id": id }));
    }

    let mut stranger = server.socket(Some(PROTOCOL)).await;
    stranger.say(json!({ "type": "connection_init", "payload": { "name": 1 } })).await;
    assert_eq!(stranger.closed().await, (4403, "Forbidden".into()));
}

#[tokio::test]
async fn the_id_of_a_running_operation_is_4409() {
    assert_eq!(closes(&[subscribe("a"), subscribe("a")]).await, (4409, "Subscriber for a already exists".into()));
    let (code, reason) = closes(&[subscribe(&"ä".repeat(128)), subscribe(&"ä".repeat(128))]).await;
    assert!(code == 4409 && reason.starts_with("Subscriber for ää") && reason.len() <= 123, "{code} {reason}");
    assert_eq!(closes(&[subscribe(&"a".repeat(257))]).await.0, 4400, "every message would repeat it");
}

#[tokio::test]
async fn an_id_is_free_when_its_operation_ends() {
    let server = Server::new(PATIENT).await;
    let mut client = server.client().await;
    for _ in 0..3 {
        client.subscribe("a", "{ name }").await;
        assert_eq!(client.hear().await["type"], "next");
        assert_eq!(client.hear().await, json!({ "type": "complete", "id": "a" }));
    }
    for _ in 0..100 {
        client.subscribe("a", NEVER).await;
        client.say(json!({ "type": "complete", "id": "a" })).await;
    }
    client.subscribe("a", "subscription { count(to: 1) }").await;
    assert_eq!(client.hear().await, next("a", "0"));
    assert_eq!(client.hear().await, json!({ "type": "complete", "id": "a" }));
    server.until(|probe| probe.open.load(SeqCst) == 0).await;
}

#[tokio::test]
async fn an_invalid_message_is_4400() {
    let deep = "[".repeat(MAX_MESSAGE / 2);
    let deep_payload = format!(r#"{{"type":"ping","payload":{{"a":{deep}"#);
    let messages = [
        Message::from(""),
        "x".into(),
        "null".into(),
        "[]".into(),
        "{}".into(),
        deep.into(),
        deep_payload.into(),
        Message::binary(r#"{"type":"ping"}"#),
        text(json!({ "type": 1 })),
        text(json!({ "type": "start", "id": "1", "payload": { "query": "{ name }" } })),
        text(json!({ "type": "ö".repeat(1000) })),
        text(json!({ "type": "ping", "payload": "x" })),
        text(json!({ "type": "connection_init", "payload": 1 })),
        text(json!({ "type": "complete" })),
        text(json!({ "type": "subscribe", "payload": { "query": "{ name }" } })),
        text(json!({ "type": "subscribe", "id": 1, "payload": { "query": "{ name }" } })),
        text(json!({ "type": "subscribe", "id": "", "payload": { "query": "{ name }" } })),
        text(json!({ "type": "subscribe", "id": "1" })),
        text(json!({ "type": "subscribe", "id": "1", "payload": {} })),
        text(json!({ "type": "subscribe", "id": "1", "payload": { "query": 1 } })),
        text(json!({ "type": "subscribe", "id": "1", "payload": { "query": "{ name }", "variables": [] } })),
    ];
    for message in messages {
        let (code, reason) = closes(std::slice::from_ref(&message)).await;
        assert!(code == 4400 && reason.starts_with("Invalid message: "), "{code} {reason}");
    }
}

#[tokio::test]
async fn a_message_has_a_maximum_size() {
    let query = |size| text(json!({ "type": "ping", "payload": { "x": "x".repeat(size) } }));
    let around = query(0).len();
    assert_eq!(closes(&[query(MAX_MESSAGE - around + 1)]).await.0, 1009);

    let server = Server::new(PATIENT).await;
    let mut client = server.client().await;
    client.send(query(MAX_MESSAGE - around)).await;
    assert_eq!(client.hear().await["type"], "pong");
}

#[tokio::test]
async fn an_invalid_frame_closes_the_connection() {
    let frame = |payload: Vec<u8>, kind| Message::Frame(Frame::message(payload, OpCode::Data(kind), true));
    assert_eq!(closes(&[frame(vec![0xff], Data::Text)]).await.0, 1007);
    assert_eq!(closes(&[frame(vec![], Data::Reserved(3))]).await.0, 1002);
    assert_eq!(closes(&[frame(vec![], Data::Continue)]).await.0, 1002);
}

#[tokio::test]
async fn a_ping_gets_its_pong() {
    let server = Server::new(PATIENT).await;
    let mut client = server.client().await;
    client.say(json!({ "type": "pong", "payload": { "a": 1 } })).await;
    client.say(json!({ "type": "complete", "id": "unknown" })).await;
    client.say(json!({ "type": "ping" })).await;
    assert_eq!(client.hear().await, json!({ "type": "pong" }));
    client.hears_nothing().await;
    client.send(Message::Ping("x".into())).await;
    assert_eq!(client.frame().await, Some(Message::Pong("x".into())));
}

#[tokio::test]
async fn variables_and_names_reach_the_operation() {
    let server = Server::new(PATIENT).await;
    let mut client = server.client().await;
    let query = "query a { name } subscription b($to: Int!) { count(to: $to) }";
    let payload = json!({ "query": query, "operationName": "b", "variables": { "to": 1 }, "extensions": {} });
    client.say(json!({ "type": "subscribe", "id": "1", "payload": payload })).await;
    assert_eq!(client.hear().await, next("1", "0"));
}

#[tokio::test]
async fn results_are_in_order_and_operations_alternate() {
    let server = Server::new(PATIENT).await;
    let mut client = server.client().await;
    let ids = ["a", "b", "c"];
    for id in ids {
        client.subscribe(id, "subscription { count }").await;
    }
    let mut heard = [0; 3];
    let mut all_run_since = None;
    while all_run_since.is_none_or(|since: [i32; 3]| heard[0] < since[0] + 1000) {
        let message = client.hear().await;
        let at = ids.iter().position(|id| message["id"] == *id).unwrap();
        assert_eq!(message, next(ids[at], &heard[at].to_string()));
        heard[at] += 1;
        if all_run_since.is_none() && !heard.contains(&0) {
            all_run_since = Some(heard);
        }
    }
    for (heard, since) in heard.iter().zip(all_run_since.unwrap()) {
        assert!((990..1010).contains(&(heard - since)), "{heard} since {since}");
    }
}

#[tokio::test]
async fn a_failed_operation_ends_with_an_error() {
    let server = Server::new(PATIENT).await;
    let mut client = server.client().await;
    let failures =
        ["{", "{ nothing }", "subscription { nothing }", "subscription { unavailable }", "query a { name } { name }"];
    for query in failures {
        client.subscribe("1", query).await;
        let message = client.hear().await;
        assert_eq!((&message["type"], &message["id"]), (&json!("error"), &json!("1")), "{query}");
        assert!(message["payload"][0]["message"].is_string(), "{message}");
        client.hears_nothing().await;
    }
}

#[tokio::test]
async fn a_panic_ends_only_its_operation() {
    let server = Server::new(PATIENT).await;
    let mut client = server.client().await;
    client.subscribe("goes on", NEVER).await;
    client.subscribe("panics", "{ broken }").await;
    let answer = client.hear().await;
    assert_eq!((&answer["type"], &answer["id"]), (&"error".into(), &"panics".into()));
    let extensions = &answer["payload"][0]["extensions"];
    assert!(extensions["code"] == "INTERNAL" && extensions["errorId"].is_string(), "{answer}");
    client.subscribe("panics", "{ name }").await;
    assert_eq!(client.hear().await["payload"]["data"]["name"], Value::Null);
    assert_eq!(client.hear().await["type"], "complete");
    server.until(|probe| probe.open.load(SeqCst) == 1).await;
}

#[tokio::test]
async fn a_failed_event_does_not_end_the_subscription() {
    let server = Server::new(PATIENT).await;
    let mut client = server.client().await;
    client.subscribe("1", "subscription { odd }").await;
    assert_eq!(client.hear().await["payload"], json!({ "data": { "odd": 0 } }));
    let event = client.hear().await;
    assert_eq!((&event["type"], &event["payload"]["errors"][0]["message"]), (&json!("next"), &json!("no")));
    assert_eq!(client.hear().await["payload"], json!({ "data": { "odd": 2 } }));
    assert_eq!(client.hear().await, json!({ "type": "complete", "id": "1" }));

    client.subscribe("2", "{ failing }").await;
    assert_eq!(client.hear().await["payload"]["data"], json!({ "failing": null }));
    assert_eq!(client.hear().await["type"], "complete");
}

#[tokio::test]
async fn the_number_of_operations_is_limited() {
    let server = Server::new(PATIENT).await;
    let mut client = server.client().await;
    for id in 0..MAX_OPERATIONS {
        client.subscribe(&id.to_string(), NEVER).await;
    }
    for (id, freed) in [("x", "0"), ("y", "1")] {
        client.subscribe(id, NEVER).await;
        let message = client.hear().await;
        assert_eq!((&message["type"], &message["id"]), (&json!("error"), &json!(id)));
        assert_eq!(message["payload"][0]["extensions"]["code"], "TOO_MANY_OPERATIONS");
        client.say(json!({ "type": "complete", "id": freed })).await;
        client.subscribe(id, NEVER).await;
        client.hears_nothing().await;
    }
    server.until(|probe| probe.open.load(SeqCst) == MAX_OPERATIONS).await;
}

#[tokio::test]
async fn the_size_of_the_operations_is_limited() {
    let server = Server::new(PATIENT).await;
    let mut client = server.client().await;
    let large = format!("{NEVER} # {}", "x".repeat(MAX_MESSAGE * 2 / 3));
    client.subscribe("a", &large).await;
    client.subscribe("b", &large).await;
    let message = client.hear().await;
    assert_eq!((&message["type"], &message["id"]), (&json!("error"), &json!("b")));
    assert_eq!(message["payload"][0]["extensions"]["code"], "TOO_MANY_OPERATIONS");
    client.subscribe("c", NEVER).await;
    client.say(json!({ "type": "complete", "id": "a" })).await;
    client.subscribe("b", &large).await;
    client.hears_nothing().await;
    server.until(|probe| probe.open.load(SeqCst) == 2).await;
}

#[tokio::test]
async fn complete_ends_an_operation_silently() {
    let server = Server::new(PATIENT).await;
    let mut client = server.client().await;
    client.subscribe("1", "subscription { count(to: 1, wait: true) }").await;
    assert_eq!(client.hear().await, next("1", "0"));
    client.say(json!({ "type": "complete", "id": "1" })).await;
    client.hears_nothing().await;
    server.until(|probe| probe.open.load(SeqCst) == 0).await;
}

#[tokio::test]
async fn a_disconnect_ends_the_operations() {
    let server = Server::new(PATIENT).await;
    for goodbye in [true, false] {
        let mut client = server.client().await;
        client.subscribe("1", NEVER).await;
        client.subscribe("2", NEVER).await;
        server.until(|probe| probe.open.load(SeqCst) == 2).await;
        if goodbye {
            client.send(Message::Close(None)).await;
        }
        drop(client);
        server.until(|probe| probe.open.load(SeqCst) == 0).await;
    }
}
