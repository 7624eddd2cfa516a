//! Writing: one transaction, which is run again where another one was in its way.

use std::time::{Duration, Instant};

use async_graphql::{ContainerType, Context, OutputType};
use sea_orm::{
    ConnectionTrait, DatabaseTransaction, DbBackend, DbErr, SqliteTransactionMode, TransactionOptions, TransactionTrait,
};

use tracing::Instrument;

use crate::db::{Db, Failure};
use crate::events::{Event, Events};
use crate::graphql::error::{Code, Error, Result};

/// For how long a write is tried again, and how often.
const PATIENCE: Duration = Duration::from_secs(10);
const MOST_TRIES: u32 = 100;
/// The longest pause between two tries, in microseconds. It is a random part of 2 ms after the first, and of twice as much
/// after each of the next.
const LONGEST_PAUSE: u64 = 128_000;

/// What a mutation does, its input checked.
pub trait Write: Send + Sync + 'static {
    /// What came of it, for its payload: the state that was committed.
    type Done: OutputType + ContainerType + 'static;

    /// Does it, as a part of this transaction. It can happen several times, of which one takes effect.
    fn run(&self, transaction: &DatabaseTransaction) -> impl Future<Output = WriteResult<Self::Done>> + Send;

    /// What subscribers hear of it once it has been committed.
    fn event(_: &Self::Done) -> Option<Event> {
        None
    }
}

/// What a part of a transaction returns.
pub type WriteResult<T> = std::result::Result<T, WriteError>;

/// Why there is nothing to commit.
#[derive(Debug)]
pub enum WriteError {
    /// It cannot be done.
    Refused(Error),
    /// Another transaction has changed what this one was about.
    Changed,
    /// The database failed.
    Database(DbErr),
    /// The database failed while it committed.
    Commit(DbErr),
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

/// Does what a mutation asks for, wholly or not at all.
///
/// It is done in a task of its own: a client that goes away does not stop it half-way.
///
/// # Errors
///
/// What the write itself refuses; [`Code::Conflict`] and [`Code::Unavailable`] where others were in its way, or the database was
/// away, for ten seconds; [`Code::OutOfRange`] and [`Code::InUse`] where only the database could see what is wrong; and
/// [`Code::OutcomeUnknown`].
pub async fn write<W: Write>(context: &Context<'_>, write: W) -> Result<W::Done> {
    let db = context.data_unchecked::<Db>().clone();
    let events = context.data_unchecked::<Events>().clone();
    let done = tokio::spawn(async move { try_again(&db, &events, &write).await }.in_current_span()).await;
    done.unwrap_or_else(|panic| Err(Error::internal(&panic)))
}

async fn try_again<W: Write>(db: &Db, events: &Events, write: &W) -> Result<W::Done> {
    let begun = Instant::now();
    for tried in 1.. {
        let (error, is_over) = match transact(db, events, write).await {
            Ok(done) => return Ok(done),
            Err(WriteError::Refused(error)) => return Err(error),
            Err(WriteError::Commit(error)) if Failure::of(&error) == Failure::Unreachable => {
                tracing::error!(%error, "the database went away while it committed");
                let message = "the database went away while it committed: look whether it has been done";
                return Err(Error::client(Code::OutcomeUnknown, message));
            }
            Err(WriteError::Changed) => {
                (Error::client(Code::Conflict, "other writes were in the way: try again"), false)
            }
            Err(WriteError::Database(error) | WriteError::Commit(error)) => {
                db.trust.shaken_by(&error);
                explain(error)
            }
        };
        let pause = fastrand::u64(..(1000 << tried.min(10)).min(LONGEST_PAUSE));
        let pause = Duration::from_micros(pause);
        if is_over || tried == MOST_TRIES || begun.elapsed() + pause >= PATIENCE {
            return Err(error);
        }
        db.metrics.write_retried();
        tracing::debug!(tried, ?error, "a write is tried again");
        tokio::time::sleep(pause).await;
    }
    unreachable!("it returns after the last try")
}

/// What the client is told of a failure, and whether that is the end of it.
fn explain(error: DbErr) -> (Error, bool) {
    match Failure::of(&error) {
        Failure::InTheWay => (Error::client(Code::Conflict, "other writes were in the way: try again"), false),
        Failure::Unreachable => (Error::client(Code::Unavailable, "the database does not answer: try again"), false),
        Failure::OutOfRange => {
            (Error::client(Code::OutOfRange, "the database cannot hold the value, or a sum with it"), true)
        }
        Failure::Reference => (Error::client(Code::InUse, "something else in the database refers to it"), true),
        Failure::Other => (error.into(), true),
    }
}

async fn transact<W: Write>(db: &Db, events: &Events, write: &W) -> WriteResult<W::Done> {
    // SQLite: from its first statement on, it waits for its turn. One that begins by reading could not wait any more.
    let options = TransactionOptions {
        sqlite_transaction_mode: Some(SqliteTransactionMode::Immediate),
        ..TransactionOptions::default()
    };
    let transaction = db.writer.begin_with_options(options).await?;
    match run(&transaction, events, write).await {
        Ok((done, event)) => {
            let _turn = events.turn().await;
            transaction.commit().await.map_err(WriteError::Commit)?;
            if let Some(event) = event {
                events.committed(event);
            }
            Ok(done)
        }
        Err(error) => {
            // Dropping it would do, but keep its locks until the connection is used again. Where this fails, they are gone.
            let _ = transaction.rollback().await;
            Err(error)
        }
    }
}

/// All that is part of the transaction.
async fn run<W: Write>(
    transaction: &DatabaseTransaction,
    events: &Events,
    write: &W,
) -> WriteResult<(W::Done, Option<Event>)> {
    if transaction.get_database_backend() == DbBackend::Postgres {
        // SQLite waits no longer than that, either.
        transaction.execute_unprepared("SET LOCAL lock_timeout = '5s'").await?;
    }
    let done = write.run(transaction).await?;
    let event = W::event(&done);
    if let Some(event) = &event {
        events.announce(transaction, event).await?;
    }
    Ok((done, event))
}
