//! The connection that listens to PostgreSQL.
//!
//! It does not belong to the pool. NOTIFY keeps nothing for a connection that is lost, so after a reconnect the
//! [missed] events are read from the tables.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, Utc};
use sea_orm::DbErr;
use sea_orm::sqlx::Executor;
use tokio::sync::{broadcast, watch};
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};
use uuid::Uuid;

use super::Announcement;
use super::connection::{Connection, failed};
use super::event::{Event, EventType, RING};
use super::missed::{self, MARGIN};
use super::payload::{self, Announced};
use super::recent::Recent;
use crate::db::{CONNECT_TIMEOUT, Primary, Reads, Watch};

/// The time without a notification after which the listening connection is checked.
const CHECK_INTERVAL: Duration = Duration::from_secs(30);

/// The pause before listening again: the first and the longest.
const RETRY: (Duration, Duration) = (Duration::from_millis(100), Duration::from_secs(5));

/// A listening connection, which is restored when it is lost. It ends when this value is dropped.
pub struct Listener {
    /// Weak: when too many events were missed, the task ends and drops the sender.
    events: broadcast::WeakSender<Announcement>,
    is_up: watch::Receiver<bool>,
    task: JoinHandle<()>,
}

struct Task {
    db: Reads,
    types: Arc<[EventType]>,
    /// The name of the application.
    name: &'static str,
    primary: Arc<Primary>,
    /// Finds the primary after it has moved, where these hosts are those of the events alone.
    _watch: Option<Watch>,
    events: broadcast::Sender<Announcement>,
    up: watch::Sender<bool>,
    sent: Recent,
    /// The keys and the kinds of the events that were missed in the last outage, and sent. They may also be announced.
    replayed: HashSet<(Uuid, usize)>,
    /// When the connection last worked.
    alive: DateTime<Utc>,
}

impl Listener {
    /// Starts to listen, for a first subscriber.
    pub async fn start(
        db: Reads,
        types: Arc<[EventType]>,
        name: &'static str,
        primary: Arc<Primary>,
    ) -> Result<(Self, broadcast::Receiver<Announcement>), DbErr> {
        let alive = Utc::now();
        // Before LISTEN: an event that is committed between the two is neither known nor lost.
        let sent = missed::known(&db, &types, alive - MARGIN).await?;
        let connection = Connection::open(name, primary.servers()).await?;
        let (events, first) = broadcast::channel(RING);
        let (up, is_up) = watch::channel(true);
        let weak = events.downgrade();
        let watch = primary.servers().are_several().then(|| primary.watch()).flatten();
        let replayed = HashSet::new();
        let task = Task { db, types, name, primary, _watch: watch, events, up, sent, replayed, alive };
        let task = tokio::spawn(task.run(connection));
        Ok((Self { events: weak, is_up, task }, first))
    }

    /// The events from now on, once the connection works; `None` if this listener has ended.
    pub async fn subscribe(&self) -> Option<broadcast::Receiver<Announcement>> {
        self.is_up.clone().wait_for(|up| *up).await.ok()?;
        Some(self.events.upgrade()?.subscribe())
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Task {
    async fn run(mut self, mut connection: Connection) {
        loop {
            let cause = self.receive(connection).await;
            tracing::warn!(%cause, "the listening connection was lost");
            self.up.send_replace(false);
            match self.recover().await {
                Some(new) => connection = new,
                None => return,
            }
            self.up.send_replace(true);
        }
    }

    /// Sends what is announced until the connection is lost. Returns the cause.
    async fn receive(&mut self, Connection { opened, mut listener }: Connection) -> DbErr {
        loop {
            let received = tokio::select! {
                received = timeout(CHECK_INTERVAL, listener.try_recv()) => received,
                // A host that is frozen or cut off never closes its connections.
                () = self.primary.servers().until_left(opened) => return DbErr::Custom("the primary is another host".into()),
            };
            match received {
                Ok(Ok(Some(notification))) => {
                    self.alive = Utc::now();
                    match payload::read(&self.types, notification.payload()) {
                        Ok(Announced::Event(event)) => self.announced(event),
                        Ok(Announced::Key(of, key, before)) => match missed::of_key(&self.db, of, &key).await {
                            Ok(Some(event)) => self.announced(Event { before, ..event }),
                            Ok(None) => {
                                tracing::debug!(event = of.name, "the row of an event was deleted");
                            }
                            // After the restart, it is read with the missed ones.
                            Err(error) => return error,
                        },
                        Ok(Announced::TooLarge(of)) => drop(self.events.send(Announcement::TooLarge(of.number))),
                        Err(cause) => tracing::warn!(%cause, "a notification was ignored: expected an event"),
                    }
                }
                Ok(Ok(None)) => return DbErr::Custom("the connection was closed".into()),
                Ok(Err(error)) => return failed(error),
                Err(_) => {
                    let asked = Utc::now();
                    match timeout(CONNECT_TIMEOUT, listener.execute("SELECT 1")).await {
                        Ok(Ok(_)) => self.alive = asked,
                        Ok(Err(error)) => return failed(error),
                        Err(_) => return DbErr::Custom("the connection does not answer".into()),
                    }
                }
            }
        }
    }

    /// Reconnects and sends the missed events; `None` if there are too many.
    async fn recover(&mut self) -> Option<Connection> {
        let mut attempt = 0;
        loop {
            sleep(delay(attempt)).await;
            attempt += 1;
            match timeout(2 * CONNECT_TIMEOUT, self.reconnect()).await {
                Ok(Ok(recovered)) => return recovered,
                Ok(Err(cause)) => tracing::warn!(%cause, attempt, "cannot listen to the database"),
                Err(_) => tracing::warn!(attempt, "cannot listen to the database: it does not respond"),
            }
        }
    }

    async fn reconnect(&mut self) -> Result<Option<Connection>, DbErr> {
        let connection = Connection::open(self.name, self.primary.servers()).await?;
        let alive = Utc::now();
        let Some(missed) = missed::missed(&self.db, &self.types, self.alive - MARGIN, &self.sent).await? else {
            tracing::warn!("too many events were missed: all subscriptions end");
            return Ok(None);
        };
        let events = missed.iter().filter(|missed| matches!(missed, Announcement::Event(_))).count();
        tracing::info!(missed = events, "listening to the database again");
        self.alive = alive;
        self.replayed.clear();
        for announcement in missed {
            match announcement {
                Announcement::Event(event) => self.replay(event),
                lost @ (Announcement::Lost(_) | Announcement::TooLarge(_)) => drop(self.events.send(lost)),
            }
        }
        Ok(Some(connection))
    }

    /// Sends an event that was missed.
    fn replay(&mut self, event: Event) {
        if self.sent.is_new(&event) {
            self.replayed.extend(event.key.map(|key| (key, event.of)));
            // It fails if there is no subscriber.
            let _ = self.events.send(Announcement::Event(event));
        }
    }

    /// Sends an event that was announced, unless it was also missed. A deleted row can be created again.
    fn announced(&mut self, event: Event) {
        self.sent.is_new(&event);
        if !event.key.is_some_and(|key| self.replayed.remove(&(key, event.of))) {
            let _ = self.events.send(Announcement::Event(event));
        }
    }
}

/// The pause before an attempt. It doubles each time, and half of it is random, so that servers do not all reconnect at
/// once.
fn delay(attempt: u32) -> Duration {
    let (first, max) = RETRY;
    let whole = first.saturating_mul(2_u32.saturating_pow(attempt)).min(max);
    whole.mul_f64(f64::midpoint(1.0, fastrand::f64()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_double_up_to_a_maximum() {
        for (attempt, whole) in [(0, 100), (1, 200), (5, 3200), (6, 5000), (40, 5000), (u32::MAX, 5000)] {
            let whole = Duration::from_millis(whole);
            for _ in 0..100 {
                let delay = delay(attempt);
                assert!(whole / 2 <= delay && delay <= whole, "{attempt}: {delay:?}");
            }
        }
    }
}
