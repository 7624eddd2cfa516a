//! The server as its users meet it, with a weather station. The numbers in the names of tests are those of the conformance list
//! in CONTRIBUTING.md.

mod api;
mod database;
mod http;
mod operations;
mod support;
mod websocket;
