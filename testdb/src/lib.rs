//! Temporary databases for tests, and counters of the work of a statement.
//!
//! `TEST_DATABASE_URL` selects the database. If it is unset, every test gets its own SQLite file. If it is set to a
//! PostgreSQL server (`postgres://user@host/any`), every test gets its own database there.

#[cfg(unix)]
mod cluster;
mod database;
mod statements;
mod work;

#[cfg(unix)]
pub use cluster::{Cluster, PoolMode, Pooler, Stop};
pub use database::TestDb;
pub use statements::Statements;
pub use work::{plan, rows_read, try_work, work};
