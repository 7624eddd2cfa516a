//! The connection that listens to PostgreSQL.
//!
//! It is one of its own, beside the pool. While it is lost nothing is heard, and NOTIFY keeps nothing for those who are
//! away; so once it is back, what was [missed] is read from the tables.

use std::time::Duration;

use chrono::{DateTime, Utc};
use sea_orm::sqlx::postgres::{PgListener, PgPoolOptions};
use sea_orm::sqlx::{self, Executor};
use sea_orm::{DatabaseConnection, DbErr, RuntimeErr};
use tokio::sync::{broadcast, watch};
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};

use super::recent::Recent;
use super::{CHANNEL, Event, MARGIN, RETRY, RING, SILENCE, missed, payload};
use crate::db::PATIENCE;

/// A connection that listens, and is restored when it is lost, for as long as the value lives.
pub struct Listener {
    /// Weak: when too much was missed the task ends, and with it the sender.
    events: broadcast::WeakSender<Event>,
    is_up: watch::Receiver<bool>,
    task: JoinHandle<()>,
}

struct Task {
    db: DatabaseConnection,
    events: broadcast::Sender<Event>,
    up: watch::Sender<bool>,
    sent: Recent,
    /// When the connection was last known to live.
    alive: DateTime<Utc>,
}

impl Listener {
    /// Listens from now on, for this first subscriber.
    pub async fn start(db: DatabaseConnection) -> Result<(Self, broadcast::Receiver<Event>), DbErr> {
        let alive = Utc::now();
        // First this and then LISTEN: what commits between the two is not known, and not lost either.
        let sent = missed::known(&db, alive - MARGIN).await?;
        let connection = connect(&db).await?;
        let (events, first) = broadcast::channel(RING);
        let (up, is_up) = watch::channel(true);
        let weak = events.downgrade();
        let task = Task { db, events, up, sent, alive };
        let task = tokio::spawn(task.run(connection));
        Ok((Self { events: weak, is_up, task }, first))
    }

    /// The events from now on, once the connection is there; none where this listener has given up.
    pub async fn subscribe(&self) -> Option<broadcast::Receiver<Event>> {
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
    async fn run(mut self, mut connection: PgListener) {
        loop {
            let cause = self.hear(connection).await;
            tracing::warn!(%cause, "the database is no longer listened to");
            self.up.send_replace(false);
            match self.recover().await {
                Some(new) => connection = new,
                None => return,
            }
            self.up.send_replace(true);
        }
    }

    /// Passes on what is announced, until the connection is lost; why it was.
    async fn hear(&mut self, mut connection: PgListener) -> DbErr {
        loop {
            match timeout(SILENCE, connection.try_recv()).await {
                Ok(Ok(Some(notification))) => {
                    self.alive = Utc::now();
                    match payload::read(notification.payload()) {
                        Ok(event) => self.send(event),
                        Err(cause) => tracing::warn!(%cause, "a notification that is no event"),
                    }
                }
                Ok(Ok(None)) => return DbErr::Custom("the connection was closed".into()),
                Ok(Err(error)) => return conn(error),
                Err(_silence) => {
                    let asked = Utc::now();
                    match timeout(PATIENCE, connection.execute("SELECT 1")).await {
                        Ok(Ok(_)) => self.alive = asked,
                        Ok(Err(error)) => return conn(error),
                        Err(_) => return DbErr::Custom("the connection no longer answers".into()),
                    }
                }
            }
        }
    }

    /// Tries until the database is listened to again and what was missed is sent; none where that is too much.
    async fn recover(&mut self) -> Option<PgListener> {
        let mut attempt = 0;
        loop {
            sleep(delay(attempt)).await;
            attempt += 1;
            match timeout(2 * PATIENCE, self.reconnect()).await {
                Ok(Ok(recovered)) => return recovered,
                Ok(Err(cause)) => tracing::warn!(%cause, attempt, "the database cannot be listened to"),
                Err(_) => tracing::warn!(attempt, "the database cannot be listened to: no answer"),
            }
        }
    }

    async fn reconnect(&mut self) -> Result<Option<PgListener>, DbErr> {
        let connection = connect(&self.db).await?;
        let alive = Utc::now();
        let Some(missed) = missed::missed(&self.db, self.alive - MARGIN, &self.sent).await? else {
            tracing::warn!("too much was missed while the database was not listened to: subscribers are sent away");
            return Ok(None);
        };
        tracing::info!(missed = missed.len(), "the database is listened to again");
        self.alive = alive;
        for event in missed {
            self.send(event);
        }
        Ok(Some(connection))
    }

    /// What is read after an outage can be announced as well.
    fn send(&mut self, event: Event) {
        if self.sent.insert(event.id()) {
            // Between two subscribers there is nobody to tell.
            let _ = self.events.send(event);
        }
    }
}

/// A connection of its own that listens. It is not used again when it is lost, so neither is its pool.
async fn connect(db: &DatabaseConnection) -> Result<PgListener, DbErr> {
    let options = db.get_postgres_connection_pool().connect_options();
    let options = options.as_ref().clone().application_name("bookends listener");
    let pool = PgPoolOptions::new().max_connections(1).acquire_timeout(PATIENCE).connect_lazy_with(options);
    let listening = async {
        let mut listener = PgListener::connect_with(&pool).await?;
        listener.eager_reconnect(false);
        listener.listen(CHANNEL).await?;
        Ok(listener)
    };
    timeout(PATIENCE, listening).await.unwrap_or(Err(sqlx::Error::PoolTimedOut)).map_err(conn)
}

fn conn(error: sqlx::Error) -> DbErr {
    DbErr::Conn(RuntimeErr::SqlxError(error.into()))
}

/// How long to wait before this attempt: twice as long as before the last one, and between half of that and all of it,
/// so that many servers do not come back at once.
fn delay(attempt: u32) -> Duration {
    let (first, most) = RETRY;
    let whole = first.saturating_mul(2_u32.saturating_pow(attempt)).min(most);
    whole.mul_f64(f64::midpoint(1.0, fastrand::f64()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attempts_are_soon_at_first_and_never_rare() {
        for (attempt, whole) in [(0, 100), (1, 200), (5, 3200), (6, 5000), (40, 5000), (u32::MAX, 5000)] {
            let whole = Duration::from_millis(whole);
            for _ in 0..100 {
                let delay = delay(attempt);
                assert!(whole / 2 <= delay && delay <= whole, "{attempt}: {delay:?}");
            }
        }
    }
}
