//! GraphQL over WebSocket: the protocol [`graphql-transport-ws`][protocol].
//!
//! A connection is one task, which reads and writes in turn (`connection`). Each operation on it is a stream of
//! responses (`operations`), which is asked for its next one when the socket has taken the last: a client that reads
//! slowly slows down what it subscribed to, and nothing piles up for it but one response of each operation. That one is
//! made even while the socket is stuck, because what makes it may hold a connection that others wait for; and where all
//! that waits so on the server would be too much, it is dropped.
//!
//! `async_graphql_axum::GraphQLSubscription` serves the same protocol. Under it, though, an operation takes the place
//! of another one with its id, no close code but 4429 is the protocol's, no operation ends with an `error`, every wake
//! polls every operation, nobody counts them, and a client that has stopped reading is waited for without end.
//!
//! [protocol]: https://github.com/enisdenjo/graphql-ws/blob/master/PROTOCOL.md

use std::sync::Arc;
use std::time::Duration;

use async_graphql::{Data, Executor};
use axum::extract::WebSocketUpgrade;
use axum::http::HeaderMap;
use axum::http::header::UPGRADE;
use axum::response::Response;
use serde_json::{Map, Value};
use tokio::sync::watch;

use super::answer::not_now;
use super::buffers::Buffers;
use super::media::Media;
use crate::metrics::Metrics;

mod connection;
mod message;
mod operations;

use operations::Operations;

/// The subprotocol that is spoken.
pub const PROTOCOL: &str = "graphql-transport-ws";

/// Operations at a time on one connection.
pub const MAX_OPERATIONS: usize = 100;

/// Bytes of one message from a client; and of all that began the operations of a connection, which keep what they were
/// asked.
pub const MAX_MESSAGE: usize = 1 << 20;

/// Bytes that are read at a time. Each connection has a buffer of that size, also when it is silent.
const READ_BUFFER: usize = 4 << 10;

/// How long a connection waits for its client.
#[derive(Clone, Copy, Debug)]
pub struct Timeouts {
    /// From the handshake to `connection_init`.
    pub init: Duration,
    /// For the socket to take one message.
    pub write: Duration,
    /// From the last sign of life to a ping, and then from ping to ping. What leaves two of them without an answer is
    /// dead.
    pub idle: Duration,
    /// From the closing of a connection to its end.
    pub close: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        let [init, write, idle, close] = [3, 30, 20, 1].map(Duration::from_secs);
        Self { init, write, idle, close }
    }
}

/// The open WebSockets of a server, which end with it. The server itself does not count them among its connections.
#[derive(Clone, Debug)]
pub struct Sockets {
    stop: Arc<watch::Sender<bool>>,
    most: usize,
    buffers: Buffers,
}

/// Whether a request asks for a WebSocket, rightly or not.
pub(super) fn is_websocket(headers: &HeaderMap) -> bool {
    let offers = headers.get_all(UPGRADE).iter().filter_map(|offered| offered.to_str().ok());
    offers.flat_map(|offered| offered.split(',')).any(|offer| offer.trim().eq_ignore_ascii_case("websocket"))
}

impl Sockets {
    /// So many at a time, and room for what comes and goes on them.
    pub(super) fn new(most: usize, buffers: Buffers) -> Self {
        Self { stop: Arc::default(), most, buffers }
    }

    /// Makes a WebSocket of a request, and answers what is asked on it.
    ///
    /// `authorize` gets the payload of `connection_init`, and says what the operations of this connection find in their
    /// context; without that, the client is turned away.
    pub fn upgrade(
        &self,
        request: WebSocketUpgrade,
        executor: impl Executor,
        metrics: Metrics,
        timeouts: Timeouts,
        authorize: impl FnOnce(Map<String, Value>) -> Option<Data> + Send + 'static,
    ) -> Response {
        // Subscribed here and not in the task: from now on the server waits for this connection.
        let mut stop = self.stop.subscribe();
        if self.stop.receiver_count() > self.most {
            return not_now(
                Media::Json,
                format!("{} WebSockets are open, and no more are (the setting MAX_WEBSOCKETS)", self.most),
            );
        }
        let operations = Operations::within(self.buffers.clone());
        request
            .protocols([PROTOCOL])
            .max_message_size(MAX_MESSAGE)
            .max_frame_size(MAX_MESSAGE)
            .read_buffer_size(READ_BUFFER)
            .on_upgrade(async move |socket| {
                let stopped = async {
                    // The sender is gone: so is the server.
                    let _ = stop.wait_for(|stop| *stop).await;
                };
                connection::run(socket, operations, executor, metrics, timeouts, authorize, stopped).await;
            })
    }

    /// How many are open.
    pub fn open(&self) -> usize {
        self.stop.receiver_count()
    }

    /// Whether they have been told to end.
    pub fn are_stopping(&self) -> bool {
        *self.stop.borrow()
    }

    /// Tells every connection that the server goes away, also those to come.
    pub fn stop(&self) {
        self.stop.send_replace(true);
    }

    /// Waits until all connections have ended.
    pub async fn ended(&self) {
        self.stop.closed().await;
    }
}
