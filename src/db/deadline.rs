//! The time limit of statements on SQLite, which has none itself.
//!
//! Whoever no longer waits for a statement does not stop it: the thread of its connection goes on, and the connection
//! is out of the pool meanwhile. SQLite asks a *progress handler* every so many instructions whether to go on, so that
//! is the one to say no. Nothing tells it that a statement has begun; it takes the time from the first time it is
//! asked. When the connection goes back to the pool its clock is turned back, which costs a trip to the thread of the
//! connection; but most statements are over before anybody asks, and then there is no clock to turn back. What writes
//! keeps its connection for its transaction, so the limit is one of all its statements.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use sea_orm::sqlx::Error;
use sea_orm::sqlx::sqlite::SqliteConnection;

/// How many instructions lie between two questions: some tenths of a millisecond.
const INSTRUCTIONS: i32 = 20_000;

/// How long the statements of a pool may take. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Deadline {
    time: Duration,
    /// How many clocks run, of all connections.
    running: Arc<AtomicUsize>,
    waivers: Arc<AtomicUsize>,
}

/// As long as it lives, statements take as long as they take.
#[derive(Debug)]
pub struct Waiver(Arc<AtomicUsize>);

impl Deadline {
    /// So long for each time that a connection is taken from the pool.
    pub fn new(time: Duration) -> Self {
        Self { time, running: Arc::default(), waivers: Arc::default() }
    }

    /// Has it held off.
    pub fn waive(&self) -> Waiver {
        self.waivers.fetch_add(1, Ordering::Relaxed);
        Waiver(Arc::clone(&self.waivers))
    }

    /// Holds a connection to it.
    ///
    /// # Errors
    ///
    /// [`Error`] where the thread of the connection has ended.
    pub async fn set(&self, connection: &mut SqliteConnection) -> Result<(), Error> {
        let mut clock = Clock { deadline: self.clone(), begun: None };
        connection.lock_handle().await?.set_progress_handler(INSTRUCTIONS, move || clock.goes_on());
        Ok(())
    }

    /// Turns the clock of a connection back.
    ///
    /// # Errors
    ///
    /// As [`Self::set`].
    pub async fn reset(&self, connection: &mut SqliteConnection) -> Result<(), Error> {
        // One of them may be this connection's.
        if self.running.load(Ordering::Relaxed) > 0 { self.set(connection).await } else { Ok(()) }
    }
}

impl Drop for Waiver {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

struct Clock {
    deadline: Deadline,
    begun: Option<Instant>,
}

impl Clock {
    fn goes_on(&mut self) -> bool {
        let begun = *self.begun.get_or_insert_with(|| {
            self.deadline.running.fetch_add(1, Ordering::Relaxed);
            Instant::now()
        });
        begun.elapsed() < self.deadline.time || self.deadline.waivers.load(Ordering::Relaxed) > 0
    }
}

impl Drop for Clock {
    fn drop(&mut self) {
        if self.begun.is_some() {
            self.deadline.running.fetch_sub(1, Ordering::Relaxed);
        }
    }
}
