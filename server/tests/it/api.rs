//! What a client reads and writes, whatever the transport.

mod embedded;
mod error_messages;
mod inputs;
mod limits;
mod nodes;
mod offset_and_around;
mod payloads;
mod permission;
mod replaced;
mod request_cost;
mod results;
mod schema;
mod slices;
mod validation;
mod work;
mod write_conflicts;
