//! The databases behind the server: pools, replicas, migrations, failures.

mod failover;
mod keys;
mod migrations;
mod newer_schema;
mod outages;
mod partitions;
pub mod pool;
mod pooler;
mod read_only;
mod replicas;
mod seed;
mod storage;
mod time_limits;
mod tls;
mod upgrade;
