//! What happens when a token expires.

use async_graphql::futures_util::StreamExt;
use bookends_server::Claims;
use bookends_server::http::websocket::PROTOCOL;
use bookends_server::request::Incoming;
use serde_json::{Value, json};
use tokio::time::timeout;

use super::{EVENTS, READ, bearer, ending, from_now, request, serve, settings};
use crate::support::counter::Client;
use crate::support::patience::until;
use crate::support::served::{LONG, writable};
use crate::support::station::{SMALL, Station};

const ADDED: &str = "subscription { readingCreated { node { value } } }";

/// The client library graphql-ws reconnects on this code, asks its application for a token, and subscribes again.
#[tokio::test]
async fn a_websocket_is_closed_and_its_subscriptions_end() {
    let station = Station::new(SMALL).await;
    let server = serve(&station, writable(), &settings()).await;
    let client = Client::open(&server.address, Some(PROTOCOL)).await.unwrap();
    let authorization = format!("Bearer {}", ending(2, json!({})));
    let mut client = client.opened(json!({ "authorization": authorization })).await;
    client.subscribe("1", ADDED).await;
    client.subscribe("2", READ).await;
    assert_eq!(client.hear().await["payload"]["data"]["sensors"]["totalCount"], SMALL.sensors);
    assert_eq!(client.hear().await, json!({ "type": "complete", "id": "2" }));
    until(async || station.api.events().subscribers() == 1).await;
    // No operation fails before.
    let frame = timeout(LONG, client.frame()).await.unwrap();
    let Some(tokio_tungstenite::tungstenite::Message::Close(Some(frame))) = frame else { panic!("{frame:?}") };
    assert_eq!((u16::from(frame.code), frame.reason.as_str()), (4403, "Forbidden: the token has expired"));
    until(async || station.api.events().subscribers() == 0).await;
}

#[tokio::test]
async fn an_event_stream_ends_after_an_error() {
    let station = Station::new(SMALL).await;
    let server = serve(&station, writable(), &settings()).await;
    let headers = format!("{EVENTS}{}", bearer(&ending(2, json!({}))));
    let answer = timeout(LONG, server.ask(request(&headers, ADDED))).await.unwrap();
    let events: Vec<_> =
        answer.lines().filter(|line| line.starts_with("event: ") || line.starts_with("data: ")).collect();
    let [next, data, complete, _] = events[..] else { panic!("{answer}") };
    assert_eq!((next, complete), ("event: next", "event: complete"), "{answer}");
    let data: Value = serde_json::from_str(data.strip_prefix("data: ").unwrap()).unwrap();
    let error = json!({ "message": "the token has expired", "extensions": { "code": "UNAUTHENTICATED" } });
    assert_eq!(data["errors"], json!([error]), "{answer}");
    until(async || station.api.events().subscribers() == 0).await;
}

/// Also in a server of an application, which verifies tokens itself.
#[tokio::test]
async fn nothing_begins_after_the_end_of_claims() {
    let station = Station::new(SMALL).await;
    let claims = |seconds: i64| {
        let Value::Object(claims) = json!({ "exp": from_now(seconds) }) else { panic!() };
        Claims::new(claims)
    };
    for document in [READ, "mutation { __typename }", ADDED] {
        let incoming = Incoming::from(document).claiming(claims(-1));
        let responses: Vec<_> = station.api.stream(incoming).collect().await;
        let [response] = &responses[..] else { panic!("{responses:?}") };
        assert_eq!(response.errors[0].message, "the token has expired", "{document}");
    }
    let valid = station.api.execute(Incoming::from(READ).claiming(claims(60))).await;
    assert!(valid.errors.is_empty(), "{valid:?}");
    let subscription = station.api.stream(Incoming::from(ADDED).claiming(claims(1)));
    let responses: Vec<_> = timeout(LONG, subscription.collect()).await.unwrap();
    assert_eq!(responses.len(), 1, "{responses:?}");
    assert_eq!(responses[0].errors[0].message, "the token has expired");
}
