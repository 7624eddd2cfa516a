//! The clients of the two servers.

use std::error::Error;
use std::sync::Arc;
use std::sync::atomic::Ordering::SeqCst;

use tokio::runtime::Runtime;
use tokio::task::JoinSet;

use crate::server;

pub mod client;
pub mod page;
mod reader;
mod subscriber;
mod walker;
mod world;
mod writer;

pub use world::{World, wait};

/// The number of clients of each kind.
const WALKERS: usize = 2;
const READERS: usize = 2;
const WRITERS: usize = 3;

/// The tasks of the clients.
pub struct Clients {
    requests: JoinSet<()>,
    subscribers: JoinSet<()>,
}

/// Starts all clients. The writers start after the subscribers listen.
pub fn start(runtime: &Runtime, world: &Arc<World>) -> Result<Clients, Box<dyn Error>> {
    let (mut requests, mut subscribers) = (JoinSet::new(), JoinSet::new());
    for server in 0..2 {
        subscribers.spawn_on(subscriber::subscribe(Arc::clone(world), server), runtime.handle());
    }
    let listen = |address| {
        let metrics = server::get(address, "/metrics").unwrap_or_default();
        metrics.lines().any(|line| line == "bookends_subscriptions 1")
    };
    wait("subscribers", || world.addresses.into_iter().all(listen))?;
    for number in 0..WALKERS {
        requests.spawn_on(walker::walk(Arc::clone(world), number), runtime.handle());
    }
    for number in 0..READERS {
        requests.spawn_on(reader::read(Arc::clone(world), number), runtime.handle());
        requests.spawn_on(reader::read_newest(Arc::clone(world), number), runtime.handle());
    }
    for number in 0..WRITERS {
        requests.spawn_on(writer::write(Arc::clone(world), number), runtime.handle());
    }
    Ok(Clients { requests, subscribers })
}

/// Lets all clients complete what they do, and the subscribers hear of all ratings.
pub fn stop(runtime: &Runtime, world: &World, clients: Clients) -> Result<(), Box<dyn Error>> {
    let Clients { mut requests, mut subscribers } = clients;
    world.ends.store(true, SeqCst);
    runtime.block_on(async {
        while let Some(ended) = requests.join_next().await {
            ended?;
        }
        Ok::<_, Box<dyn Error>>(())
    })?;
    let all = world.model().announced.clone();
    // What was not heard is a fault of the check.
    let _ = wait("events", || world.heard().iter().all(|heard| all.is_subset(heard)));
    runtime.block_on(subscribers.shutdown());
    Ok(())
}
