//! What a request passes before its execution. This module knows no table.
//!
//! [`Api`] checks a request in this order: the document cache (`documents`), the whole document if it is new
//! (`validation`), the operation (`operation`), its price (`limits`), its variables (`coercion`). Operations over a
//! WebSocket pass through `executor`. [`Admission`] bounds how many operations run at a time.

mod api;
mod documents;
mod executor;

mod coercion;
mod limits;
mod operation;
mod running;
mod validation;
mod visit;

mod admission;
mod permission;

mod code;
mod error;

pub use admission::{Admission, Permit, Rejected};
pub use api::{Api, Parts, Snapshot, no_batches, was_executed};
pub use code::Code;
pub use coercion::Scalar;
pub use error::{Error, Result, conflict, database, refusal};
pub use executor::Session;
pub use limits::Prices;
pub use permission::Permission;
