//! The limits that all connections share.

use super::buffers::Buffers;
use super::websocket::Sockets;
use crate::config::Bounds;
use crate::request::Admission;

/// The limits that all connections of a server share. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Capacity {
    /// The permits of requests.
    pub(super) admission: Admission,
    /// The open WebSockets.
    pub sockets: Sockets,
    /// The memory budget.
    pub(super) buffers: Buffers,
}

impl Capacity {
    /// The limits in these bounds.
    pub fn new(bounds: &Bounds) -> Self {
        // A body of the maximum size fits if it is alone.
        let buffers = Buffers::new(bounds.max_buffered.max(bounds.max_body_size));
        Self {
            admission: Admission::new(bounds.max_requests, bounds.request_timeout.0),
            sockets: Sockets::new(bounds.max_websockets, buffers.clone()),
            buffers,
        }
    }
}
