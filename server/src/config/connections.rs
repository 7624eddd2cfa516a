//! The number of connections to a database.

use crate::threads::cores;

/// More than four connections for each core do not help, and delay each other. Three servers with 32 fit into the 100
/// connections that PostgreSQL accepts by default.
pub fn default_connections() -> u32 {
    u32::try_from(4 * cores()).unwrap_or(u32::MAX).clamp(8, 32)
}
