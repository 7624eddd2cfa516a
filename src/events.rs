//! What is added, told to those who asked to hear of it.
//!
//! On PostgreSQL a write announces itself by NOTIFY in its own transaction. So it is heard if and when it commits, in
//! the order of the commits, and by every server on the database. (So that there is such an order, PostgreSQL lets
//! transactions that announce something commit one after the other.) SQLite is no server's to share: there the word is
//! passed on in this process, after the commit.
//!
//! Whoever [subscribes](Events::subscribe) reads from a ring of the newest events, [`RING`] of them, which all
//! subscribers of the server share. One that falls behind by more is told so and hears no more: what slow readers cost
//! is bounded, and they know that they must list again.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use ::entity::{book_order, book_rating};
use async_graphql::futures_util::stream::{self, Stream};
use sea_orm::{ConnAcquireErr, ConnectionTrait, DatabaseConnection, DatabaseTransaction, DbBackend, DbErr, Statement};
use tokio::sync::{broadcast, broadcast::error::RecvError};
use uuid::Uuid;

use crate::db::{Db, PATIENCE};

mod listener;
mod missed;
mod payload;
mod recent;

use listener::Listener;

/// How many events a subscriber can fall behind.
pub const RING: usize = 1024;

/// The channel of PostgreSQL's LISTEN and NOTIFY. Channels belong to their database.
const CHANNEL: &str = "bookends";

/// How long a listening connection may be silent before it is asked whether it still lives: connections die without a
/// word, too.
const SILENCE: Duration = Duration::from_secs(30);

/// How long to wait before listening again, at first and at most.
const RETRY: (Duration, Duration) = (Duration::from_millis(100), Duration::from_secs(5));

/// How far back to look for what was missed, before the listening connection was last known to live: as far as the
/// clocks of two servers may differ, and as long as a transaction may take.
const MARGIN: Duration = Duration::from_secs(10);

/// The most that can have been missed: a burst that fits into the ring.
const MOST_MISSED: usize = 1000;

/// How many ids are kept, to hear nothing twice.
const RECENT: usize = 10_000;

/// What has been added.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// A reader gave a book stars.
    RatingAdded(book_rating::Model),
    /// A customer bought a book.
    OrderPlaced(book_order::Model),
}

/// Where events come from and go to. Cheap to clone.
#[derive(Clone)]
pub struct Events(Arc<Inner>);

struct Inner {
    source: Source,
    /// Held once here, and once by each subscriber.
    subscribers: Arc<()>,
}

enum Source {
    /// This process. Whoever commits holds the turn until the word is out.
    Process { sender: broadcast::Sender<Event>, turn: tokio::sync::Mutex<()> },
    /// PostgreSQL. Whoever subscribes holds the listener, and it ends with the last one of them.
    Database { db: DatabaseConnection, listener: Mutex<Weak<Listener>>, starting: tokio::sync::Mutex<()> },
}

/// What a subscriber hears.
pub struct Receiver {
    events: broadcast::Receiver<Event>,
    _listener: Option<Arc<Listener>>,
    _counted: Arc<()>,
}

/// Why a subscriber hears no more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Lagged {
    /// It read too slowly.
    #[error("fell behind by {0} events; list again, then subscribe")]
    Behind(u64),
    /// The server was cut off from the database for too long.
    #[error("events were missed while the database was out of reach; list again, then subscribe")]
    Missed,
}

impl Event {
    /// The primary key of what has been added.
    pub fn id(&self) -> Uuid {
        match self {
            Self::RatingAdded(rating) => rating.id,
            Self::OrderPlaced(order) => order.id,
        }
    }

    /// The book that it is about.
    pub fn book_id(&self) -> Uuid {
        match self {
            Self::RatingAdded(rating) => rating.book_id,
            Self::OrderPlaced(order) => order.book_id,
        }
    }
}

impl Events {
    /// The events of a database.
    pub fn new(db: &Db) -> Self {
        let source = match db.reader.get_database_backend() {
            DbBackend::Postgres => Source::Database {
                db: db.reader.clone(),
                listener: Mutex::default(),
                starting: tokio::sync::Mutex::default(),
            },
            _ => Source::Process { sender: broadcast::Sender::new(RING), turn: tokio::sync::Mutex::default() },
        };
        Self(Arc::new(Inner { source, subscribers: Arc::default() }))
    }

    /// Part of the transaction that adds something: on PostgreSQL, every server hears of it if and when it commits.
    ///
    /// # Errors
    ///
    /// [`DbErr`] where the database fails.
    pub async fn announce(&self, transaction: &DatabaseTransaction, event: &Event) -> Result<(), DbErr> {
        let Source::Database { .. } = &self.0.source else { return Ok(()) };
        let values = [CHANNEL.into(), payload::write(event)?.into()];
        let notify = Statement::from_sql_and_values(DbBackend::Postgres, "SELECT pg_notify($1, $2)", values);
        transaction.execute_raw(notify).await.map(drop)
    }

    /// Commits what an event is of. On SQLite the subscribers in this process hear of it then, and nobody else commits
    /// meanwhile, so that all hear it in the order of the commits.
    ///
    /// # Errors
    ///
    /// What the commit fails by; then nobody hears anything.
    pub async fn commit<E>(
        &self,
        commit: impl Future<Output = Result<(), E>>,
        event: impl IntoIterator<Item = Event>,
    ) -> Result<(), E> {
        let Source::Process { sender, turn } = &self.0.source else { return commit.await };
        let _turn = turn.lock().await;
        commit.await?;
        for event in event {
            // Without subscribers there is nobody to tell.
            let _ = sender.send(event);
        }
        Ok(())
    }

    /// What is added from now on: whatever commits after this has returned is heard.
    ///
    /// The first subscriber has the server listen to the database; without subscribers it holds no connection.
    ///
    /// # Errors
    ///
    /// [`DbErr`] where the database is not listened to within five seconds. The next one tries again.
    pub async fn subscribe(&self) -> Result<Receiver, DbErr> {
        let (events, listener) = match &self.0.source {
            Source::Process { sender, .. } => (sender.subscribe(), None),
            Source::Database { .. } => {
                let listening = tokio::time::timeout(PATIENCE, self.listening()).await;
                let no_answer = |_| DbErr::ConnectionAcquire(ConnAcquireErr::Timeout);
                let (events, listener) = listening.map_err(no_answer)??;
                (events, Some(listener))
            }
        };
        Ok(Receiver { events, _listener: listener, _counted: Arc::clone(&self.0.subscribers) })
    }

    /// How many there are who hear.
    pub fn subscribers(&self) -> usize {
        Arc::strong_count(&self.0.subscribers) - 1
    }

    async fn listening(&self) -> Result<(broadcast::Receiver<Event>, Arc<Listener>), DbErr> {
        let Source::Database { db, listener, starting } = &self.0.source else {
            return Err(DbErr::Custom("there is nothing to listen to".into()));
        };
        // One starts the listener, the others wait for it.
        let _starting = starting.lock().await;
        let running = lock(listener).upgrade();
        if let Some(running) = running
            && let Some(events) = running.subscribe().await
        {
            return Ok((events, running));
        }
        let (started, events) = Listener::start(db.clone()).await?;
        let started = Arc::new(started);
        *lock(listener) = Arc::downgrade(&started);
        Ok((events, started))
    }
}

impl Receiver {
    /// The events as a stream, which ends after an error.
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
