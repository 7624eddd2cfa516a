//! What a request passes before its execution. This module knows no table.
//!
//! [`Api`] checks a request in this order: its document if it is known (`documents`), the whole document if it is new
//! (`validation`), the operation (`operation`), the permission of a mutation (`permission`), the price (`limits`), the
//! variables (`coercion`). Operations over a WebSocket pass through `executor`. [`Admission`] bounds how many operations
//! run at a time.

mod api;
mod documents;
mod executor;

mod coercion;
mod cost;
mod introspection;
mod limits;
mod operation;
mod running;
mod validation;
mod visit;

mod admission;
mod permission;

mod code;
mod error;
mod message;

pub use admission::{Admission, Permit, Rejected, Share};
pub use api::{Api, Parts, Snapshot, no_batches, was_executed};
pub use code::Code;
pub use coercion::Scalar;
pub use cost::ReportCost;
pub use documents::{DocumentId, Trusted, TrustedError};
pub use error::{Error, Result, conflict, database, refusal};
pub use executor::Session;
pub use limits::{Prices, Tables};
pub use permission::Permission;
pub use validation::Validator;
