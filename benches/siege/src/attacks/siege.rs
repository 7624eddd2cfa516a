//! What every attack needs, and what it counts.

use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::net::Ipv4Addr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde_json::Value;
use tokio::net::TcpStream;
use tokio::task::JoinSet;

use crate::http;
use crate::shop::{Shop, attacker};

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

impl Siege {
    /// Opens a connection. Its end resets it: tens of thousands of closed ones would keep their ports for a minute.
    pub async fn connect(&self) -> io::Result<TcpStream> {
        let socket = http::socket(self.from)?;
        socket.set_zero_linger()?;
        socket.connect(self.shop.address()).await
    }

    /// Does this over so many connections at a time, over and over.
    pub(super) async fn crowd<Work: Future<Output = ()> + Send>(
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
pub fn code(answer: &Value) -> &str {
    answer["errors"][0]["extensions"]["code"].as_str().unwrap_or_default()
}
