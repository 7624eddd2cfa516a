//! Writing: one transaction, which is run again where another one was in its way.

use std::time::{Duration, Instant};

use async_graphql::{ContainerType, Context, OutputType};
use sea_orm::{
    ConnectionTrait, DatabaseTransaction, DbBackend, DbErr, SqliteTransactionMode, TransactionOptions, TransactionTrait,
};

use tracing::Instrument;

use crate::db::{Db, Failure, PATIENCE};
use crate::events::{Event, Events};
use crate::graphql::admission::Place;
use crate::graphql::code::Code;
use crate::graphql::error::{Error, Result};

/// For how long a write is tried again, and how often.
const LONGEST: Duration = Duration::from_secs(10);
const MOST_TRIES: u32 = 100;
/// The longest pause between two tries, in microseconds. It is a random part of 2 ms after the first, and of twice as
/// much after each of the next.
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

impl WriteError {
    fn failure(&self) -> Option<Failure> {
        match self {
            Self::Refused(_) | Self::Changed => None,
            Self::Database(cause) | Self::Commit(cause) => Some(Failure::of(cause)),
        }
    }

    /// Whether it can be otherwise in a moment.
    fn may_pass(&self) -> bool {
        match (self, self.failure()) {
            (Self::Changed, _) | (_, Some(Failure::InTheWay)) => true,
            // Where the database went away while it committed, it may have done so.
            (Self::Database(_), Some(failure)) => failure.is_outage(),
            _ => false,
        }
    }
}

impl From<WriteError> for Error {
    fn from(error: WriteError) -> Self {
        match error {
            WriteError::Refused(error) => error,
            WriteError::Changed => Self::in_the_way(),
            WriteError::Commit(cause) if Failure::of(&cause).is_outage() => {
                tracing::error!(%cause, "the database went away while it committed");
                let message = "the database went away while it committed: look whether it has been done";
                Self::client(Code::OutcomeUnknown, message)
            }
            WriteError::Database(cause) | WriteError::Commit(cause) => cause.into(),
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

/// Does what a mutation asks for, wholly or not at all.
///
/// It is done in a task of its own: a client that goes away does not stop it half-way. It keeps the place of its
/// request until then: whoever goes away and comes again does not make the writers more.
///
/// # Errors
///
/// What the write itself refuses; [`Code::Conflict`] and [`Code::Unavailable`] where others were in its way, or the
/// database was away, for ten seconds; [`Code::TimedOut`]; [`Code::OutOfRange`] and [`Code::InUse`] where only the
/// database could see what is wrong; and [`Code::OutcomeUnknown`].
pub async fn write<W: Write>(context: &Context<'_>, write: W) -> Result<W::Done> {
    let db = context.data_unchecked::<Db>().clone();
    let events = context.data_unchecked::<Events>().clone();
    let place = Place::of_this_task();
    let work = async move {
        let _place = place;
        try_again(&db, &events, &write).await
    };
    let done = tokio::spawn(work.in_current_span()).await;
    done.unwrap_or_else(|panic| Err(Error::internal(&panic)))
}

async fn try_again<W: Write>(db: &Db, events: &Events, write: &W) -> Result<W::Done> {
    let begun = Instant::now();
    let mut tried = 0;
    loop {
        tried += 1;
        let error = match transact(db, events, write).await {
            Ok(done) => return Ok(done),
            Err(error) => error,
        };
        if let WriteError::Database(cause) | WriteError::Commit(cause) = &error {
            db.trust.shaken_by(cause);
        }
        let pause = fastrand::u64(..(1000 << tried.min(10)).min(LONGEST_PAUSE));
        let pause = Duration::from_micros(pause);
        if !error.may_pass() || tried == MOST_TRIES || begun.elapsed() + pause >= LONGEST {
            return Err(error.into());
        }
        db.metrics.write_retried();
        // Not the error itself: what the database says of it can quote a row.
        tracing::debug!(tried, failure = ?error.failure(), "a write is tried again");
        tokio::time::sleep(pause).await;
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
            events.commit(db.commit(transaction), event).await.map_err(WriteError::Commit)?;
            Ok(done)
        }
        Err(error) => {
            // Dropping it would do, but keep its locks until the connection is used again. Where this fails, they are
            // gone.
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
    let first = match transaction.get_database_backend() {
        // SQLite waits no longer than that, either.
        DbBackend::Postgres => format!("SET LOCAL lock_timeout = {}", PATIENCE.as_millis()),
        // A connection that has not seen yet that another program changed the schema sees it now. An insert would see it
        // in the midst of its triggers, when FTS5 opens its tables, and not find the table that it is of.
        _ => "SELECT 1 FROM book LIMIT 0".to_owned(),
    };
    transaction.execute_unprepared(&first).await?;
    let done = write.run(transaction).await?;
    let event = W::event(&done);
    if let Some(event) = &event {
        events.announce(transaction, event).await?;
    }
    Ok((done, event))
}
