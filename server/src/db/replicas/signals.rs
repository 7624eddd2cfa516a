//! What requests and probes tell each other.

use tokio::sync::watch;
use tokio::time::Instant;

use crate::db::position::Position;

/// Between requests that wait and the probes of the replicas.
#[derive(Clone, Debug)]
pub struct Signals {
    /// A position that a request waits for, and until when.
    pub wanted: watch::Sender<Option<(Position, Instant)>>,
    /// Sent after each probe.
    pub probed: watch::Sender<()>,
    /// What every replica must have replayed: the schema of this version.
    pub floor: watch::Sender<Position>,
}

impl Default for Signals {
    fn default() -> Self {
        let floor = watch::Sender::new(Position::START);
        Self { wanted: watch::Sender::new(None), probed: watch::Sender::new(()), floor }
    }
}

impl Signals {
    pub fn floor(&self) -> Position {
        *self.floor.borrow()
    }
}
