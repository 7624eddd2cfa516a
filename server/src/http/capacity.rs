//! The limits that all connections share.

use super::client::{Client, Clients};
use super::websocket::Sockets;
use crate::config::Bounds;
use crate::request::{Admission, Cpu, Memory, Share};

/// The limits that all connections of a server share. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Capacity {
    /// The permits of requests.
    pub(super) admission: Admission,
    /// The open WebSockets.
    pub sockets: Sockets,
    /// The memory budget.
    pub(super) memory: Memory,
    /// The clients, which have shares of all of these.
    pub(super) clients: Clients,
}

impl Capacity {
    /// The limits in these bounds, with this many connections to read from the database.
    pub fn new(bounds: &Bounds, database_connections: usize) -> Self {
        let clients = Clients::new(bounds, database_connections);
        let totals = clients.totals();
        let memory = Memory::of(totals.buffered.whole());
        Self {
            admission: Admission::of(totals.requests.whole(), bounds.request_timeout.0),
            sockets: Sockets::new(totals.websockets.whole(), memory.clone(), bounds.read_timeout.0),
            memory,
            clients,
        }
    }

    /// What one client may use of it.
    #[must_use]
    pub fn shared(&self, client: &Client) -> Self {
        let shares = client.shares();
        let cpu = Cpu::shared(shares.long.clone());
        let share = Share {
            client: client.address(),
            permits: shares.requests.clone(),
            turns: shares.turns.clone(),
            cpu: cpu.clone(),
            slots: client.slots(),
        };
        let memory = Memory::of(shares.buffered.clone());
        Self {
            admission: self.admission.shared(share),
            sockets: self.sockets.shared(client.clone(), memory.clone(), cpu),
            memory,
            clients: self.clients.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderMap;

    use super::*;
    use crate::http::client::Peer;

    /// Its connection belongs to the proxy, and its request ends with the handshake.
    #[test]
    fn a_websocket_is_presence_of_its_client_also_behind_a_proxy() {
        let trusted_proxies = vec!["10.0.0.0/8".parse().unwrap()];
        let capacity = Capacity::new(&Bounds { trusted_proxies, ..Bounds::DEFAULT }, 16);
        let peer = Peer("10.0.0.1:50000".parse().unwrap());
        let open = |address: &str| {
            let headers = HeaderMap::from_iter([("x-forwarded-for".parse().unwrap(), address.parse().unwrap())]);
            let client = capacity.clients.of(Some(peer), &headers);
            let (shared, present) = (capacity.shared(&client), client.enter());
            let permit = shared.sockets.permit().unwrap();
            drop(present);
            permit
        };
        let one = [open("192.0.2.1"), open("192.0.2.1")];
        assert_eq!(capacity.clients.present(), 1);
        let other = open("192.0.2.2");
        assert_eq!(capacity.clients.present(), 2);
        drop(one);
        assert_eq!(capacity.clients.present(), 1);
        drop(other);
        assert_eq!(capacity.clients.present(), 0);
    }
}
