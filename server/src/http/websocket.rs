//! GraphQL over WebSocket: the protocol [`graphql-transport-ws`][protocol], for anything that executes operations.
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
//! `async_graphql::http::WebSocket` 7.0 between the two, and each breaks a test in `tests/it/websocket/protocol.rs` or
//! `tests/it/websocket/slow_clients.rs`:
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

use axum::http::HeaderMap;
use axum::http::header::UPGRADE;
use axum::response::Response;
use hyper_util::rt::TokioIo;
use serde_json::{Map, Value};
use tokio::sync::watch;
use tokio_tungstenite::WebSocketStream;
use tungstenite::protocol::{Role, WebSocketConfig};

use super::client::{Client, Presence};
use super::media::Media;
use super::response::reject;
use crate::metrics::Metrics;
use crate::request::{Code, Cpu, Memory, Portion, Short, Slots, Taken};

mod authorized;
mod connection;
mod handshake;
mod message;
mod meter;
mod operations;
mod timeouts;

pub use authorized::{Authorized, Refused};
use connection::Connection;
pub use handshake::{Handshake, PROTOCOL};
pub use message::MAX_MESSAGE;
use meter::{Metered, READ_BUFFER};
use operations::Operations;
pub use operations::{Execute, MAX_OPERATIONS};
pub use timeouts::Timeouts;

/// The open WebSockets of a server, and its event streams. WebSockets are not counted by `MAX_CONNECTIONS`.
#[derive(Clone, Debug)]
pub struct Sockets {
    stop: Arc<watch::Sender<bool>>,
    permits: Portion,
    memory: Memory,
    /// How long a message may take to arrive.
    message: Duration,
    /// Whose they are.
    client: Option<Client>,
    cpu: Cpu,
}

/// The permit of an open WebSocket or event stream, until it is dropped. Its client is present as long.
pub(super) struct SocketPermit {
    stop: watch::Receiver<bool>,
    _taken: Taken,
    _present: Option<Presence>,
}

impl SocketPermit {
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
    /// WebSockets with these permits, within this memory budget, whose messages may take this long to arrive.
    pub(super) fn new(permits: Portion, memory: Memory, message: Duration) -> Self {
        Self { stop: Arc::default(), permits, memory, message, client: None, cpu: Cpu::default() }
    }

    /// The WebSockets of one client, which are among these, within its other shares.
    pub(super) fn shared(&self, client: Client, memory: Memory, cpu: Cpu) -> Self {
        let permits = client.shares().websockets.clone();
        Self { permits, client: Some(client), memory, cpu, ..self.clone() }
    }

    /// Upgrades a request to a WebSocket.
    ///
    /// `authorize` gets the payload of `connection_init`, and returns what executes the operations, or why the connection is
    /// closed.
    pub fn upgrade<E: Execute, Authorizing: Future<Output = Result<Authorized<E>, Refused>> + Send>(
        &self,
        handshake: Handshake,
        metrics: Metrics,
        timeouts: Timeouts,
        authorize: impl FnOnce(Map<String, Value>) -> Authorizing + Send + 'static,
    ) -> Response {
        let mut permit = match self.permit() {
            Ok(permit) => permit,
            Err(message) => return reject(Media::Json, Code::Overloaded, message),
        };
        let (slots, memory, message) = (self.slots(), self.memory.clone(), self.message);
        let operations = Operations::new(memory.clone(), self.cpu.clone());
        let response = handshake.accepted();
        tokio::spawn(async move {
            let is_known = handshake.is_known;
            // Otherwise the client has disconnected.
            let Ok(connection) = handshake.connection().await else { return };
            let stream = Metered::new(TokioIo::new(connection), memory, message);
            let config = WebSocketConfig::default()
                .max_message_size(Some(MAX_MESSAGE))
                .max_frame_size(Some(MAX_MESSAGE))
                .read_buffer_size(READ_BUFFER);
            let socket = WebSocketStream::from_raw_socket(stream, Role::Server, Some(config)).await;
            let stopped = permit.stopped();
            let connection = Connection::new(socket, operations, timeouts, metrics);
            slots.run(connection.run(is_known, authorize, stopped)).await;
        });
        response
    }

    /// The permit of another WebSocket or event stream. From now on the server waits for its end.
    ///
    /// # Errors
    ///
    /// The message for a client that gets none.
    pub(super) fn permit(&self) -> Result<SocketPermit, &'static str> {
        let taken = self.permits.take(1).map_err(|short| match short {
            Short::All => "all WebSockets and event streams are in use (the setting MAX_WEBSOCKETS): try again",
            Short::Share => {
                "this client has reached its share of WebSockets and event streams (the setting MAX_WEBSOCKETS): try again"
            }
        })?;
        Ok(SocketPermit {
            stop: self.stop.subscribe(),
            _taken: taken,
            _present: self.client.as_ref().map(Client::enter),
        })
    }

    /// The client's share of threads.
    pub(super) fn slots(&self) -> Slots {
        self.client.as_ref().map(Client::slots).unwrap_or_default()
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
