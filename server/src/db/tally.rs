//! What the statements of a request cost, for a client that asks.
//!
//! The tally belongs to the task that responds, so other requests pay no more than the look whether there is one.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::task_local;

task_local! {
    static TALLY: Tally;
}

/// A tally that the tasks of a request share.
#[derive(Clone, Debug, Default)]
pub struct Tally(Arc<Mutex<Work>>);

/// The work of the database.
#[derive(Clone, Copy, Debug, Default)]
pub struct Work {
    /// Statements and commits.
    pub statements: usize,
    /// The rows that they returned.
    pub rows: usize,
    /// Their time, without waiting for a connection.
    pub time: Duration,
}

impl Tally {
    fn lock(&self) -> MutexGuard<'_, Work> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What a future returns, and what its statements cost.
pub async fn measured<F: Future>(future: F) -> (F::Output, Work) {
    let tally = Tally::default();
    let output = TALLY.scope(tally.clone(), future).await;
    let work = *tally.lock();
    (output, work)
}

/// The tally of this task, for another task of the same request.
pub fn current() -> Option<Tally> {
    TALLY.try_with(Clone::clone).ok()
}

/// A part of a request in a task of its own.
pub async fn continued<F: Future>(tally: Option<Tally>, future: F) -> F::Output {
    match tally {
        Some(tally) => Box::pin(TALLY.scope(tally, future)).await,
        None => future.await,
    }
}

/// Counts a statement.
pub fn statement(time: Duration) {
    add(|work| {
        work.statements += 1;
        work.time += time;
    });
}

/// Counts the rows that a statement returned.
pub fn rows(rows: usize) {
    add(|work| work.rows += rows);
}

fn add(change: impl FnOnce(&mut Work)) {
    // Without a tally there is nothing to count.
    let _ = TALLY.try_with(|tally| change(&mut tally.lock()));
}
