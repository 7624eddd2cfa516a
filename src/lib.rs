//!
//! Every list is a Relay connection, read by the keyset engine in [`keyset`]; this crate is what stands around it. A

pub mod config;
pub mod db;
pub mod seed;

