//! One experiment.

use futures_util::future::BoxFuture;
use sea_orm::DbErr;

use crate::{Bench, Table};

/// An experiment, and how to read its result.
pub struct Experiment {
    /// The name on the command line.
    pub name: &'static str,
    /// What it shows, in one sentence.
    pub shows: &'static str,
    /// What it does not show, in one sentence.
    pub does_not_show: &'static str,
    /// What its plot has.
    pub plot: Plot,
    /// Measures.
    pub run: Run,
}

/// Measures on a bench.
pub type Run = fn(&Bench) -> BoxFuture<'_, Result<Vec<Table>, Error>>;

/// The measure of a table that is plotted, both by their positions.
#[derive(Clone, Copy, Debug)]
pub enum Plot {
    /// A bar for each row.
    Bars(usize, usize),
    /// A line for each second label, over the first label as a number.
    Lines(usize, usize),
}

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
