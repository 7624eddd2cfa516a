//! What opening a database results in: its pools, or an error.

use std::sync::Arc;

use sea_orm::{DatabaseConnection, DbErr, RuntimeErr, sqlx};

use super::deadline::Deadline;
use super::pool::Statements;
use super::timeout::CONNECT_TIMEOUT;
use super::writers::Writers;
use super::{Liveness, Primary, Reads, Replicas, Storage, Watch};

/// Why the database cannot be opened. The text never contains the password.
#[derive(Debug, thiserror::Error)]
pub enum ConnectError {
    /// The URL has another scheme.
    #[error("the database URL must start with `sqlite:` or `postgres:`")]
    Scheme,
    /// The URL has an invalid part.
    #[error("the database URL is malformed: {0}")]
    Url(String),
    /// The database does not answer, or not in time.
    #[error("cannot open {database}: {reason}")]
    Unreachable {
        /// The file, or the database's name and the server's address.
        database: String,
        /// The cause.
        reason: String,
    },
}

/// The pools of a database.
pub struct Pools {
    pub name: String,
    pub reader: Reads,
    pub writer: DatabaseConnection,
    pub writers: Writers,
    pub liveness: Liveness,
    pub deadline: Deadline,
    pub storage: Storage,
    pub statements: Statements,
    pub listen: Option<Arc<Primary>>,
    pub replicas: Replicas,
    pub primary: Option<Arc<Primary>>,
    pub watch: Option<Arc<Watch>>,
}

/// The database's own message, without the layers around it.
pub fn unreachable(database: String, error: &DbErr) -> ConnectError {
    let reason = match error {
        DbErr::Conn(RuntimeErr::SqlxError(error)) => match error.as_ref() {
            sqlx::Error::PoolTimedOut => format!("no answer within {} seconds", CONNECT_TIMEOUT.as_secs()),
            sqlx::Error::Database(error) => match error.message() {
                message if message.starts_with("unsupported startup parameter") => {
                    format!("{message} (behind a pooler, set DATABASE_STATEMENT_MODE=unprepared)")
                }
                message => message.to_owned(),
            },
            error => error.to_string(),
        },
        DbErr::ConnectionAcquire(_) => format!("no answer within {} seconds", CONNECT_TIMEOUT.as_secs()),
        error => error.to_string(),
    };
    ConnectError::Unreachable { database, reason }
}
