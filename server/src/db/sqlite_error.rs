//! Errors of SQLite, by which the kinds of failures are told.

use std::borrow::Cow;
use std::error::Error;
use std::fmt;

use sea_orm::sqlx;
use sea_orm::sqlx::error::{DatabaseError, ErrorKind};

/// An error of SQLite, with its extended result code as sqlx has it.
#[derive(Debug)]
struct Failed(rusqlite::Error);

/// The error of a statement in the terms of sqlx.
pub fn failed(error: rusqlite::Error) -> sqlx::Error {
    sqlx::Error::Database(Box::new(Failed(error)))
}

/// SQLite's code for a file that was deleted or replaced (`SQLITE_READONLY_DBMOVED`).
pub const MOVED: i32 = 1032;

/// SQLite's code for a write to a file that was opened for reading only (`SQLITE_READONLY`).
pub const READ_ONLY: i32 = 8;

/// Another connection writes (`SQLITE_BUSY`).
pub const BUSY: i32 = 5;

/// An error that SQLite does not report itself.
pub fn error(code: i32, message: String) -> sqlx::Error {
    failed(rusqlite::Error::SqliteFailure(rusqlite::ffi::Error::new(code), Some(message)))
}

impl fmt::Display for Failed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.sqlite_error() {
            Some(error) => write!(f, "(code: {}) {}", error.extended_code, self.0),
            None => self.0.fmt(f),
        }
    }
}

impl Error for Failed {}

impl DatabaseError for Failed {
    fn message(&self) -> &str {
        match &self.0 {
            rusqlite::Error::SqliteFailure(_, Some(message)) => message,
            _ => "SQLite cannot run the statement",
        }
    }

    fn code(&self) -> Option<Cow<'_, str>> {
        self.0.sqlite_error().map(|error| error.extended_code.to_string().into())
    }

    fn as_error(&self) -> &(dyn Error + Send + Sync + 'static) {
        self
    }

    fn as_error_mut(&mut self) -> &mut (dyn Error + Send + Sync + 'static) {
        self
    }

    fn into_error(self: Box<Self>) -> Box<dyn Error + Send + Sync + 'static> {
        self
    }

    fn kind(&self) -> ErrorKind {
        ErrorKind::Other
    }
}
