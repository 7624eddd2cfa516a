//! The attacks. Each is a function that runs until it is dropped, which closes its sockets.

use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::net::Ipv4Addr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures_util::future::BoxFuture;
use serde_json::Value;
use tokio::net::TcpStream;
use tokio::task::JoinSet;

use crate::http;
use crate::shop::{Shop, attacker};

mod divided;
mod documents;
mod expensive;
mod held;
mod malformed;
mod repeat;
mod requests;
mod variables;
mod websockets;

pub use held::large;
pub use repeat::{Requests, repeat};

/// What an attack needs. Cheap to clone.
#[derive(Clone)]
pub struct Siege {
    pub shop: Shop,
    pub tally: Arc<Tally>,
    pub prepared: Arc<Prepared>,
    /// How many addresses attack.
    pub addresses: u8,
    /// The one of this connection.
    pub from: Ipv4Addr,
}

/// What is found before an attack, by asking the server.
#[derive(Default)]
pub struct Prepared {
    /// The request that takes longest of those that are not refused.
    pub expensive: Vec<u8>,
    /// The largest subscription that is not refused.
    pub subscription: String,
}

/// What an attacker sent and got.
#[derive(Default)]
pub struct Tally(Mutex<Counts>);

#[derive(Default)]
struct Counts {
    sent: usize,
    got: BTreeMap<String, usize>,
}

/// An attack begins with this client.
pub type Attack = fn(Siege) -> BoxFuture<'static, ()>;

/// The attacks, by name.
pub const ATTACKS: [(&str, Attack); 17] = [
    ("none", |_| Box::pin(std::future::pending())),
    ("filters", |siege| Box::pin(requests::filters(siege))),
    ("allowed", |siege| Box::pin(expensive::allowed(siege))),
    ("abandoned", |siege| Box::pin(expensive::abandoned(siege))),
    ("pipelined", |siege| Box::pin(expensive::pipelined(siege))),
    ("documents", |siege| Box::pin(documents::documents(siege))),
    ("variables", |siege| Box::pin(variables::variables(siege))),
    ("bodies", |siege| Box::pin(held::bodies(siege))),
    ("connections", |siege| Box::pin(held::connections(siege))),
    ("readers", |siege| Box::pin(held::readers(siege))),
    ("websockets", |siege| Box::pin(websockets::websockets(siege))),
    ("subscriptions", |siege| Box::pin(websockets::subscriptions(siege))),
    ("writes", |siege| Box::pin(requests::writes(siege))),
    ("malformed", |siege| Box::pin(malformed::malformed(siege))),
    ("introspection", |siege| Box::pin(requests::introspection(siege))),
    ("unfinished", |siege| Box::pin(websockets::unfinished(siege))),
    ("events", |siege| Box::pin(websockets::events(siege))),
];

/// The attacks of several addresses: each with the expensive request, over HTTP, WebSockets or event streams.
pub const DIVIDED: [(&str, Attack); 3] = [
    ("http", |siege| Box::pin(divided::http(siege))),
    ("websocket", |siege| Box::pin(divided::websocket(siege))),
    ("stream", |siege| Box::pin(divided::stream(siege))),
];

/// How many addresses.
pub const ADDRESSES: [u8; 4] = [1, 2, 4, 16];

/// The names of all attacks.
pub fn names() -> Vec<String> {
    let divided = DIVIDED.iter().flat_map(|(name, _)| ADDRESSES.map(|addresses| format!("{name}-{addresses}")));
    ATTACKS.iter().map(|(name, _)| (*name).to_owned()).chain(divided).collect()
}

/// The attack of this name, and the number of its addresses.
pub fn find(name: &str) -> Option<(Attack, u8)> {
    if let Some((_, attack)) = ATTACKS.into_iter().find(|(attack, _)| *attack == name) {
        return Some((attack, 1));
    }
    let (name, addresses) = name.rsplit_once('-')?;
    let (_, attack) = DIVIDED.into_iter().find(|(attack, _)| *attack == name)?;
    Some((attack, addresses.parse().ok()?))
}

impl Prepared {
    /// What the attack of this name needs.
    pub async fn new(shop: &Shop, name: &str) -> io::Result<Self> {
        let mut prepared = Self::default();
        match name {
            "allowed" | "abandoned" | "pipelined" => prepared.expensive = expensive::find(shop).await?,
            name if name.contains('-') => prepared.expensive = expensive::find(shop).await?,
            "websockets" => prepared.subscription = websockets::largest(shop).await?,
            _ => {}
        }
        Ok(prepared)
    }
}

impl Siege {
    /// Opens a connection. Its end resets it: tens of thousands of closed ones would keep their ports for a minute.
    pub async fn connect(&self) -> io::Result<TcpStream> {
        let socket = http::socket(self.from)?;
        socket.set_zero_linger()?;
        socket.connect(self.shop.address()).await
    }

    /// Does this over so many connections at a time, over and over.
    async fn crowd<Work: Future<Output = ()> + Send>(
        self,
        connections: usize,
        work: impl Fn(Self, usize) -> Work + Clone + Send + 'static,
    ) {
        let mut crowd = JoinSet::new();
        for number in 0..connections {
            let (mut siege, work) = (self.clone(), work.clone());
            siege.from = attacker(u8::try_from(number % usize::from(self.addresses)).unwrap_or(0));
            crowd.spawn(async move {
                loop {
                    work(siege.clone(), number).await;
                    tokio::time::sleep(Duration::from_millis(1)).await;
                }
            });
        }
        crowd.join_all().await;
    }
}

impl Tally {
    /// Something is sent.
    pub fn send(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).sent += 1;
    }

    /// Something was received.
    pub fn get(&self, what: impl fmt::Display) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner).got.entry(what.to_string()).or_default() += 1;
    }

    pub fn sent(&self) -> usize {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).sent
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let parts: Vec<String> = counts.got.iter().map(|(what, times)| format!("{what}: {times}")).collect();
        formatter.write_str(if parts.is_empty() { "nothing" } else { "" })?;
        formatter.write_str(&parts.join(", "))
    }
}

/// The code of the first error in an answer.
fn code(answer: &Value) -> &str {
    answer["errors"][0]["extensions"]["code"].as_str().unwrap_or_default()
}
