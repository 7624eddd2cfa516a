//! The documents.

pub mod docs;
pub mod manuals;
