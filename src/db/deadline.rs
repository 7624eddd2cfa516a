//! The time limit of statements on SQLite, which has none itself.
//!
//! Whoever no longer waits for a statement does not stop it: the thread of its connection goes on, and the connection
//! is out of the pool meanwhile. SQLite asks a *progress handler* every so many instructions whether to go on, so that
//! is the one to say no. Nothing tells it that a statement has begun; it takes the time from the first time it is
//! asked. When the connection goes back to the pool its clock is turned back, which costs a trip to the thread of the
//! connection; but most statements are over before anybody asks, and then there is no clock to turn back.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use sea_orm::sqlx::sqlite::{SqliteConnection, SqlitePoolOptions};
use sea_orm::sqlx::{Error, Sqlite, pool::PoolOptions};

/// How many instructions lie between two questions: some tenths of a millisecond.
const INSTRUCTIONS: i32 = 20_000;

/// The pool, whose connections stop a statement after this time.
pub fn limit(pool: PoolOptions<Sqlite>, time: Duration) -> SqlitePoolOptions {
    let running = Arc::new(AtomicUsize::new(0));
    let clock = move || Clock { time, begun: None, running: Arc::clone(&running) };
    let (first, next) = (clock.clone(), clock);
    pool.after_connect(move |connection, _| Box::pin(set(connection, first()))).after_release(move |connection, _| {
        let new = next();
        Box::pin(async move {
            // One of them may be this connection's.
            if new.running.load(Ordering::Relaxed) > 0 {
                set(connection, new).await?;
            }
            Ok(true)
        })
    })
}

async fn set(connection: &mut SqliteConnection, mut clock: Clock) -> Result<(), Error> {
    connection.lock_handle().await?.set_progress_handler(INSTRUCTIONS, move || clock.goes_on());
    Ok(())
}

struct Clock {
    time: Duration,
    begun: Option<Instant>,
    /// How many clocks run, of all connections.
    running: Arc<AtomicUsize>,
}

impl Clock {
    fn goes_on(&mut self) -> bool {
        let begun = *self.begun.get_or_insert_with(|| {
            self.running.fetch_add(1, Ordering::Relaxed);
            Instant::now()
        });
        begun.elapsed() < self.time
    }
}

impl Drop for Clock {
    fn drop(&mut self) {
        if self.begun.is_some() {
            self.running.fetch_sub(1, Ordering::Relaxed);
        }
    }
}
