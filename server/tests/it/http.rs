//! The API over HTTP.

mod admin_listener;
mod authentication;
mod bounds;
mod cancellation;
mod client_shares;
mod cors;
mod event_stream;
mod fuzzing;
mod graphiql_page;
mod many_clients;
mod memory_budget;
mod negotiation;
pub mod probes;
mod request_log;
mod server_timing;
mod transport;
mod trusted_documents;
mod write_access;
