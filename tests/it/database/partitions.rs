//! Partitioned tables, made by the SQL of docs/partitions.md, on PostgreSQL.

mod foreign;
pub(super) mod layout;
mod moves;
mod plans;
mod rows;
mod walks;
