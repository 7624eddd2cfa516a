//! Events: new ratings and orders, for subscribers.
//!
//! On PostgreSQL, a write sends a NOTIFY in its own transaction. Every server on the database receives it if and when the
//! transaction commits, in the order of the commits: PostgreSQL commits transactions that notify one after the other. On
//! SQLite, the event is passed on within this process after the commit.
//!
//! Subscribers read from one ring that holds the newest [`RING`] events. A subscriber that falls further behind gets an
//! error and its subscription ends, so slow subscribers use a bounded amount of memory.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use async_graphql::futures_util::stream::{self, Stream};
use keyset::ReadRows;
use sea_orm::{ConnAcquireErr, ConnectionTrait, DbBackend, DbErr, Statement};
use tokio::sync::{broadcast, broadcast::error::RecvError};

use crate::db::{CONNECT_TIMEOUT, Db, Primary, Reads, read_only};

mod connection;
mod event;
mod listener;
mod missed;
mod payload;
mod recent;

use connection::CHANNEL;
pub use event::{Event, RING};
use listener::Listener;

/// Sends and receives events. Cheap to clone.
#[derive(Clone)]
pub struct Events(Arc<Inner>);

struct Inner {
    source: Source,
    /// Counts the subscribers: one reference here, and one in each of them.
    subscribers: Arc<()>,
}

enum Source {
    /// This process. The lock is held from the commit until the event is sent.
    Process { sender: broadcast::Sender<Event>, lock: tokio::sync::Mutex<()> },
    /// None: this process only reads the file, and does not hear of the writes of another one.
    Nothing,
    /// PostgreSQL. The subscribers share the listener; it ends with the last one. Without servers to listen to, this process
    /// only announces.
    Database {
        db: Reads,
        primary: Option<Arc<Primary>>,
        listener: Mutex<Weak<Listener>>,
        starting: tokio::sync::Mutex<()>,
    },
}

/// The events of one subscriber.
pub struct Receiver {
    events: broadcast::Receiver<Event>,
    _listener: Option<Arc<Listener>>,
    _counted: Arc<()>,
}

/// Why nothing can be received.
#[derive(Debug, thiserror::Error)]
pub enum SubscribeError {
    /// Statements are unprepared, for a pooler that passes on no notification, and there is no server beside it.
    #[error("this server cannot listen to its database: `DATABASE_LISTEN_URL` is not set")]
    NoListener,
    /// The database cannot be listened to within five seconds; or it is a replica, or a SQLite file that is only read.
    #[error(transparent)]
    Database(#[from] DbErr),
}

/// Why a subscription ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Lagged {
    /// The subscriber read too slowly.
    #[error("the subscription fell {0} events behind: subscribe again, then fetch the list")]
    Behind(u64),
    /// The database was unreachable for too long.
    #[error("events were missed while the database was unreachable: subscribe again, then fetch the list")]
    Missed,
}

impl Events {
    /// The events of a database.
    pub fn new(db: &Db) -> Self {
        let source = match db.reader.backend() {
            DbBackend::Postgres => Source::Database {
                db: db.reader.clone(),
                primary: db.listen_to(),
                listener: Mutex::default(),
                starting: tokio::sync::Mutex::default(),
            },
            _ if db.storage.is_read_only_file() => Source::Nothing,
            _ => Source::Process { sender: broadcast::Sender::new(RING), lock: tokio::sync::Mutex::default() },
        };
        Self(Arc::new(Inner { source, subscribers: Arc::default() }))
    }

    /// Announces an event as a part of the transaction that adds its row. On SQLite this does nothing.
    ///
    /// # Errors
    ///
    /// [`DbErr`] if the database fails.
    pub async fn announce(&self, transaction: &impl ConnectionTrait, event: &Event) -> Result<(), DbErr> {
        let Source::Database { .. } = &self.0.source else { return Ok(()) };
        let values = [CHANNEL.into(), payload::write(event)?.into()];
        let notify = Statement::from_sql_and_values(DbBackend::Postgres, "SELECT pg_notify($1, $2)", values);
        transaction.execute_raw(notify).await.map(drop)
    }

    /// Commits the transaction of an event. On SQLite, the event is sent after the commit, and under a lock, so that events
    /// are in the order of the commits.
    ///
    /// # Errors
    ///
    /// The error of the commit; then nothing is sent.
    pub async fn commit<E>(
        &self,
        commit: impl Future<Output = Result<(), E>>,
        event: impl IntoIterator<Item = Event>,
    ) -> Result<(), E> {
        let Source::Process { sender, lock } = &self.0.source else { return commit.await };
        let _lock = lock.lock().await;
        commit.await?;
        for event in event {
            // It fails if there is no subscriber.
            let _ = sender.send(event);
        }
        Ok(())
    }

    /// Subscribes to every event that is committed after this function returns.
    ///
    /// The first subscriber starts the listener. Without subscribers, no connection listens.
    ///
    /// # Errors
    ///
    /// [`SubscribeError`]. The next subscriber tries again.
    pub async fn subscribe(&self) -> Result<Receiver, SubscribeError> {
        let (events, listener) = match &self.0.source {
            Source::Process { sender, .. } => (sender.subscribe(), None),
            Source::Nothing => return Err(read_only().into()),
            Source::Database { primary: None, .. } => return Err(SubscribeError::NoListener),
            Source::Database { db, primary: Some(primary), listener, starting } => {
                let listening = listening(db, primary, listener, starting);
                let listening = tokio::time::timeout(CONNECT_TIMEOUT, listening).await;
                let no_answer = |_| DbErr::ConnectionAcquire(ConnAcquireErr::Timeout);
                let (events, listener) = listening.map_err(no_answer)??;
                (events, Some(listener))
            }
        };
        Ok(Receiver { events, _listener: listener, _counted: Arc::clone(&self.0.subscribers) })
    }

    /// The number of subscribers.
    pub fn subscribers(&self) -> usize {
        Arc::strong_count(&self.0.subscribers) - 1
    }
}

/// The events from now on, of the listener that runs, or of a new one.
async fn listening(
    db: &Reads,
    primary: &Arc<Primary>,
    listener: &Mutex<Weak<Listener>>,
    starting: &tokio::sync::Mutex<()>,
) -> Result<(broadcast::Receiver<Event>, Arc<Listener>), DbErr> {
    // One subscriber starts the listener; the others wait.
    let _starting = starting.lock().await;
    let running = lock(listener).upgrade();
    if let Some(running) = running
        && let Some(events) = running.subscribe().await
    {
        return Ok((events, running));
    }
    let (started, events) = Listener::start(db.clone(), Arc::clone(primary)).await?;
    let started = Arc::new(started);
    *lock(listener) = Arc::downgrade(&started);
    Ok((events, started))
}

impl Receiver {
    /// The events as a stream that ends after an error.
    pub fn into_stream(self) -> impl Stream<Item = Result<Event, Lagged>> + Send {
        stream::unfold(Some(self), async |receiver| {
            let mut receiver = receiver?;
            match receiver.events.recv().await {
                Ok(event) => Some((Ok(event), Some(receiver))),
                Err(RecvError::Lagged(behind)) => Some((Err(Lagged::Behind(behind)), None)),
                Err(RecvError::Closed) => Some((Err(Lagged::Missed), None)),
            }
        })
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
