//! Clients that walk through all ratings, each page from the next server.

use std::sync::Arc;
use std::sync::atomic::Ordering::SeqCst;

use serde_json::Value;

use super::client::Client;
use super::page::Page;
use super::world::{World, address};
use crate::tally::Kind;

const ORDERS: [&str; 4] = [
    "[{ field: RATING, direction: DESC }]",
    "[{ field: RATING }]",
    "[{ field: CREATED_AT }]",
    "[{ field: CREATED_AT, direction: DESC }]",
];

/// Walks until the end. Every rating that nobody changes is seen once.
pub async fn walk(world: Arc<World>, number: usize) {
    let mut clients = world.addresses.map(|server| Client::new(address(5), server));
    for turn in number.. {
        if world.ends() {
            return;
        }
        let (order, forward) = (ORDERS[turn / 2 % ORDERS.len()], turn % 2 == 0);
        match whole(&world, &mut clients, order, forward).await {
            Ok(Some(seen)) => {
                let mut kept: Vec<&String> = seen.iter().filter(|uuid| world.kept.contains(*uuid)).collect();
                let all = kept.len();
                kept.sort_unstable();
                kept.dedup();
                if kept.len() < all || kept.len() < world.kept.len() {
                    let of = world.kept.len();
                    let why =
                        format!("{order}, forward {forward}: saw {all}, {} of them different, of {of}", kept.len());
                    world.tally.failed(Kind::Walk, why);
                }
                world.walks.fetch_add(1, SeqCst);
            }
            Ok(None) => return,
            Err(why) => world.tally.failed(Kind::Walk, why),
        }
    }
}

/// The UUIDs of all ratings in this order, by pages; `None` at the end of the run.
async fn whole(
    world: &World,
    clients: &mut [Client],
    order: &str,
    forward: bool,
) -> Result<Option<Vec<String>>, String> {
    let (mut seen, mut cursor) = (Vec::new(), Value::from(""));
    for turn in 0.. {
        if world.ends() {
            return Ok(None);
        }
        let turn = turn % clients.len();
        let page = Page::read(&mut clients[turn], order, forward, &cursor).await?;
        world.tally.took(Kind::Walk, page.time);
        seen.extend(page.uuids);
        match page.next {
            Some(next) => cursor = next,
            None => break,
        }
    }
    Ok(Some(seen))
}
