//! What the servers acknowledged.

use std::collections::{BTreeMap, BTreeSet};
use std::net::SocketAddr;
use std::time::Instant;

/// Acknowledged writes. What may have happened without an acknowledgement is not in it.
#[derive(Default)]
pub struct Model {
    /// The titles of books.
    pub books: BTreeSet<String>,
    /// The stars of ratings by their UUIDs.
    pub ratings: BTreeMap<String, i64>,
    /// The ratings that were deleted.
    pub deleted: BTreeSet<String>,
    /// All ratings that were added, also those that were changed or deleted since.
    pub announced: BTreeSet<String>,
    /// The newest book by its id, and the position after it.
    pub newest: Option<(String, String)>,
    /// When the last write began that a server acknowledged.
    pub last: BTreeMap<SocketAddr, Instant>,
}

impl Model {
    /// A server acknowledged a write that began then.
    pub fn acknowledge(&mut self, server: SocketAddr, begun: Instant) {
        let last = self.last.entry(server).or_insert(begun);
        *last = begun.max(*last);
    }
}
