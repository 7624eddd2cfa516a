//! A transaction that writes on a connection of the pool.

use keyset::{Many, Record};
use sea_orm::{DbErr, RuntimeErr, Statement};

use super::Pool;
use super::lease::{Callback, Lease};
use super::unprepared::quote;
use super::work::{Runs, Work};

/// Whether a statement on SQLite may block its thread. One that may not is stopped where it takes long, or where the file is locked. SQLite
/// then rolls its transaction back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blocking {
    /// It may.
    Yes,
    /// It may not.
    No,
}

/// It is rolled back when it is dropped before its end.
pub struct Writing {
    lease: Lease,
    blocking: Blocking,
    /// The message that begins it, with the first statement.
    opening: String,
    /// What is sent before its commit.
    notices: String,
}

impl Pool {
    /// A transaction that this message begins. Calls this after each statement.
    ///
    /// # Errors
    ///
    /// [`DbErr`] if no connection is available in time.
    pub async fn write(&self, opening: String, blocking: Blocking, callback: Callback) -> Result<Writing, DbErr> {
        let lease = self.lease().await?.recorded(callback);
        Ok(Writing { lease, blocking, opening, notices: String::new() })
    }
}

impl Writing {
    /// The rows of a statement.
    ///
    /// # Errors
    ///
    /// [`DbErr`] if the database fails.
    pub async fn read(&mut self, statement: &Statement) -> Result<Vec<Record>, DbErr> {
        let (mut runs, _) = self.lease.write(Work::once(statement), &self.opening, self.blocking).await?;
        Ok(runs.pop().unwrap_or_default())
    }

    /// Those of many lists.
    ///
    /// # Errors
    ///
    /// As [`Self::read`].
    pub async fn read_many(&mut self, statement: &Statement, many: &Many) -> Result<Runs, DbErr> {
        Ok(self.lease.write(Work::many(statement, many), &self.opening, self.blocking).await?.0)
    }

    /// How many rows a statement writes.
    ///
    /// # Errors
    ///
    /// As [`Self::read`].
    pub async fn execute(&mut self, statement: &Statement) -> Result<u64, DbErr> {
        Ok(self.lease.write(Work::once(statement), &self.opening, self.blocking).await?.1)
    }

    /// Sends this to the listeners of a channel, with the commit.
    ///
    /// # Errors
    ///
    /// [`DbErr`] for a text that PostgreSQL does not have.
    pub fn notify(&mut self, channel: &str, text: &str) -> Result<(), DbErr> {
        let encoded = |error: sea_orm::sqlx::Error| DbErr::Query(RuntimeErr::SqlxError(error.into()));
        self.notices.push_str("SELECT pg_notify(");
        quote(&mut self.notices, channel).map_err(encoded)?;
        self.notices.push_str(", ");
        quote(&mut self.notices, text).map_err(encoded)?;
        self.notices.push_str("); ");
        Ok(())
    }

    /// Commits it. Returns the connection if SQLite's log has become long.
    ///
    /// # Errors
    ///
    /// [`DbErr`] if the database fails. The outcome is unknown if the connection was lost.
    pub async fn commit(mut self) -> Result<Option<Grown>, DbErr> {
        let message = std::mem::take(&mut self.notices) + "COMMIT";
        self.lease.end(&message).await?;
        Ok(self.lease.has_long_log().then_some(Grown(self.lease)))
    }

    /// Rolls it back.
    ///
    /// # Errors
    ///
    /// [`DbErr`] if the database fails, which rolls it back, too.
    pub async fn rollback(mut self) -> Result<(), DbErr> {
        self.lease.end("ROLLBACK").await
    }
}

/// A connection to a SQLite file whose write-ahead log has become long.
pub struct Grown(Lease);

impl Grown {
    /// Copies the log into the file, as far as nothing reads it. This blocks the thread until the disk has both.
    pub fn shorten(self) {
        self.0.shorten_log();
    }
}
