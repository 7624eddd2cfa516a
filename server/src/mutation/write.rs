//! A write: one transaction, which is retried when another one conflicts with it.
//!
//! What is selected of the payload is read in the transaction, before the commit. So the payload shows the write, and a
//! write whose payload cannot be read has not happened. A list with a wrong argument is null beside its error, and stops
//! no write.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::{Duration, Instant};

use async_graphql::context::QueryEnv;
use async_graphql::{Context, SchemaEnv};
use bookends_graphql::{ContextExt, Declaration, PayloadPlan, ShownPayload};
use futures_util::FutureExt;
use sea_orm::DbErr;
use tokio::runtime::Handle;
use tokio::sync::OwnedSemaphorePermit;
use tokio::task::{spawn_blocking, unconstrained};
use tracing::Instrument;

use super::payload::{Done, Payload};
use super::transaction::Transaction;
use crate::db::{Blocking, Db, Failure, Role, tally};
use crate::events::Events;
use crate::request::{Code, Error, RequestContext, Result, conflict, database};

/// The time and the number of attempts after which a write gives up.
const MAX_TIME: Duration = Duration::from_secs(10);
const MAX_ATTEMPTS: u32 = 100;
/// The longest pause between two attempts, in microseconds. A pause is a random part of a bound, which is 2 ms after the
/// first attempt and doubles after each.
const MAX_PAUSE: u64 = 128_000;

/// A write whose input was checked.
pub trait Write: Send + Sync + 'static {
    /// Its result for the payload: the state that was committed.
    type Done: Done;

    /// Runs in this transaction. It can run several times; one of them takes effect.
    fn run(&self, transaction: &Transaction) -> impl Future<Output = WriteResult<Self::Done>> + Send;
}

/// The result of a part of a transaction.
pub type WriteResult<T> = std::result::Result<T, WriteError>;

/// Why a transaction is not committed.
#[derive(Debug)]
pub enum WriteError {
    /// The write refused.
    Refused(Error),
    /// Another transaction changed the rows of this one.
    Changed,
    /// The database failed.
    Database(DbErr),
    /// The database failed during the commit.
    Commit(DbErr),
}

impl WriteError {
    fn failure(&self) -> Option<Failure> {
        match self {
            Self::Refused(_) | Self::Changed => None,
            Self::Database(cause) | Self::Commit(cause) => Some(Failure::of(cause)),
        }
    }

    /// Whether another attempt can succeed.
    fn may_pass(&self) -> bool {
        match (self, self.failure()) {
            (Self::Changed, _) | (_, Some(Failure::InTheWay)) => true,
            // A connection lost during the commit leaves the outcome unknown.
            (Self::Database(_), Some(failure)) => failure.is_outage(),
            _ => false,
        }
    }
}

impl From<WriteError> for Error {
    fn from(error: WriteError) -> Self {
        match error {
            WriteError::Refused(error) => error,
            WriteError::Changed => conflict(),
            WriteError::Commit(cause) if Failure::of(&cause).is_outage() => {
                tracing::error!(%cause, "the connection was lost during the commit");
                let message =
                    "the connection to the database was lost during the commit: check whether the write took effect";
                Self::client(Code::OutcomeUnknown, message)
            }
            WriteError::Database(cause) | WriteError::Commit(cause) => database(cause),
        }
    }
}

impl From<Error> for WriteError {
    fn from(error: Error) -> Self {
        Self::Refused(error)
    }
}

impl From<DbErr> for WriteError {
    fn from(error: DbErr) -> Self {
        Self::Database(error)
    }
}

/// What runs in a transaction, and what is shown of it.
pub(super) trait Run: Send + Sync + 'static {
    /// The payload, as it was read and written.
    type Shown: Send + 'static;

    /// Whether all of its statements are those of the engine.
    const IS_OF_ENGINE: bool;

    /// Runs in this transaction, and reads the payload in it. It can run several times; one of them takes effect.
    fn run(&self, transaction: &Transaction) -> impl Future<Output = WriteResult<Self::Shown>> + Send;

    /// Whether the payload could not be read: then the transaction is rolled back.
    fn is_null(shown: &Self::Shown) -> bool;
}

/// A write with its payload.
struct WithPayload<W: Write> {
    write: W,
    client_mutation_id: Option<String>,
    plan: PayloadPlan<Payload<W::Done>>,
}

impl<W: Write> Run for WithPayload<W> {
    type Shown = ShownPayload<Payload<W::Done>>;

    const IS_OF_ENGINE: bool = false;

    async fn run(&self, transaction: &Transaction) -> WriteResult<Self::Shown> {
        let done = self.write.run(transaction).await?;
        let payload = Payload { done, client_mutation_id: self.client_mutation_id.clone() };
        Ok(self.plan.show(&payload, transaction.reader()).await)
    }

    fn is_null(shown: &Self::Shown) -> bool {
        shown.is_null()
    }
}

/// Runs a write, completely or not at all, and shows its payload.
///
/// # Errors
///
/// The write's own errors; [`Code::Conflict`] and [`Code::Unavailable`] after ten seconds of conflicts or outage;
/// [`Code::TimedOut`]; [`Code::OutOfRange`] and [`Code::InUse`] where the database refused it; and
/// [`Code::OutcomeUnknown`].
pub async fn write<W: Write>(
    context: &Context<'_>,
    write: W,
    client_mutation_id: Option<String>,
) -> Result<ShownPayload<Payload<W::Done>>> {
    let plan = PayloadPlan::of(context);
    Ok(run(context, WithPayload { write, client_mutation_id, plan }).await?)
}

/// Runs it in a transaction, completely or not at all.
///
/// Where it has to wait, it runs in a task of its own, so that a client that disconnects does not stop it. It holds the permit of its
/// request until it ends, so that clients cannot exceed the maximum by reconnecting.
///
/// # Errors
///
/// [`WriteError`], after ten seconds of conflicts or outage.
pub(super) async fn run<R: Run>(context: &Context<'_>, run: R) -> WriteResult<R::Shown> {
    let db = context.data_unchecked::<Db>().clone();
    let events = context.data_unchecked::<Events>().clone();
    let request: Option<&RequestContext> = context.data_opt();
    let permit = request.and_then(|request| request.permit.clone());
    let role = request.and_then(|request| request.role.clone());
    let data = (context.query_env.clone(), context.schema_env.clone());
    let writing = Arc::new(Writing { db, events, declaration: Arc::clone(context.declaration()), data, role, run });
    if let Some(done) = writing.at_once().await {
        return done;
    }
    // On the heap: the task moves its future several times, and this one is large.
    let work = Box::pin(async move {
        let _permit = permit;
        writing.retry().await
    });
    let task = tokio::spawn(tally::continued(tally::current(), work).in_current_span());
    task.await.unwrap_or_else(|error| match error.try_into_panic() {
        Ok(panic) => Err(Error::panicked(&*panic).into()),
        Err(cancelled) => Err(Error::internal(&cancelled).into()),
    })
}

/// What runs, and where.
struct Writing<R> {
    db: Db,
    events: Events,
    declaration: Arc<Declaration>,
    data: (QueryEnv, SchemaEnv),
    /// What the transaction takes on.
    role: Option<Role>,
    run: R,
}

impl<R: Run> Writing<R> {
    async fn retry(self: Arc<Self>) -> WriteResult<R::Shown> {
        let (begun, db) = (Instant::now(), &self.db);
        let mut attempts = 0;
        loop {
            attempts += 1;
            let error = match self.attempt().await {
                Ok(shown) => return Ok(shown),
                Err(error) => error,
            };
            if let WriteError::Database(cause) | WriteError::Commit(cause) = &error {
                db.write_failed(cause);
            }
            let pause = fastrand::u64(..(1000 << attempts.min(10)).min(MAX_PAUSE));
            let pause = Duration::from_micros(pause);
            // Another server may have become the primary.
            let may_pass = error.may_pass() || (db.may_move() && error.failure() == Some(Failure::ReadOnly));
            if !may_pass || attempts == MAX_ATTEMPTS || begun.elapsed() + pause >= MAX_TIME {
                return Err(error);
            }
            db.metrics.write_retried();
            // Without the message of the database, which can quote a row.
            tracing::debug!(attempts, failure = ?error.failure(), "retrying a write");
            tokio::time::sleep(pause).await;
        }
    }

    /// Runs a transaction that waits for nothing, and so cannot be stopped in its middle: one of the engine on SQLite, if nothing else
    /// writes. None if that is not so, or if it takes long: then it has done nothing.
    async fn at_once(&self) -> Option<WriteResult<R::Shown>> {
        let permit = if self.blocks() { self.db.try_permit()? } else { return None };
        if let Err(moved) = self.db.storage.check() {
            return Some(Err(moved.into()));
        }
        let done = AssertUnwindSafe(self.inline(permit)).catch_unwind().await;
        let done = done.unwrap_or_else(|panic| Some(Err(Error::panicked(&*panic).into())))?;
        match &done {
            Err(error) if error.may_pass() => return None,
            Err(WriteError::Database(cause) | WriteError::Commit(cause)) => self.db.write_failed(cause),
            _ => {}
        }
        Some(done)
    }

    /// Runs a transaction on a thread that may not block. None if it takes long, or if another process writes.
    async fn inline(&self, permit: OwnedSemaphorePermit) -> Option<WriteResult<R::Shown>> {
        // On the heap: otherwise each mutation would have room for it.
        match unconstrained(Box::pin(self.transact(Instant::now(), permit, Blocking::No))).await {
            Err(WriteError::Database(cause))
                if matches!(Failure::of(&cause), Failure::TimedOut | Failure::InTheWay) =>
            {
                None
            }
            done => Some(done),
        }
    }

    /// Whether its statements block their thread.
    fn blocks(&self) -> bool {
        R::IS_OF_ENGINE && self.db.writes_block()
    }

    /// Runs it on a thread that may block, unless it is done without.
    async fn attempt(self: &Arc<Self>) -> WriteResult<R::Shown> {
        let db = &self.db;
        // A new connection would create the file that was deleted.
        db.storage.check()?;
        let begun = Instant::now();
        let permit = db.on_primary(begun, db.permit()).await?;
        if !self.blocks() {
            return self.transact(begun, permit, Blocking::Yes).await;
        }
        if let Some(done) = self.inline(permit).await {
            return done;
        }
        let permit = db.permit().await?;
        let (this, runtime) = (Arc::clone(self), Handle::current());
        let work = Box::pin(async move { this.transact(begun, permit, Blocking::Yes).await });
        let work = tally::continued(tally::current(), work).in_current_span();
        match spawn_blocking(move || runtime.block_on(work)).await {
            Ok(done) => done,
            Err(error) => match error.try_into_panic() {
                Ok(panic) => std::panic::resume_unwind(panic),
                Err(cancelled) => Err(Error::internal(&cancelled).into()),
            },
        }
    }

    async fn transact(
        &self,
        begun: Instant,
        permit: OwnedSemaphorePermit,
        blocking: Blocking,
    ) -> WriteResult<R::Shown> {
        let db = &self.db;
        let engine = R::IS_OF_ENGINE.then_some(blocking);
        let transaction = db.begin_write(permit, self.role.as_ref(), engine);
        let transaction = db.on_primary(begun, transaction).await?;
        let transaction = Transaction::new(db, &self.events, &self.declaration, begun, transaction, self.data.clone());
        match self.run.run(&transaction).await {
            Ok(shown) => {
                let events = transaction.announced();
                let mut transaction = transaction.end().await?;
                let told = db.on_primary(begun, self.events.notify(&mut transaction, &events)).await;
                if told.is_err() || R::is_null(&shown) {
                    db.on_primary(begun, transaction.rollback()).await?;
                    told?;
                } else {
                    let committed = db.on_primary(begun, self.events.commit(db.commit(transaction), events));
                    committed.await.map_err(WriteError::Commit)?;
                }
                Ok(shown)
            }
            Err(error) => {
                // Dropping it would hold its locks until the connection is used again. If this fails, they are released.
                if let Ok(transaction) = transaction.end().await {
                    let _ = db.on_primary(begun, transaction.rollback()).await;
                }
                Err(error)
            }
        }
    }
}
