//! Rows for an empty database.

use std::fmt;
use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;

use super::Opened;
use crate::run::OwnError;

/// Fills an empty database.
#[derive(Clone)]
pub struct Sample(Arc<dyn Fn(Opened) -> BoxFuture<'static, Result<(), OwnError>> + Send + Sync>);

impl Sample {
    /// By this function. If its future is dropped, it leaves nothing in the database. Its statements have the time limits of the
    /// settings: on PostgreSQL, begin a slow transaction with `SET LOCAL statement_timeout = 0`; on SQLite, hold
    /// [`Db::suspend_deadline`](crate::db::Db::suspend_deadline).
    pub fn new<F>(fill: impl Fn(Opened) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = Result<(), OwnError>> + Send + 'static,
    {
        Self(Arc::new(move |opened| fill(opened).boxed()))
    }

    pub(crate) fn fill(&self, opened: Opened) -> BoxFuture<'static, Result<(), OwnError>> {
        (self.0)(opened)
    }
}

impl fmt::Debug for Sample {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Sample")
    }
}
