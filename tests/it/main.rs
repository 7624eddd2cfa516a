//! The server as its users meet it. The numbers in the names of tests are those of the conformance list in
//! ARCHITECTURE.md.

mod shop;

mod cli;
mod cost;
mod graphql;
mod http;
mod migration;
mod node;
mod ratings;
mod schema;
mod seed;
mod stats;
