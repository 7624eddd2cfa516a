//! What the clients share.

use std::collections::BTreeSet;
use std::error::Error;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::client::Client;
use crate::fleet::Fleet;
use crate::model::Model;
use crate::server::Server;
use crate::tally::Tally;

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
    pub(super) ends: AtomicBool,
    pub(super) walks: AtomicUsize,
}

impl World {
    pub fn new(servers: &[Server; 2], fleet: &Fleet) -> io::Result<Self> {
        let addresses = servers.each_ref().map(|server| server.address);
        let kept = fleet.primary().sql("SELECT id FROM book_rating").lines().map(str::to_owned).collect();
        let mut client = Client::new(Ipv4Addr::LOCALHOST, addresses[0]);
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
pub fn address(kind: u8) -> Ipv4Addr {
    Ipv4Addr::new(127, 0, 0, kind)
}
