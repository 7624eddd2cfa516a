//! A subscription to readings.

use serde_json::Value;

use crate::support::fleet::{self, Server, wait};

pub struct Subscriber(fleet::Subscriber);

impl Subscriber {
    /// Subscribes, and waits until an event has come.
    #[track_caller]
    pub fn new(server: &Server) -> Self {
        let mut subscriber = Self(server.subscribe("subscription { readingCreated { node { id } } }"));
        wait(|| server.metric("bookends_subscriptions", None) > 0);
        subscriber.goes_on(server);
        subscriber
    }

    /// Hears of a new reading, whatever comes before it.
    #[track_caller]
    pub fn goes_on(&mut self, server: &Server) {
        let id = read(server);
        while self.0.next()["data"]["readingCreated"]["node"]["id"] != *id {}
    }
}

/// Adds a reading of a sensor; its id.
#[track_caller]
fn read(server: &Server) -> String {
    let mut client = server.client();
    let sensor: Value = client.query("{ sensors(first: 1) { nodes { id } } }")["sensors"]["nodes"][0]["id"].take();
    let mutation = format!(
        "mutation {{ createReading(input: {{ sensorId: {sensor}, value: 3 }}) {{ readingEdge {{ node {{ id }} }} }} }}"
    );
    let reply = client.write(&mutation).unwrap();
    reply.data["createReading"]["readingEdge"]["node"]["id"].as_str().unwrap().to_owned()
}
