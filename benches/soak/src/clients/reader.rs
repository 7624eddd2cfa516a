//! Clients that read lists, and clients that read what was written before.

use std::sync::Arc;

use super::client::Client;
use super::world::{World, address};
use crate::tally::Kind;

const LISTS: [&str; 3] = [
    "{ books(last: 10) { nodes { id name averageRating ratings(first: 3) { nodes { rating } } } } }",
    "{ ratings(first: 20, orderBy: [{ field: RATING, direction: DESC }]) { nodes { rating book { name } } totalCount } }",
    "{ a: books(first: 5, orderBy: [{ field: AVERAGE_RATING }]) { nodes { name } } b: books { totalCount } }",
];

/// Reads until the end.
pub async fn read(world: Arc<World>, number: usize) {
    let mut client = Client::new(address(2), world.addresses[number % 2]);
    for list in LISTS.iter().cycle() {
        if world.ends() {
            return;
        }
        match client.query(list, "").await {
            Ok(reply) => world.tally.took(Kind::Read, reply.time),
            Err(why) => world.tally.failed(Kind::Read, why),
        }
    }
}

/// Reads the newest book at its position, until the end. It was added through any server.
pub async fn read_newest(world: Arc<World>, number: usize) {
    let mut client = Client::new(address(3), world.addresses[number % 2]);
    while !world.ends() {
        let newest = world.model().newest.clone();
        let Some((id, position)) = newest else {
            tokio::task::yield_now().await;
            continue;
        };
        let header = format!("GraphQL-Position: {position}\r\n");
        match client.query(&format!("{{ node(id: {id:?}) {{ id }} }}"), &header).await {
            Ok(reply) if reply.data["node"].is_null() => {
                world.tally.failed(Kind::ReadAtPosition, "an acknowledged write was not seen at its position".into());
            }
            Ok(reply) => world.tally.took(Kind::ReadAtPosition, reply.time),
            Err(why) => world.tally.failed(Kind::ReadAtPosition, why),
        }
    }
}
