//! The program: its commands, its metrics, its documents.

pub mod cli;
pub mod docs;
mod inspect;
pub mod manuals;
mod metrics;
mod reproducible;
pub mod shutdown;
