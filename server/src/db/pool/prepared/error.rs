//! The errors of the driver, as those of sqlx: the rest of the server knows one kind.

use std::error::Error as StdError;
use std::io;

use sea_orm::sqlx::Error;
use sea_orm::sqlx::error::{DatabaseError, ErrorKind};
use tokio_postgres::error::{DbError, Severity, SqlState};

/// An error that PostgreSQL has for a statement or a connection.
#[derive(Debug, thiserror::Error)]
#[error("{}", .0.message())]
pub struct ServerError(DbError);

impl ServerError {
    /// Whether PostgreSQL has closed the connection.
    pub fn is_fatal(&self) -> bool {
        matches!(self.0.parsed_severity(), Some(Severity::Fatal | Severity::Panic))
    }

    /// What it says beside its message.
    pub fn detail(&self) -> Option<&str> {
        self.0.detail()
    }

    /// The routine of PostgreSQL that has raised it.
    pub fn routine(&self) -> Option<&str> {
        self.0.routine()
    }
}

impl DatabaseError for ServerError {
    fn message(&self) -> &str {
        self.0.message()
    }

    fn code(&self) -> Option<std::borrow::Cow<'_, str>> {
        Some(self.0.code().code().into())
    }

    fn as_error(&self) -> &(dyn StdError + Send + Sync + 'static) {
        self
    }

    fn as_error_mut(&mut self) -> &mut (dyn StdError + Send + Sync + 'static) {
        self
    }

    fn into_error(self: Box<Self>) -> Box<dyn StdError + Send + Sync + 'static> {
        self
    }

    fn is_transient_in_connect_phase(&self) -> bool {
        [SqlState::TOO_MANY_CONNECTIONS, SqlState::CANNOT_CONNECT_NOW].contains(self.0.code())
    }

    /// Its code tells what it violates.
    fn kind(&self) -> ErrorKind {
        ErrorKind::Other
    }
}

/// The same error as one of sqlx.
pub fn failed(error: tokio_postgres::Error) -> Error {
    let message = error.to_string();
    if error.is_closed() {
        return Error::WorkerCrashed;
    }
    let Some(source) = error.into_source() else { return Error::Protocol(message) };
    let source = match source.downcast::<DbError>() {
        Ok(error) => return Error::Database(Box::new(ServerError(*error))),
        Err(source) => source,
    };
    // Nothing was sent.
    if ["encoding message", "serializing parameter"].iter().any(|cause| message.contains(cause)) {
        return Error::Encode(source);
    }
    match source.downcast::<io::Error>() {
        Ok(error) => Error::Io(*error),
        Err(source) if message.contains("TLS") => Error::Tls(source),
        Err(source) => Error::Protocol(format!("{message}: {source}")),
    }
}
