//! The book shop as its users meet it. The numbers in the names of tests are those of the conformance list in
//! CONTRIBUTING.md.

mod api;
mod database;
mod http;
mod operations;
mod support;
