//! Events: rows that were created, changed or deleted, for subscribers.
//!
//! On PostgreSQL, a write sends a NOTIFY in its own transaction. Every server on the database receives it if and when the
//! transaction commits, in the order of the commits: PostgreSQL commits transactions that notify one after the other. On
//! SQLite, the event is passed on within this process after the commit.
//!
//! Subscribers read from one ring that holds the rows of the newest [`RING`] events. A subscriber that falls further behind gets
//! an error and its subscription ends, so slow subscribers keep a bounded number of rows.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};

use bookends_graphql::{Declaration, EventRow, WriteKind};
use futures_util::stream::{self, Stream};
use keyset::ReadRows;
use sea_orm::{ConnAcquireErr, DbBackend, DbErr, Value};
use tokio::sync::{broadcast, broadcast::error::RecvError};

use crate::db::{CONNECT_TIMEOUT, Db, Primary, Reads, WriteTransaction, read_only};

mod connection;
mod event;
mod json;
mod listener;
mod missed;
mod payload;
mod recent;

pub use connection::CHANNEL;
use event::EventType;
pub use event::{Event, RING};
use listener::Listener;

/// Sends and receives events. Cheap to clone.
#[derive(Clone)]
pub struct Events(Arc<Inner>);

struct Inner {
    source: Source,
    types: Arc<[EventType]>,
    /// The name of the application.
    name: &'static str,
    /// Counts the subscribers: one reference here, and one in each of them.
    subscribers: Arc<()>,
}

/// What subscribers are told.
#[derive(Clone, Debug)]
enum Announcement {
    Event(Event),
    /// Events of the kind with this number may be lost: their subscriptions end.
    Lost(usize),
    /// The same, of one that was too large.
    TooLarge(usize),
}

impl fmt::Debug for Events {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Events").field("types", &self.0.types).finish_non_exhaustive()
    }
}

enum Source {
    /// This process. The lock is held from the commit until the events are sent.
    Process {
        sender: broadcast::Sender<Announcement>,
        lock: tokio::sync::Mutex<()>,
        /// Those that have taken the place of these.
        next: OnceLock<Events>,
    },
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
struct Receiver {
    events: broadcast::Receiver<Announcement>,
    _listener: Option<Arc<Listener>>,
    _counted: Arc<()>,
}

/// What a subscriber hears.
#[derive(Clone, Debug)]
pub struct Heard {
    /// The row.
    pub row: EventRow,
    /// Of a row that referred to other rows before it was changed, its key and those.
    pub before: Option<EventRow>,
}

/// Why nothing can be received.
#[derive(Debug, thiserror::Error)]
pub enum SubscribeError {
    /// The application declares no event of this name.
    #[error("no event `{0}` is declared")]
    Unknown(String),
    /// It tells of deleted objects.
    #[error("the event `{0}` tells of deleted objects, and has no rows")]
    NoRows(String),
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
    /// The database passes on no event with rows as large.
    #[error("an event was too large to be sent: subscribe again, then fetch the list")]
    TooLarge,
}

impl Events {
    /// The events of a database that are declared.
    pub fn new(db: &Db, declaration: &Declaration) -> Self {
        let source = match db.reader.backend() {
            DbBackend::Postgres => Source::Database {
                db: db.reader.clone(),
                primary: db.listen_to(),
                listener: Mutex::default(),
                starting: tokio::sync::Mutex::default(),
            },
            _ if db.storage.is_read_only_file() => Source::Nothing,
            _ => Source::Process {
                sender: broadcast::Sender::new(RING),
                lock: tokio::sync::Mutex::default(),
                next: OnceLock::new(),
            },
        };
        let (types, name) = (EventType::all(declaration).into(), db.identity.name);
        Self(Arc::new(Inner { source, types, name, subscribers: Arc::default() }))
    }

    /// Announces events as a part of the transaction that they are about. On SQLite, this does nothing.
    ///
    /// # Errors
    ///
    /// [`DbErr`] if the database fails.
    pub(crate) async fn notify(&self, transaction: &mut WriteTransaction, events: &[Event]) -> Result<(), DbErr> {
        let Source::Database { .. } = &self.0.source else { return Ok(()) };
        for event in events {
            transaction.notify(CHANNEL, &self.text(event)).await?;
        }
        Ok(())
    }

    /// An event as NOTIFY tells it.
    pub fn text(&self, event: &Event) -> String {
        payload::write(&self.0.types[event.of], event)
    }

    /// The kinds of events that say what is done with objects of this name.
    fn telling(&self, kind: WriteKind, object: &str) -> impl Iterator<Item = &EventType> {
        let tells = move |of: &&EventType| of.kind == kind || kind == WriteKind::Update && of.tells_change();
        self.0.types.iter().filter(move |of| of.object == object).filter(tells)
    }

    /// The events that say what a transaction has done with an object, or what it will do: the row with this key is read in it.
    /// None if nothing subscribes to that, or if there is no such row.
    ///
    /// # Errors
    ///
    /// [`DbErr`] if the database fails.
    pub async fn of_row(
        &self,
        kind: WriteKind,
        object: &str,
        key: &[Value],
        transaction: &impl ReadRows,
    ) -> Result<Vec<Event>, DbErr> {
        // All of them are about one row of one table.
        let Some(first) = self.telling(kind, object).next() else { return Ok(Vec::new()) };
        let Some(row) = missed::row_of_key(transaction, first, key).await? else { return Ok(Vec::new()) };
        Ok(self.with_row(kind, object, row))
    }

    /// The same of a row with these values.
    pub(crate) fn with_row(&self, kind: WriteKind, object: &str, row: Vec<Value>) -> Vec<Event> {
        self.telling(kind, object).map(|of| of.event(row.clone())).collect()
    }

    /// The row of an event of this name as this reader sees it now; none if it sees no such row.
    ///
    /// # Errors
    ///
    /// [`DbErr`] if the database fails.
    pub(crate) async fn seen(
        &self,
        name: &str,
        row: &EventRow,
        reader: &impl ReadRows,
    ) -> Result<Option<EventRow>, DbErr> {
        let Some(number) = self.number(name) else { return Ok(None) };
        let of = &self.0.types[number];
        let key: Option<Vec<Value>> = of.table.key().map(|column| row.get(column.number()).cloned()).collect();
        let Some(key) = key else { return Ok(None) };
        Ok(missed::of_key(reader, of, &key).await?.map(|event| event.row))
    }

    /// The event of a change, which knows the row before, if one of these is about the same row. None if it says only that a row came
    /// into view or out of it, and the row did neither.
    pub(crate) fn after(&self, changing: &[Event], change: WriteKind, event: Event) -> Option<Event> {
        let of = &self.0.types[event.of];
        let event = match changing.iter().rev().find(|before| of.is_same(before, &event)) {
            Some(before) => of.after(before, event),
            None => event,
        };
        (of.kind == change || event.before.is_some()).then_some(event)
    }

    /// The event of this name about a row with these values, which are in the order of the columns of its table.
    pub fn event(&self, name: &str, values: Vec<Value>) -> Option<Event> {
        self.0.types.iter().find(|of| of.name == name).map(|of| of.event(values))
    }

    /// Commits the transaction of these events. On SQLite, they are sent after the commit, and under a lock, so that events are
    /// in the order of the commits.
    ///
    /// # Errors
    ///
    /// The error of the commit; then nothing is sent.
    pub async fn commit<E>(
        &self,
        commit: impl Future<Output = Result<(), E>>,
        events: impl IntoIterator<Item = Event>,
    ) -> Result<(), E> {
        let Source::Process { sender, lock, next } = &self.0.source else { return commit.await };
        let _lock = lock.lock().await;
        commit.await?;
        let mut events = events.into_iter().peekable();
        if let Some(next) = next.get().filter(|_| events.peek().is_some()) {
            next.lose();
        }
        for event in events {
            // It fails if there is no subscriber.
            let _ = sender.send(Announcement::Event(event));
        }
        Ok(())
    }

    /// Says what takes the place of these events: those of another declaration. Its subscribers are told of writes that are still
    /// committed here, as of events that were lost: the rows may be others. PostgreSQL tells all of them itself.
    pub(crate) fn continue_as(&self, events: &Self) {
        if let Source::Process { next, .. } = &self.0.source {
            // They are replaced once.
            let _ = next.set(events.clone());
        }
    }

    /// Ends all subscriptions on SQLite, and those of what has taken its place.
    fn lose(&self) {
        let mut at = Some(self);
        while let Some(Inner { source: Source::Process { sender, next, .. }, types, .. }) = at.map(|events| &*events.0)
        {
            for of in types.iter() {
                let _ = sender.send(Announcement::Lost(of.number));
            }
            at = next.get();
        }
    }

    /// Subscribes to every event that is committed after this function returns.
    ///
    /// The first subscriber starts the listener. Without subscribers, no connection listens.
    ///
    /// # Errors
    ///
    /// [`SubscribeError`]. The next subscriber tries again.
    async fn subscribe(&self) -> Result<Receiver, SubscribeError> {
        let (events, listener) = match &self.0.source {
            Source::Process { sender, .. } => (sender.subscribe(), None),
            Source::Nothing => return Err(read_only().into()),
            Source::Database { primary: None, .. } => return Err(SubscribeError::NoListener),
            Source::Database { db, primary: Some(primary), listener, starting } => {
                let start = || Listener::start(db.clone(), Arc::clone(&self.0.types), self.0.name, Arc::clone(primary));
                let listening = listening(listener, starting, start);
                let listening = tokio::time::timeout(CONNECT_TIMEOUT, listening).await;
                let no_answer = |_| DbErr::ConnectionAcquire(ConnAcquireErr::Timeout);
                let (events, listener) = listening.map_err(no_answer)??;
                (events, Some(listener))
            }
        };
        Ok(Receiver { events, _listener: listener, _counted: Arc::clone(&self.0.subscribers) })
    }

    /// Subscribes to the events of this name: the rows, as a stream that ends after an error.
    ///
    /// # Errors
    ///
    /// [`SubscribeError`].
    pub async fn rows(
        &self,
        name: &str,
    ) -> Result<impl Stream<Item = Result<Heard, Lagged>> + Send + use<>, SubscribeError> {
        let of = self.number(name).ok_or_else(|| SubscribeError::Unknown(name.to_owned()))?;
        Ok(self.subscribe().await?.rows(of))
    }

    /// Whether an event says that this is done with objects of this name.
    pub fn tell(&self, kind: WriteKind, object: &str) -> bool {
        self.telling(kind, object).next().is_some()
    }

    /// Whether an event says where a changed object of this name was before, whatever it refers to.
    pub fn tell_before(&self, object: &str) -> bool {
        self.telling(WriteKind::Update, object).any(|of| of.is_ruled)
    }

    /// What happens in the events of this name, and to which objects.
    pub(crate) fn of(&self, name: &str) -> Option<(WriteKind, &str)> {
        self.number(name).map(|number| (self.0.types[number].kind, self.0.types[number].object.as_str()))
    }

    /// The number of the events of this name.
    fn number(&self, name: &str) -> Option<usize> {
        self.0.types.iter().find(|of| of.name == name).map(|of| of.number)
    }

    /// The number of subscribers.
    pub fn subscribers(&self) -> usize {
        Arc::strong_count(&self.0.subscribers) - 1
    }
}

/// The events from now on, of the listener that runs, or of a new one.
async fn listening<S: Future<Output = Result<(Listener, broadcast::Receiver<Announcement>), DbErr>>>(
    listener: &Mutex<Weak<Listener>>,
    starting: &tokio::sync::Mutex<()>,
    start: impl FnOnce() -> S,
) -> Result<(broadcast::Receiver<Announcement>, Arc<Listener>), DbErr> {
    // One subscriber starts the listener; the others wait.
    let _starting = starting.lock().await;
    let running = lock(listener).upgrade();
    if let Some(running) = running
        && let Some(events) = running.subscribe().await
    {
        return Ok((events, running));
    }
    let (started, events) = start().await?;
    let started = Arc::new(started);
    *lock(listener) = Arc::downgrade(&started);
    Ok((events, started))
}

impl Receiver {
    /// The rows of the events of one kind, as a stream that ends after an error.
    fn rows(self, of: usize) -> impl Stream<Item = Result<Heard, Lagged>> + Send {
        stream::unfold(Some(self), move |receiver| async move {
            let mut receiver = receiver?;
            loop {
                return match receiver.events.recv().await {
                    Ok(Announcement::Event(event)) if event.of == of => {
                        Some((Ok(Heard { row: event.row, before: event.before }), Some(receiver)))
                    }
                    Ok(Announcement::Lost(lost)) if lost == of => Some((Err(Lagged::Missed), None)),
                    Ok(Announcement::TooLarge(large)) if large == of => Some((Err(Lagged::TooLarge), None)),
                    Ok(_) => continue,
                    Err(RecvError::Lagged(behind)) => Some((Err(Lagged::Behind(behind)), None)),
                    Err(RecvError::Closed) => Some((Err(Lagged::Missed), None)),
                };
            }
        })
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
