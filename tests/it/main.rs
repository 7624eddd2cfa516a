//! The server as its users meet it. The numbers in the names of tests are those of the conformance list in
//! ARCHITECTURE.md.

mod shop;

mod cli;
mod cost;
mod filter;
mod graphql;
mod http;
mod limits;
mod migration;
mod node;
mod ratings;
mod schema;
mod search;
mod seed;
mod stats;
mod walk;
