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
        // A body of the maximum size fits if it is alone.
        let memory = Memory::new(bounds.max_buffered.max(bounds.max_body_size));
        Self {
            admission: Admission::new(bounds.max_requests, bounds.request_timeout.0),
            sockets: Sockets::new(bounds.max_websockets, memory.clone()),
            memory,
            clients: Clients::new(bounds, database_connections),
        }
    }

    /// What one client may use of it.
    #[must_use]
    pub fn shared(&self, client: &Client) -> Self {
        let (permits, turns) = (client.requests().clone(), client.turns().clone());
        let cpu = Cpu::shared(client.long().clone());
        let share = Share { client: client.address(), permits, turns, cpu: cpu.clone(), slots: client.slots() };
        let (buffered, max_buffered) = client.buffered();
        let memory = self.memory.shared(buffered.clone(), max_buffered);
        Self {
            admission: self.admission.shared(share),
            sockets: self.sockets.shared(client.websockets().clone(), memory.clone(), cpu, client.slots()),
            memory,
            clients: self.clients.clone(),
        }
    }
}
