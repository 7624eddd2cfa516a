//! The time limit of waiting for a database.

use std::time::Duration;

/// The time to get a connection, from the server or from the pool, or a lock.
pub(crate) const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
