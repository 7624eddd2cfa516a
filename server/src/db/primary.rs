//! Watches the primary: which host it is, and how far its log has come.
//!
//! The position of the log is sampled. A replica lags by the time from the oldest sample that it has not replayed to the last
//! answer of the primary. No clock but ours is compared, every replica of an idle primary is up to date, and none falls behind
//! while the primary is down.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use sea_orm::sqlx::Error;
use sea_orm::sqlx::postgres::PgConnection;
use tokio::sync::Notify;
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};

use super::Failure;
use super::position::Position;
use super::servers::{Servers, Session};

/// The pause between two samples, and between two probes of a replica.
pub const SAMPLE_INTERVAL: Duration = Duration::from_millis(250);

/// The time that a sample may take.
pub const SAMPLE_TIMEOUT: Duration = Duration::from_secs(1);

/// For how long samples are kept: no larger lag is known exactly.
const MAX_AGE: Duration = Duration::from_hours(1);

/// The end of the log. It fails on a replica.
const SAMPLE: &str = "SELECT concat(left(pg_walfile_name(lsn), 8), '/', lsn) FROM pg_current_wal_flush_lsn() AS lsn";

/// What identifies a database: a replica has the same.
pub const IDENTITY: &str = "SELECT concat(system_identifier, '/', oid) FROM pg_control_system(), pg_database
    WHERE datname = current_database()";

/// The primary of a database.
#[derive(Debug)]
pub struct Primary {
    servers: Arc<Servers>,
    known: Mutex<Known>,
    doubt: Notify,
    is_watched: AtomicBool,
}

#[derive(Debug, Default)]
struct Known {
    identity: Option<String>,
    /// When the log first reached a position, oldest first. All have the timeline of the last one.
    samples: VecDeque<(Instant, Position)>,
    /// When the primary was last asked, of those times that it answered.
    asked: Option<Instant>,
}

/// Watches until it is dropped.
#[derive(Debug)]
pub struct Watch {
    task: JoinHandle<()>,
    primary: Arc<Primary>,
}

impl Primary {
    /// The primary of these hosts, which nobody watches yet.
    pub fn new(servers: Arc<Servers>) -> Self {
        Self { servers, known: Mutex::default(), doubt: Notify::new(), is_watched: AtomicBool::new(false) }
    }

    /// Its hosts.
    pub fn servers(&self) -> &Arc<Servers> {
        &self.servers
    }

    /// Watches it on a connection of its own, unless something does already.
    pub fn watch(self: &Arc<Self>) -> Option<Watch> {
        if self.is_watched.swap(true, Ordering::Relaxed) {
            return None;
        }
        let primary = Arc::clone(self);
        let task = tokio::spawn(async move {
            let mut connection = None;
            loop {
                if let Err(error) = primary.sample(&mut connection).await {
                    connection = None;
                    tracing::debug!(%error, "the primary does not answer");
                }
                tokio::select! {
                    () = sleep(SAMPLE_INTERVAL) => {}
                    () = primary.doubt.notified() => {}
                }
            }
        });
        Some(Watch { task, primary: Arc::clone(self) })
    }

    /// Looks for it at once, if the failure of a write says that it may have moved.
    pub fn write_failed(&self, failure: Failure) {
        if self.servers.are_several() && (failure == Failure::ReadOnly || failure.is_outage()) {
            self.doubt.notify_one();
        }
    }

    /// What identifies its database, once that is known.
    pub fn identity(&self) -> Option<String> {
        self.known().identity.clone()
    }

    /// How far a server lags that has replayed this position. `None` where nothing is known of the time when the primary
    /// passed it.
    pub fn lag(&self, replayed: Position) -> Option<Duration> {
        self.known().lag(replayed)
    }

    /// The timeline of its last sample.
    pub fn timeline(&self) -> Option<u32> {
        self.known().timeline()
    }

    /// Whether a server that had replayed this position then has changes that the primary lacks, of a primary that was lost;
    /// and the timeline of the one that lacks them.
    pub fn lacks(&self, replayed: Position, then: Instant) -> Option<u32> {
        self.known().lacks(replayed, then)
    }

    fn known(&self) -> std::sync::MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn sample(&self, connection: &mut Option<PgConnection>) -> Result<(), Error> {
        let connection = if let Some(connection) = connection {
            connection
        } else {
            let mut new = self.servers.connect().await?;
            let identity: String = ask(&mut new, IDENTITY).await?;
            self.known().identity = Some(identity);
            connection.insert(new)
        };
        if !answer(self.servers.accepts(connection)).await? {
            return Err(Error::PoolClosed);
        }
        let asked = Instant::now();
        let text: String = ask(connection, SAMPLE).await?;
        let position: Position = text.parse().map_err(|error| Error::Decode(Box::new(error)))?;
        // Also where there is one host: its name may lead to another server.
        if !self.servers.is_newest(position.timeline) {
            return Err(Error::PoolClosed);
        }
        self.known().add(position, asked);
        Ok(())
    }
}

impl Known {
    fn timeline(&self) -> Option<u32> {
        self.samples.back().map(|(_, position)| position.timeline)
    }

    fn add(&mut self, position: Position, asked: Instant) {
        // A server that is promoted begins a timeline, at an earlier position. What replicas have replayed of the old one
        // proves nothing. The first sample of the new one is behind its begin: so is a replica that has not replayed it.
        if self.timeline() != Some(position.timeline) {
            self.samples.clear();
        }
        if self.samples.back().is_none_or(|(_, last)| *last != position) {
            self.samples.push_back((asked, position));
        }
        self.asked = Some(asked);
        // The last one is how far the log has come, however old it is.
        while self.samples.len() > 1 && self.samples.front().is_some_and(|(when, _)| asked - *when > MAX_AGE) {
            self.samples.pop_front();
        }
    }

    fn lag(&self, replayed: Position) -> Option<Duration> {
        let asked = self.asked.filter(|_| self.timeline() == Some(replayed.timeline))?;
        let first = self.samples.partition_point(|(_, position)| *position <= replayed);
        // It was passed before the first sample, nobody knows when.
        if first == 0 {
            return None;
        }
        Some(self.samples.get(first).map_or(Duration::ZERO, |(when, _)| asked.duration_since(*when)))
    }

    fn lacks(&self, replayed: Position, then: Instant) -> Option<u32> {
        let later = self.samples.iter().find(|(asked, _)| then < *asked);
        // Only changes are kept.
        let last = || self.samples.back().filter(|_| self.asked.is_some_and(|asked| then < asked));
        let (_, position) = later.or_else(last)?;
        // A replica of a newer timeline follows a primary that has not been found yet.
        let lacks = replayed.timeline <= position.timeline && position.lsn < replayed.lsn;
        lacks.then_some(position.timeline)
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.task.abort();
        self.primary.is_watched.store(false, Ordering::Relaxed);
    }
}

/// The one value of a statement, within the time of a sample.
///
/// # Errors
///
/// [`Error`] if the server fails or does not answer in time.
pub async fn ask(connection: &mut impl Session, statement: &'static str) -> Result<String, Error> {
    answer(async { connection.text(statement).await?.ok_or(Error::RowNotFound) }).await
}

async fn answer<T>(asked: impl Future<Output = Result<T, Error>>) -> Result<T, Error> {
    timeout(SAMPLE_TIMEOUT, asked).await.unwrap_or(Err(Error::PoolTimedOut))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(timeline: u32, lsn: u64) -> Position {
        Position { timeline, lsn }
    }

    #[test]
    fn a_replica_lags_since_the_primary_passed_its_position() {
        let (mut known, begin) = (Known::default(), Instant::now());
        assert_eq!(known.lag(at(1, 1)), None);
        for (seconds, position) in [(0, 10), (1, 10), (2, 20), (3, 30), (9, 30)] {
            known.add(at(1, position), begin + Duration::from_secs(seconds));
        }
        for (replayed, lag) in [(30, 0), (31, 0), (29, 6), (20, 6), (19, 7), (10, 7)] {
            assert_eq!(known.lag(at(1, replayed)), Some(Duration::from_secs(lag)), "{replayed}");
        }
        // It may have been there for hours before the first sample.
        assert_eq!(known.lag(at(1, 9)), None);
    }

    #[test]
    fn a_replica_that_is_ahead_of_a_later_sample_has_changes_that_the_primary_lacks() {
        let (mut known, begin) = (Known::default(), Instant::now());
        let time = |seconds| begin + Duration::from_secs(seconds);
        assert_eq!(known.lacks(at(1, 1), begin), None);
        known.add(at(1, 10), time(1));
        assert_eq!((known.lacks(at(1, 11), time(0)), known.lacks(at(1, 10), time(0))), (Some(1), None));
        // The primary may have written it since.
        assert_eq!(known.lacks(at(1, 11), time(1)), None);
        known.add(at(1, 12), time(2));
        assert_eq!(known.lacks(at(1, 12), time(1)), None);
        // The first sample since then tells, not the last one.
        assert_eq!(known.lacks(at(1, 11), time(0)), Some(1));
        // It follows another primary.
        assert_eq!(known.lacks(at(2, 13), time(0)), None);
    }

    #[test]
    fn a_new_primary_begins_with_its_own_position() {
        let (mut known, begin) = (Known::default(), Instant::now());
        known.add(at(1, 100), begin);
        known.add(at(2, 90), begin + MAX_AGE);
        assert_eq!((known.lag(at(2, 90)), known.lag(at(2, 89))), (Some(Duration::ZERO), None));
        assert_eq!((known.lacks(at(1, 91), begin), known.lacks(at(1, 90), begin)), (Some(2), None));
        // However far a replica is on another timeline.
        assert_eq!((known.lag(at(1, 100)), known.lag(at(3, 100))), (None, None));
        // Also where its log is longer.
        known.add(at(3, 200), begin + MAX_AGE);
        assert_eq!((known.lag(at(2, 200)), known.lacks(at(2, 100), begin)), (None, None));
    }

    #[test]
    fn old_samples_are_dropped_and_the_last_one_is_kept() {
        let (mut known, begin) = (Known::default(), Instant::now());
        for (hours, position) in [(0, 1), (2, 2), (9, 2)] {
            known.add(at(1, position), begin + hours * MAX_AGE);
        }
        assert_eq!(known.samples.len(), 1);
        assert_eq!((known.lag(at(1, 2)), known.lag(at(1, 1))), (Some(Duration::ZERO), None));
    }
}
