//! The connections to a database, and what happens to it.

mod failover;
mod newer_schema;
mod outages;
mod pool;
mod pooler;
mod read_only;
mod replicas;
mod roles;
mod storage;
mod time_limits;
mod tls;
mod writes;
