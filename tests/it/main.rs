//! The server as its users meet it. The numbers in the names of tests are those of the conformance list in
//! ARCHITECTURE.md.

mod counter;
mod log;
mod program;
mod served;
mod shop;

mod bounds;
mod cli;
mod cost;
mod filter;
mod fuzz;
mod graphql;
mod http;
mod limits;
mod migration;
mod mutations;
mod negotiation;
mod node;
mod operations;
mod outage;
mod page;
mod ratings;
mod schema;
mod search;
mod seed;
mod sockets;
mod statements;
mod stats;
mod stop;
mod subscriptions;
mod tls;
mod walk;
mod websocket;
mod writers;
