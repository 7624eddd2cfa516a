//! How long a connection waits for its client.

use std::time::Duration;

/// The timeouts of a connection.
#[derive(Clone, Copy, Debug)]
pub struct Timeouts {
    /// From the handshake to `connection_init`.
    pub init: Duration,
    /// To write one message to the socket.
    pub write: Duration,
    /// From the last message of the client to a ping, and from ping to ping. A client that leaves two pings unanswered is
    /// disconnected.
    pub idle: Duration,
    /// To complete the closing handshake.
    pub close: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        let [init, write, idle, close] = [3, 30, 20, 1].map(Duration::from_secs);
        Self { init, write, idle, close }
    }
}
