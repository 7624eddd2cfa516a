//! Several statements that see one state of the database.

use std::fmt;

use keyset::{Many, ManyBy, ReadRows, Record};
use sea_orm::prelude::async_trait::async_trait;
use sea_orm::{DbBackend, DbErr, Statement};
use tokio::sync::Mutex;

use super::Pool;
use super::lease::Lease;
use super::work::{Runs, Work};
use crate::db::Failure;

/// Every statement sees the state of the database that the first one saw. Concurrent statements queue for the one
/// connection, which is acquired by the first. The snapshot ends when it is dropped; nothing waits for its `COMMIT`.
pub struct Snapshot {
    pool: Pool,
    state: Mutex<State>,
}

enum State {
    /// No statement has run. The connection may have been acquired already.
    New(Option<Lease>),
    Open(Lease),
    /// The error that ended it.
    Lost(DbErr),
}

impl Pool {
    /// Statements that see one state of the database.
    pub fn snapshot(&self) -> Snapshot {
        Snapshot { pool: self.clone(), state: Mutex::new(State::New(None)) }
    }
}

impl Snapshot {
    /// Acquires the connection before the first statement.
    ///
    /// # Errors
    ///
    /// [`DbErr`] if no connection is available within five seconds.
    pub async fn acquire(&self) -> Result<(), DbErr> {
        if let State::New(lease @ None) = &mut *self.state.lock().await {
            *lease = Some(self.pool.lease().await?);
        }
        Ok(())
    }

    async fn run(&self, work: Work<'_>) -> Result<Runs, DbErr> {
        let mut state = self.state.lock().await;
        match &mut *state {
            State::Lost(error) => Err(error.clone()),
            State::Open(lease) => {
                let result = lease.run(work).await;
                if let Err(error) = &result
                    && self.is_over(lease, error)
                {
                    *state = State::Lost(error.clone());
                }
                result
            }
            State::New(lease) => {
                let begun = match self.begin(lease.take(), work).await {
                    // Nothing has been read yet, so another connection will do. The lost one is released first.
                    Ok((lost, Err(error))) if self.pool.may_retry(&error) => {
                        drop(lost);
                        self.begin(None, work).await
                    }
                    begun => begun,
                };
                let (lease, result) = match begun {
                    Ok(begun) => begun,
                    // Otherwise each statement of the response would wait for a connection in turn.
                    Err(error) => {
                        *state = State::Lost(error.clone());
                        return Err(error);
                    }
                };
                *state = match &result {
                    // Nothing has been read yet, so the next statement may begin another one.
                    Err(error) if self.is_over(&lease, error) && self.is_refused(error) => State::New(None),
                    Err(error) if self.is_over(&lease, error) => State::Lost(error.clone()),
                    _ => State::Open(lease),
                };
                result
            }
        }
    }

    async fn begin(&self, acquired: Option<Lease>, work: Work<'_>) -> Result<(Lease, Result<Runs, DbErr>), DbErr> {
        let mut lease = match acquired {
            Some(lease) => lease,
            None => self.pool.lease().await?,
        };
        let result = lease.run_first(work).await;
        Ok((lease, result))
    }

    /// Whether the database refuses the statement, and may run another one.
    fn is_refused(&self, error: &DbErr) -> bool {
        !self.pool.is_lost(error) && Failure::of(error) != Failure::TimedOut
    }

    /// Whether this error ends the snapshot.
    fn is_over(&self, lease: &Lease, error: &DbErr) -> bool {
        self.pool.is_lost(error) || !lease.is_usable() || !lease.keeps_snapshot()
    }
}

impl fmt::Debug for Snapshot {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Snapshot").field("pool", &self.pool).finish_non_exhaustive()
    }
}

#[async_trait]
impl ReadRows for Snapshot {
    fn backend(&self) -> DbBackend {
        self.pool.backend()
    }

    async fn read(&self, statement: Statement) -> Result<Vec<Record>, DbErr> {
        Ok(self.run(Work::once(&statement)).await?.pop().unwrap_or_default())
    }

    fn reads_many(&self) -> ManyBy {
        self.pool.reads_many()
    }

    async fn read_many(&self, statement: Statement, many: Many) -> Result<Vec<Vec<Record>>, DbErr> {
        self.run(Work::many(&statement, &many)).await
    }
}
