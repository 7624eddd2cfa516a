//! How much the server takes on at a time, of each kind.

use super::buffers::Buffers;
use super::websocket::Sockets;
use crate::config::Bounds;
use crate::graphql::Admission;

/// What all connections of a server share. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Capacity {
    /// The places of operations.
    pub(super) admission: Admission,
    /// The WebSockets.
    pub sockets: Sockets,
    /// The room for what is read and written.
    pub(super) buffers: Buffers,
}

impl Capacity {
    /// That of a server with these bounds.
    pub fn new(bounds: &Bounds) -> Self {
        // Each body that is allowed finds room if it is alone.
        let buffers = Buffers::new(bounds.max_buffered.max(bounds.max_body_size));
        Self {
            admission: Admission::new(bounds.max_requests, bounds.request_timeout.0),
            sockets: Sockets::new(bounds.max_websockets, buffers.clone()),
            buffers,
        }
    }
}
