//! The time limit of the writer's statements on SQLite, which has none of its own. Reads have `pool::stop`.
//!
//! Dropping the future of a statement does not stop the statement: its connection stays out of the pool until the
//! statement ends. SQLite calls a *progress handler* every few thousand instructions, and stops the statement if the
//! handler says so. Nothing tells the handler that a statement has begun, so its clock starts at its first call. The
//! clock is reset when the connection returns to the pool, by a message to the connection's thread. Most statements end
//! before the first call, and need no reset. A write keeps its connection for its transaction: its statements share one
//! limit.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use sea_orm::sqlx::Error;
use sea_orm::sqlx::sqlite::SqliteConnection;

/// The instructions between two calls: some tenths of a millisecond.
const INSTRUCTIONS: i32 = 20_000;

/// The time limit of a pool's statements. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Deadline {
    time: Duration,
    /// The number of running clocks, of all connections.
    running: Arc<AtomicUsize>,
    suspensions: Arc<AtomicUsize>,
}

/// Statements have no time limit while this value lives.
#[derive(Debug)]
pub struct Suspension(Arc<AtomicUsize>);

impl Deadline {
    /// A limit that starts each time a connection is taken from the pool.
    pub fn new(time: Duration) -> Self {
        Self { time, running: Arc::default(), suspensions: Arc::default() }
    }

    /// Suspends the limit.
    pub fn suspend(&self) -> Suspension {
        self.suspensions.fetch_add(1, Ordering::Relaxed);
        Suspension(Arc::clone(&self.suspensions))
    }

    /// Applies the limit to a connection.
    ///
    /// # Errors
    ///
    /// [`Error`] if the connection's thread has ended.
    pub async fn set(&self, connection: &mut SqliteConnection) -> Result<(), Error> {
        let mut clock = Clock { deadline: self.clone(), begun: None };
        connection.lock_handle().await?.set_progress_handler(INSTRUCTIONS, move || clock.may_continue());
        Ok(())
    }

    /// Resets the clock of a connection.
    ///
    /// # Errors
    ///
    /// As [`Self::set`].
    pub async fn reset(&self, connection: &mut SqliteConnection) -> Result<(), Error> {
        // One of them may be this connection's.
        if self.running.load(Ordering::Relaxed) > 0 { self.set(connection).await } else { Ok(()) }
    }
}

impl Drop for Suspension {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

struct Clock {
    deadline: Deadline,
    begun: Option<Instant>,
}

impl Clock {
    fn may_continue(&mut self) -> bool {
        let begun = *self.begun.get_or_insert_with(|| {
            self.deadline.running.fetch_add(1, Ordering::Relaxed);
            Instant::now()
        });
        begun.elapsed() < self.deadline.time || self.deadline.suspensions.load(Ordering::Relaxed) > 0
    }
}

impl Drop for Clock {
    fn drop(&mut self) {
        if self.begun.is_some() {
            self.deadline.running.fetch_sub(1, Ordering::Relaxed);
        }
    }
}
