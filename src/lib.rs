//! Bookends: a GraphQL server that pages through tables of any size at a constant cost.
//!
//! Every list is a Relay connection, which [`bookends_graphql`] shows and the engine [`keyset`] reads. A request enters
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
mod threads;

pub use console::Console;
pub use health::HealthError;
pub use inspect::{InspectError, inspect};
pub use run::{RunError, run};
pub use telemetry::EndpointError;
pub use threads::{cores, threads};
