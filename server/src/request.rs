//! What a request passes before its execution. This module knows no table.
//!
//! [`CheckedSchema`] checks a request in this order (`checks`): its document if it is known (`documents`), the whole document if it is
//! new (`validation`), the operation (`operation`), the permission of a mutation (`permission`), the cost (`cost`), the
//! variables (`coercion`), the budget of its client (`budget`). Operations whose responses are a
//! stream pass through `executor`.
//! [`Admission`] bounds how many operations run at a time, and [`Memory`] what clients make the server keep.

mod checked_schema;
mod checks;
mod context;
mod documents;
mod executor;

mod attempts;
mod budget;
mod coalesced;
mod coercion;
mod cost;
mod cost_report;
mod introspection;
mod operation;
mod position;
mod readers;
mod response_key;
mod retained;
mod running;
mod suggestion;
mod validation;
mod visit;

mod address;
mod admission;
mod cpu;
mod in_turn;
mod memory;
mod permission;
mod queue;
mod slots;
mod stock;

mod code;
mod error;
mod message;

pub use address::{client_of, network_of};
pub use admission::{Admission, Permit, Rejected, Share};
pub use budget::{Pace, RETRY_AFTER};
pub use checked_schema::{CheckedSchema, Parts, no_batches, was_executed};
pub use coalesced::Coalesced;
pub(crate) use code::know;
pub use code::{Code, code_of, listed};
pub use coercion::Scalar;
pub use context::{Incoming, RequestContext, Session};
pub use cost::{DeclaredCosts, Tables};
pub use cpu::{Cpu, is_long};
pub use documents::{Trusted, TrustedError};
pub use error::{Error, Result, conflict, database, refusal};
pub use executor::caught;
pub use memory::{BUDGET_EXCEEDED, Memory, MemoryPermit};
pub use permission::Permission;
pub use position::read_response as position;
pub use queue::{Line, Lines, Queue, Sizes};
pub use readers::Readers;
pub use slots::Slots;
pub use stock::{Held, Portion, Short, Stock, Taken};
pub use validation::Validator;
