//! The clients of the two servers.

use std::collections::BTreeSet;
use std::error::Error;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use tokio::runtime::Runtime;
use tokio::task::JoinSet;

use crate::fleet::Fleet;
use crate::model::Model;
use crate::server::{self, Server};
use crate::tally::Tally;

pub mod client;
pub mod page;
mod reader;
mod subscriber;
mod walker;
mod writer;

/// The number of clients of each kind.
const WALKERS: usize = 2;
const READERS: usize = 2;
const WRITERS: usize = 3;

/// The longest time until something is so.
const MAX_WAIT: Duration = Duration::from_mins(1);

/// What the clients share.
pub struct World {
    pub addresses: [SocketAddr; 2],
    pub tally: Tally,
    /// The ratings by their UUIDs that nobody changes or deletes.
    pub kept: BTreeSet<String>,
    /// The global ids of some books.
    pub books: Vec<String>,
    /// Whether a primary is gone, and not every server writes to another one yet.
    pub is_headless: AtomicBool,
    model: Mutex<Model>,
    heard: Mutex<Vec<BTreeSet<String>>>,
    ends: AtomicBool,
    walks: AtomicUsize,
}

impl World {
    pub fn new(servers: &[Server; 2], fleet: &Fleet) -> io::Result<Self> {
        let addresses = servers.each_ref().map(|server| server.address);
        let kept = fleet.primary().sql("SELECT id FROM book_rating").lines().map(str::to_owned).collect();
        let mut client = client::Client::new(Ipv4Addr::LOCALHOST, addresses[0]);
        let query = client.query("{ books(first: 100) { nodes { id } } }", "");
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let data = runtime.block_on(query).map_err(io::Error::other)?.data;
        let nodes = data["books"]["nodes"].as_array().cloned().unwrap_or_default();
        let books = nodes.iter().filter_map(|node| node["id"].as_str().map(str::to_owned)).collect();
        Ok(Self {
            addresses,
            tally: Tally::default(),
            kept,
            books,
            is_headless: AtomicBool::default(),
            model: Mutex::default(),
            heard: Mutex::new(vec![BTreeSet::new(); 2]),
            ends: AtomicBool::default(),
            walks: AtomicUsize::default(),
        })
    }

    pub fn model(&self) -> MutexGuard<'_, Model> {
        self.model.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What the subscriber of each server has heard.
    pub fn heard(&self) -> MutexGuard<'_, Vec<BTreeSet<String>>> {
        self.heard.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn ends(&self) -> bool {
        self.ends.load(SeqCst)
    }

    pub fn walked(&self) -> usize {
        self.walks.load(SeqCst)
    }
}

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

/// Waits until something is so.
pub fn wait(what: &str, mut is: impl FnMut() -> bool) -> Result<(), Box<dyn Error>> {
    let end = Instant::now() + MAX_WAIT;
    while !is() {
        if Instant::now() > end {
            return Err(format!("waited in vain: {what}").into());
        }
        thread::sleep(Duration::from_millis(20));
    }
    Ok(())
}

/// The address of a client: each kind has its own share of the servers.
fn address(kind: u8) -> Ipv4Addr {
    Ipv4Addr::new(127, 0, 0, kind)
}
