//! What the tests share. Those of the book shop have most of it, too.

pub mod counter;
pub mod documents;
pub mod expanded;
pub mod filled;
pub mod fleet;
pub mod heard;
pub mod log;
pub mod number;
pub mod orders;
pub mod patience;
pub mod pooled;
pub mod program;
pub mod served;
pub mod station;
pub mod wire;

pub use station::{NULLABLE, OFFERED, Plan, application, fill};
