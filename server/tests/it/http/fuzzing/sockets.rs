//! Messages on WebSockets that nobody means well by.

use std::collections::BTreeMap;

use bookends_server::http::websocket::{MAX_MESSAGE, PROTOCOL};
use serde_json::{Value, json};
use testdb::TestDb;
use tokio_tungstenite::tungstenite::Message;

use super::dice::Dice;
use super::{ends_well, is_known};
use crate::support::counter::Client;
use crate::support::program::Program;
use crate::support::station;

const SOCKETS: usize = 500;

/// What says that the server has read all that came before.
const LAST: &str = "the last one";

impl Dice {
    /// A message that is next to one of the protocol's, or nothing of the kind.
    fn message(&mut self) -> Message {
        let types = ["ping", "pong", "complete", "subscribe", "subscribe", "subscribe", "subscribe"];
        let rare = ["connection_init", "connection_ack", "next", "error", "?"];
        let kind = if self.below(20) == 0 { self.any(&rare) } else { self.any(&types) };
        let mut message = json!({ "type": kind, "id": self.any(&["1", "2", "3", "4", "5", "6", ""]) });
        match self.below(20) {
            0 => message["payload"] = self.value(0),
            1 => message["id"] = self.value(0),
            2 => message["payload"] = serde_json::from_slice(&self.body()).unwrap_or_default(),
            _ => message["payload"] = json!({ "query": self.query(), "variables": { "v": self.value(0) } }),
        }
        if self.below(8) == 0 {
            message["payload"] = json!({ "query": "subscription { readingCreated { node { id } } }" });
        }
        match self.below(100) {
            0 => Message::Binary(self.body().into()),
            1 => Message::Ping(self.text().into_bytes().into_iter().take(125).collect()),
            2 => Message::Pong(self.text().into_bytes().into_iter().take(125).collect()),
            3 => Message::text(self.text()),
            4 => Message::text(self.value(0).to_string()),
            5 => Message::text(message.to_string().split_at(1).1),
            6 => Message::text(" ".repeat(MAX_MESSAGE + 1)),
            _ => Message::text(message.to_string()),
        }
    }
}

/// Reads until the answer to the last ping, or until the server closes; by which code it does.
async fn closed(client: &mut Client) -> Option<u16> {
    loop {
        let message: Value = match client.frame().await {
            Some(Message::Text(text)) => serde_json::from_str(&text).unwrap(),
            Some(Message::Close(Some(frame))) => return Some(frame.code.into()),
            Some(Message::Ping(_) | Message::Pong(_)) => continue,
            end => panic!("{end:?} is not as the server closes"),
        };
        match message["type"].as_str().unwrap() {
            "pong" if message["payload"][LAST] == true => return None,
            "connection_ack" | "pong" | "complete" => {}
            "next" => assert!(message["payload"]["errors"].as_array().into_iter().flatten().all(is_known), "{message}"),
            "error" => assert!(message["payload"].as_array().unwrap().iter().all(is_known), "{message}"),
            _ => panic!("{message}"),
        }
    }
}

#[tokio::test]
async fn odd_messages_do_not_stop_the_server() {
    let test = TestDb::new().await;
    let program = Program::start(&mut station::program(&test.url));
    let address = program.address();
    let mut dice = Dice::new(0);
    let mut ends = BTreeMap::<_, usize>::new();
    for _ in 0..SOCKETS {
        let mut client = if dice.below(4) > 0 {
            Client::acknowledged(&address).await
        } else {
            Client::open(&address, Some(PROTOCOL)).await.unwrap()
        };
        for _ in 0..dice.below(12) {
            client.send(dice.message()).await;
        }
        client.say(json!({ "type": "ping", "payload": { LAST: true } })).await;
        *ends.entry(closed(&mut client).await).or_default() += 1;
    }
    // What the protocol has a code for, and what a WebSocket has: never that the server is at fault.
    let known = [1009, 4400, 4401, 4403, 4409, 4429];
    assert!(ends.keys().flatten().all(|code| known.contains(code)) && ends.contains_key(&None), "{ends:?}");
    assert!([1009, 4400, 4401, 4429].iter().all(|code| ends.contains_key(&Some(*code))), "{ends:?}");

    let mut client = Client::acknowledged(&address).await;
    client.subscribe("1", "{ sensors(first: 1) { nodes { id } } }").await;
    assert_eq!(client.hear().await["payload"]["data"]["sensors"]["nodes"].as_array().unwrap().len(), 1);
    ends_well(program);
}
