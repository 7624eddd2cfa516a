//! An oracle: a naive interpreter of GraphQL over plain rows, and what makes random schemas, rows and documents. It shares no code with
//! the server that is compared with it.
//!
//! [`interpret`] evaluates a valid document. [`tables`], [`documents`] and [`writes`] choose at random, by [`dice`], of which one seed always
//! makes the same choices. [`database`] has the tables as SQL.

#![allow(
    clippy::missing_panics_doc,
    clippy::format_push_string,
    clippy::format_collect,
    reason = "it is a test, and short"
)]

mod aggregate;
pub mod book;
pub mod case;
pub mod database;
pub mod datum;
pub mod dice;
pub mod documents;
mod filter;
pub mod interpret;
pub mod page;
pub mod schema;
pub mod shrink;
pub mod tables;
pub mod writes;
