//! Bookends: a GraphQL server that pages through tables of any size at a constant cost.
//!
//! Every list is a Relay connection, read by the keyset engine in [`keyset`]; this crate is what stands around it. A
//! request comes in through [`server`], is answered by [`graphql`], and reads the [`db`].

pub mod config;
pub mod db;
pub mod events;
pub mod graphql;
mod health;
pub mod metrics;
mod run;
pub mod seed;
pub mod server;
mod telemetry;

pub use health::HealthError;
pub use run::{RunError, run};
pub use telemetry::EndpointError;
