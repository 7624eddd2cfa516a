//! A connection in use, and how it is released.
//!
//! Normally it returns to the pool at once: nothing waits for the end of its snapshot. If its statement was abandoned, a task first
//! drains the statement, within a time limit. If that fails, or if the connection broke, it is closed. PostgreSQL 14 or later
//! then stops the statement, because it watches its client; earlier versions run it to its time limit.
//!
//! A transaction that writes is rolled back unless it was committed.

use std::sync::Arc;
use std::time::{Duration, Instant};

use deadpool::managed::Object;
use sea_orm::metric::Info;
use sea_orm::sqlx::Error;
use sea_orm::{DbErr, RuntimeErr, Statement};
use tokio::runtime::Handle;
use tokio::time::timeout;

use super::connection::{Connection, breaks};
use super::manager::Manager;
use super::unprepared::Part;
use super::work::{Runs, Work};
use super::writing::Blocking;
use crate::db::Role;
use crate::db::failure::lost;

/// How long an abandoned statement may continue before its connection is closed.
const DRAIN_TIMEOUT: Duration = Duration::from_millis(100);

/// Called after each statement.
pub type Callback = Arc<dyn Fn(&Info<'_>) + Send + Sync>;

pub struct Lease {
    /// None once it is released.
    connection: Option<Object<Manager>>,
    state: State,
    /// What may be open.
    open: Open,
    /// What each transaction takes on.
    role: Option<Role>,
    callback: Option<Callback>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Idle,
    /// A statement runs. If the lease is dropped in this state, the statement was abandoned.
    Running,
    /// The connection must be closed.
    Broken,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Open {
    Nothing,
    Snapshot,
    /// A transaction that writes.
    Write,
}

impl Lease {
    pub fn new(connection: Object<Manager>, role: Option<Role>, callback: Option<Callback>) -> Self {
        Self { connection: Some(connection), state: State::Idle, open: Open::Nothing, role, callback }
    }

    /// The same, with this called after each statement.
    pub fn recorded(mut self, callback: Callback) -> Self {
        self.callback = Some(callback);
        self
    }

    /// Whether another statement can run.
    pub fn is_usable(&self) -> bool {
        self.state == State::Idle
    }

    pub async fn run(&mut self, work: Work<'_>) -> Result<Runs, DbErr> {
        if self.open == Open::Snapshot {
            self.run_part(work, Part::Next).await
        } else if self.connection.as_ref().is_some_and(|connection| connection.needs_snapshot(self.role.as_ref())) {
            self.run_first(work).await
        } else {
            self.run_part(work, Part::Alone).await
        }
    }

    /// Begins a snapshot and runs its first statement: one trip to the database.
    pub async fn run_first(&mut self, work: Work<'_>) -> Result<Runs, DbErr> {
        self.open = Open::Snapshot;
        let begin = self.connection.as_ref().ok_or_else(lost)?.begin(self.role.as_ref());
        if let Some(begin) = begin {
            // Its time is in that of the statement, and so is its failure.
            self.report(&Statement::from_string(work.statement.db_backend, begin), Instant::now(), false);
        }
        self.run_part(work, Part::First).await
    }

    async fn run_part(&mut self, work: Work<'_>, part: Part) -> Result<Runs, DbErr> {
        let (begun, role) = (Instant::now(), self.role.take());
        let result = self.running(async |connection| connection.run(work, part, role.as_ref()).await).await;
        self.role = role;
        self.report(work.statement, begun, result.is_err());
        result
    }

    /// Runs a statement of a transaction that writes. The first one follows this message, which begins the transaction. Returns its
    /// rows, and how many it has written.
    pub async fn write(&mut self, work: Work<'_>, opening: &str, blocking: Blocking) -> Result<(Runs, u64), DbErr> {
        let begun = Instant::now();
        let opening = (self.open != Open::Write).then_some(opening);
        self.open = Open::Write;
        let result = self.running(async |connection| connection.write(work, opening, blocking).await).await;
        self.report(work.statement, begun, result.is_err());
        result
    }

    /// Ends a transaction that writes by this message.
    pub async fn end(&mut self, message: &str) -> Result<(), DbErr> {
        if self.open != Open::Write {
            return Ok(());
        }
        self.running(async |connection| connection.end(message).await).await?;
        self.open = Open::Nothing;
        Ok(())
    }

    /// Whether the write-ahead log of a SQLite file has become long.
    pub fn has_long_log(&self) -> bool {
        self.connection.as_ref().is_some_and(|connection| connection.has_long_log())
    }

    /// Copies the log into the file.
    pub fn shorten_log(&self) {
        if let Some(connection) = &self.connection {
            connection.shorten_log();
        }
    }

    async fn running<T>(&mut self, run: impl AsyncFnOnce(&mut Connection) -> Result<T, Error>) -> Result<T, DbErr> {
        if !self.is_usable() {
            return Err(lost());
        }
        self.state = State::Running;
        let connection = self.connection()?;
        let left = connection.left();
        let result = tokio::select! {
            biased;
            result = run(connection) => result,
            () = left => Err(Error::WorkerCrashed),
        };
        self.state = if result.as_ref().is_err_and(breaks) { State::Broken } else { State::Idle };
        result.map_err(|error| DbErr::Query(RuntimeErr::SqlxError(error.into())))
    }

    fn connection(&mut self) -> Result<&mut Object<Manager>, DbErr> {
        self.connection.as_mut().ok_or_else(lost)
    }

    fn report(&self, statement: &Statement, begun: Instant, failed: bool) {
        if let Some(callback) = &self.callback {
            callback(&Info { elapsed: begun.elapsed(), statement, failed });
        }
    }

    /// Whether an open snapshot is still open after an error.
    pub fn keeps_snapshot(&self) -> bool {
        self.connection.as_ref().is_some_and(|connection| connection.keeps_snapshot())
    }

    /// Ends what is open without waiting. Returns whether the connection can be used again.
    fn end_at_once(&self, connection: &mut Connection) -> bool {
        let (begun, message) = (Instant::now(), if self.open == Open::Write { "ROLLBACK" } else { "COMMIT" });
        let ended = connection.end_at_once(message);
        self.report(&Statement::from_string(connection.backend(), message), begun, !ended);
        ended
    }

    /// Waits for the abandoned statement, and then ends as any other lease.
    async fn settle(mut self) {
        let Ok(connection) = self.connection() else { return };
        if timeout(DRAIN_TIMEOUT, connection.drain()).await.is_ok_and(|drained| drained.is_ok()) {
            self.state = State::Idle;
        } else {
            // The statement is slow, or the database is gone.
            connection.liveness.suspect();
        }
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        let Some(mut connection) = self.connection.take() else { return };
        if self.state == State::Running {
            connection.abandon();
        }
        match (self.state, Handle::try_current()) {
            (State::Idle, _) if self.open == Open::Nothing || self.end_at_once(&mut connection) => {
                connection.idle_since = Instant::now();
            }
            (State::Running, Ok(runtime)) => {
                // The task itself may be dropped, even before it begins: when the runtime ends.
                let state = State::Broken;
                let lease = Self {
                    connection: Some(connection),
                    state,
                    open: self.open,
                    role: None,
                    callback: self.callback.take(),
                };
                drop(runtime.spawn(lease.settle()));
            }
            _ => drop(Object::take(connection)),
        }
    }
}
