//! What clients share: all of it, the part of a network, and that of a client.

use crate::config::Bounds;
use crate::request::{Held, Line, Lines, Portion, Queue, Sizes, Stock};
use crate::threads::{cores, threads};

/// All that clients share.
pub type Totals = Of<Stock, Queue>;

/// What a network uses of it.
pub type Networked = Of<Held, Lines>;

/// What a client may use of it.
pub type Shares = Of<Portion, Line>;

/// What is held, and what is used in turn.
#[derive(Debug, Default)]
pub struct Of<Hold, Use> {
    pub connections: Hold,
    /// The permits of requests.
    pub requests: Hold,
    /// The bytes of the memory budget.
    pub buffered: Hold,
    /// WebSockets and event streams.
    pub websockets: Hold,
    /// Turns to use the database: each request that is executed may hold a connection to it.
    pub turns: Use,
    /// The threads that compute.
    pub slots: Use,
    /// The threads that read and check long requests.
    pub long: Use,
}

impl Totals {
    /// What the clients of a server with these bounds share, and this many database connections.
    pub fn new(bounds: &Bounds, database_connections: usize) -> Self {
        Self {
            connections: Stock::new(bounds.max_connections, 1),
            requests: Stock::new(bounds.max_requests, 1),
            // A body of the maximum size fits.
            buffered: Stock::new(bounds.max_buffered.max(bounds.max_body_size), bounds.max_body_size),
            websockets: Stock::new(bounds.max_websockets, 1),
            turns: Queue::new(turns(database_connections)),
            slots: Queue::new(Sizes { units: threads(), each: threads() - 1, heavy: threads() }),
            long: Queue::new(Sizes { units: cores().div_ceil(2), each: 1, heavy: 1 }),
        }
    }

    /// The part of another client in a network.
    pub fn client(&self, network: Option<&Networked>) -> Shares {
        let hold = |stock: &Stock, held: fn(&Networked) -> &Held| stock.portion(network.map(held));
        let queue = |queue: &Queue, lines: fn(&Networked) -> &Lines| queue.line(network.map(lines));
        Of {
            connections: hold(&self.connections, |network| &network.connections),
            requests: hold(&self.requests, |network| &network.requests),
            buffered: hold(&self.buffered, |network| &network.buffered),
            websockets: hold(&self.websockets, |network| &network.websockets),
            turns: queue(&self.turns, |network| &network.turns),
            slots: queue(&self.slots, |network| &network.slots),
            long: queue(&self.long, |network| &network.long),
        }
    }
}

impl Networked {
    /// Whether the network has a client.
    pub fn is_in_use(&self) -> bool {
        self.connections.is_in_use()
    }
}

impl Shares {
    /// Whether the client uses some of it.
    pub fn are_in_use(&self) -> bool {
        let Self { connections, requests, buffered, websockets, turns, slots, long } = self;
        [connections, requests, buffered, websockets].into_iter().any(Portion::is_in_use)
            || [turns, slots, long].into_iter().any(Line::is_in_use)
    }
}

/// The turns beside this many connections. Of several, one connection is left to the probes, and one turn to the next
/// client. Half of them are for work that cannot take long.
fn turns(connections: usize) -> Sizes {
    let units = if connections < 4 { connections } else { connections - 1 };
    Sizes { units, each: units.saturating_sub(1).max(1), heavy: (connections / 2).max(1) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_leave_connections_to_others() {
        let sizes = |units, each, heavy| Sizes { units, each, heavy };
        assert_eq!(turns(1), sizes(1, 1, 1));
        assert_eq!(turns(2), sizes(2, 1, 1));
        assert_eq!(turns(6), sizes(5, 4, 3));
        assert_eq!(turns(16), sizes(15, 14, 8));
    }
}
