//! The database of the shop: its keys, its changes, its rows.

mod citus;
mod keys;
mod migrations;
mod partitions;
mod pooler;
mod seed;
mod upgrade;
