//! Throw-away databases for tests, and the means to count the work that a statement causes.
//!
//! `TEST_DATABASE_URL` picks the database: unset, every test gets a SQLite file of its own; set to a PostgreSQL server
//! (`postgres://user@host/any`), a database of its own there. The same tests run on both.

#[cfg(unix)]
mod cluster;
mod database;
mod statements;
mod work;

#[cfg(unix)]
pub use cluster::{Cluster, Stop};
pub use database::TestDb;
pub use statements::Statements;
pub use work::{plan, work};
