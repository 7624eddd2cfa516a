//! Tokens on a WebSocket.

use bookends_server::http::websocket::PROTOCOL;
use serde_json::{Value, json};

use super::{READ, SECRET, WRITE, ending, serve, settings, token};
use crate::support::counter::Client;
use crate::support::log::Log;
use crate::support::served::{Served, TOKEN, writable};
use crate::support::station::{SMALL, Station};

/// A connection with this header of its handshake.
async fn open(server: &Served, authorization: Option<&str>) -> Client {
    let headers: Vec<_> = authorization.iter().map(|value| ("Authorization", *value)).collect();
    Client::open_with(&server.address, Some(PROTOCOL), &headers).await.unwrap()
}

#[tokio::test]
async fn a_token_is_checked_at_connection_init() {
    let station = Station::new(SMALL).await;
    let server = serve(&station, writable(), &settings()).await;
    let good = format!("Bearer {}", token(json!({})));
    let expired = format!("Bearer {}", ending(-1, json!({})));
    let write = format!("Bearer {TOKEN}");
    for (header, payload, writes) in [
        (None, json!({ "authorization": good }), Some("next")),
        (None, json!({ "Authorization": write }), Some("next")),
        (Some(good.as_str()), json!({}), Some("next")),
        (Some(&expired), json!({ "authorization": good }), Some("next")),
        (None, json!({}), Some("error")),
        (None, json!({ "authorization": expired }), None),
        (Some(&expired), json!({}), None),
        (Some(&good), json!({ "authorization": expired }), None),
        (None, json!({ "authorization": "Bearer a.b.c" }), None),
    ] {
        let mut client = open(&server, header).await;
        let Some(expected) = writes else {
            client.say(json!({ "type": "connection_init", "payload": payload })).await;
            let (code, reason) = client.closed().await;
            assert!(
                code == 4403 && reason.starts_with("Forbidden: the token "),
                "{header:?} {payload}: {code} {reason}"
            );
            continue;
        };
        let mut client = client.opened(payload.clone()).await;
        client.subscribe("1", WRITE).await;
        let answer = client.hear().await;
        assert_eq!(answer["type"], expected, "{header:?} {payload}: {answer}");
        if expected == "next" {
            assert_eq!(client.hear().await["type"], "complete");
        }
        client.subscribe("2", READ).await;
        assert_eq!(client.hear().await["type"], "next", "reading is free");
    }
}

#[tokio::test]
async fn nothing_secret_is_logged() {
    let log = Log::default();
    let _captured = log.capture();
    let station = Station::new(SMALL).await;
    let server = serve(&station, writable(), &settings()).await;
    let secret = json!({ "sub": "subject-of-the-tests", "tenant": "tenant-of-the-tests" });
    let (good, expired) = (token(secret.clone()), ending(-1, secret));
    for token in [&good, &expired] {
        let mut client = open(&server, None).await;
        client
            .say(json!({ "type": "connection_init", "payload": { "authorization": format!("Bearer {token}") } }))
            .await;
        if token == &expired {
            client.closed().await;
        } else {
            assert_eq!(client.hear().await["type"], "connection_ack");
            client.subscribe("1", "{ nothing }").await;
            assert_ne!(client.hear().await["payload"][0]["message"], Value::Null);
        }
        server.ask(super::request(&super::bearer(token), READ)).await;
    }
    let text = log.text();
    assert!(text.contains("a WebSocket was refused") && text.contains("UNAUTHENTICATED"), "{text}");
    for hidden in [SECRET, &good[..40], &expired[..40], "subject-of", "tenant-of"] {
        assert!(!text.contains(hidden), "{hidden} is in {text}");
    }
}
