//! Why an experiment has no result.

use sea_orm::DbErr;

/// Why an experiment has no result.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A database failed.
    #[error(transparent)]
    Database(#[from] DbErr),
    /// The engine refused an order.
    #[error(transparent)]
    Order(#[from] keyset::OrderError),
    /// The engine refused a key.
    #[error(transparent)]
    Key(#[from] keyset::KeyError),
    /// The engine refused a cursor.
    #[error(transparent)]
    Cursor(#[from] keyset::CursorError),
    /// A generator of keys failed.
    #[error("cannot make a key: {0}")]
    Generator(#[from] ulid::MonotonicError),
    /// JSON could not be written or read.
    #[error(transparent)]
    Json(#[from] serde_json::Error),
    /// A plot could not be drawn.
    #[error("cannot draw the plot: {0}")]
    Plot(String),
    /// A file could not be read or written.
    #[error("{path}: {error}")]
    File {
        /// The file.
        path: String,
        /// What failed.
        error: std::io::Error,
    },
    /// A database or a format answered in another form than it is documented to.
    #[error("expected {0}")]
    Unexpected(String),
}
