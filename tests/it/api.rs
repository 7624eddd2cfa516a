//! What a client reads and writes, whatever the transport.

pub mod book_sums;
mod concurrent_writes;
mod consistent_responses;
mod created_edges;
mod filter_cost;
mod filters;
mod inputs;
mod kept_counts;
mod mutations;
mod nodes;
mod recorded_responses;
mod refusals;
mod request_cost;
mod results;
mod schema;
mod search;
pub mod subscriptions;
mod tampered_cursors;
pub mod walks;
pub mod work;
mod write_conflicts;
