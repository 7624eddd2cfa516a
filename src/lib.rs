//! Bookends: a GraphQL server that pages through tables of any size at a constant cost.
//!
//! Every list is a Relay connection, which [`keyset_graphql`] shows and the engine [`keyset`] reads. A request enters
//! through [`server`], is checked by [`request`], executed by [`shop`], and reads the [`db`].

pub mod config;
mod console;
pub mod db;
pub mod events;
mod health;
mod inspect;
mod invisible;
pub mod metrics;
pub mod request;
mod run;
pub mod seed;
pub mod server;
pub mod shop;
mod telemetry;

pub use console::Console;
pub use health::HealthError;
pub use inspect::{InspectError, inspect};
pub use run::{RunError, run};
pub use telemetry::EndpointError;

/// The number of threads on which requests compute: one for each core, so that they do not compete for cores. There are at least
/// two, because one client never computes on all of them while there are others. The runtime has one more, for what must not
/// wait: new connections and the probes.
pub fn threads() -> usize {
    cores().max(2)
}

/// The number of cores that this process may use.
pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}
