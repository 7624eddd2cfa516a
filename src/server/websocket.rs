//! GraphQL over WebSocket: the protocol [`graphql-transport-ws`][protocol], for any [`Executor`].
//!
//! A connection is one task, which reads and writes in turn (`connection`). Each operation is a stream of responses
//! (`operations`); its next response is requested when the socket has taken the last one. So a client that reads slowly
//! slows down its own subscriptions, and at most one response of each operation is waiting. That response is computed even
//! while the socket is blocked, because the computation may hold a database connection. If all waiting responses together
//! exceed the memory budget, the response is dropped.
//!
//! # Why not `async_graphql_axum::GraphQLWebSocket`
//!
//! It serves the same protocol, and [`new_with_pair`] accepts our own sink and stream. These defects are in
//! `async_graphql::http::WebSocket` 7.0 between the two, and each breaks a test in `tests/it/websocket.rs` or
//! `tests/it/sockets.rs`:
//!
//! - A `subscribe` with the id of a running operation replaces that operation; the protocol requires close code 4409.
//! - It closes with 1002 for an invalid message and a rejected `connection_init`, with 1011 for an early `subscribe`, and
//!   not at all for a missing `connection_init`. The protocol requires 4400, 4403, 4401 and 4408.
//! - It never sends `error`: a failed operation gets `next` and `complete`. It replies to `complete`.
//! - It polls operations in the order of a hash map, and starts over after each message: one fast subscription starves the
//!   others. Each wake polls every operation.
//! - It does not limit operations or the bytes that they keep. A panic in one ends the connection.
//! - It polls no operation while the sink is blocked, so a client that does not read keeps database connections. A sink
//!   that never blocks would instead buffer without limit.
//!
//! A reader that validates, an executor that wraps each stream, and a writer that rewrites messages could hide most of
//! this: they would parse every message twice and track the same state. The order of polling, and operations that pause
//! while the sink is blocked, cannot be changed from outside.
//!
//! [protocol]: https://github.com/enisdenjo/graphql-ws/blob/master/PROTOCOL.md
//! [`new_with_pair`]: https://docs.rs/async-graphql-axum/7.0.19/async_graphql_axum/struct.GraphQLWebSocket.html

use std::sync::Arc;
use std::time::Duration;

use async_graphql::{Data, Executor};
use axum::extract::WebSocketUpgrade;
use axum::http::HeaderMap;
use axum::http::header::UPGRADE;
use axum::response::Response;
use serde_json::{Map, Value};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};

use super::media::Media;
use super::response::reject;
use crate::metrics::Metrics;
use crate::request::{Code, Cpu, Memory, Slots};

mod connection;
mod message;
mod operations;

use operations::Operations;

/// The name of the subprotocol.
pub const PROTOCOL: &str = "graphql-transport-ws";

/// The maximum number of concurrent operations on one connection.
pub const MAX_OPERATIONS: usize = 100;

/// The maximum size of a client's message in bytes, and of all `subscribe` messages whose operations run on one
/// connection: an operation keeps its request in memory.
pub const MAX_MESSAGE: usize = 1 << 20;

/// The size of the read buffer in bytes. Every connection has one, even when it is idle.
const READ_BUFFER: usize = 4 << 10;

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

/// The open WebSockets of a server, and its event streams. WebSockets are not counted by `MAX_CONNECTIONS`.
#[derive(Clone, Debug)]
pub struct Sockets {
    stop: Arc<watch::Sender<bool>>,
    max: usize,
    memory: Memory,
    /// The share of one client.
    share: Option<Arc<Semaphore>>,
    cpu: Cpu,
    slots: Slots,
}

/// The place of a WebSocket among those that are open, until it is dropped.
pub(super) struct Place {
    stop: watch::Receiver<bool>,
    _share: Option<OwnedSemaphorePermit>,
}

impl Place {
    /// Waits until the server stops.
    pub async fn stopped(&mut self) {
        // The sender is dropped with the server.
        let _ = self.stop.wait_for(|stop| *stop).await;
    }
}

/// Whether a request asks for a WebSocket, even if its handshake is invalid.
pub(super) fn is_websocket(headers: &HeaderMap) -> bool {
    let offers = headers.get_all(UPGRADE).iter().filter_map(|offered| offered.to_str().ok());
    offers.flat_map(|offered| offered.split(',')).any(|offer| offer.trim().eq_ignore_ascii_case("websocket"))
}

impl Sockets {
    /// At most this many WebSockets, within this memory budget.
    pub(super) fn new(max: usize, memory: Memory) -> Self {
        Self { stop: Arc::default(), max, memory, share: None, cpu: Cpu::default(), slots: Slots::default() }
    }

    /// The WebSockets of one client, which are among these, within its other shares.
    pub(super) fn shared(&self, share: Arc<Semaphore>, memory: Memory, cpu: Cpu, slots: Slots) -> Self {
        Self { share: Some(share), memory, cpu, slots, ..self.clone() }
    }

    /// Upgrades a request to a WebSocket, and executes the operations on it.
    ///
    /// `authorize` gets the payload of `connection_init`, and returns the data for the contexts of the operations. If it
    /// returns `None`, the connection is closed with 4403.
    pub fn upgrade(
        &self,
        request: WebSocketUpgrade,
        executor: impl Executor,
        metrics: Metrics,
        timeouts: Timeouts,
        authorize: impl FnOnce(Map<String, Value>) -> Option<Data> + Send + 'static,
    ) -> Response {
        let mut place = match self.place() {
            Ok(place) => place,
            Err(message) => return reject(Media::Json, Code::Overloaded, message),
        };
        let slots = self.slots.clone();
        let operations = Operations::new(self.memory.clone(), self.cpu.clone());
        request
            .protocols([PROTOCOL])
            .max_message_size(MAX_MESSAGE)
            .max_frame_size(MAX_MESSAGE)
            .read_buffer_size(READ_BUFFER)
            .on_upgrade(async move |socket| {
                let stopped = place.stopped();
                let served = connection::run(socket, operations, executor, metrics, timeouts, authorize, stopped);
                slots.run(served).await;
            })
    }

    /// A place for another WebSocket or event stream. From now on the server waits for its end.
    ///
    /// # Errors
    ///
    /// The message for a client that gets none.
    pub(super) fn place(&self) -> Result<Place, String> {
        let stop = self.stop.subscribe();
        if self.stop.receiver_count() > self.max {
            let max = self.max;
            return Err(format!(
                "all {max} WebSockets and event streams are in use (the setting MAX_WEBSOCKETS): try again"
            ));
        }
        let share = self.share.as_ref().map(|share| Arc::clone(share).try_acquire_owned());
        let share = share.transpose().map_err(|_| {
            "this client is at its share of WebSockets and event streams (seven eighths of the setting MAX_WEBSOCKETS)"
        })?;
        Ok(Place { stop, _share: share })
    }

    /// The client's share of threads.
    pub(super) fn slots(&self) -> &Slots {
        &self.slots
    }

    /// How many are open.
    pub fn open(&self) -> usize {
        self.stop.receiver_count()
    }

    /// Whether [`stop`](Self::stop) was called.
    pub fn are_stopping(&self) -> bool {
        *self.stop.borrow()
    }

    /// Closes every connection with 1001, including later ones.
    pub fn stop(&self) {
        self.stop.send_replace(true);
    }

    /// Waits until all connections have ended.
    pub async fn ended(&self) {
        self.stop.closed().await;
    }
}
