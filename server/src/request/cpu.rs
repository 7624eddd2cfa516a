//! CPU work that would hold a thread of the runtime for long, so that other requests and the probes wait.
//!
//! To read and check a request takes a time that is proportional to its size: up to some tenths of a microsecond for each
//! byte. A long request is read and checked on a thread that may block. Half of the cores do so at a time, so that the
//! other half serves short requests. They are a [queue](super::Queue), in which each client has one at a time.

use std::future::pending;
use std::panic::resume_unwind;

use tokio::task::{JoinError, spawn_blocking};
use tracing::Span;

use super::queue::Line;

/// The size above which a request is long, in bytes.
const LONG: usize = 16 << 10;

/// The place of a client in the queue for such threads; by default, no limit. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct Cpu(Option<Line>);

/// Whether a request of this many bytes is long.
pub fn is_long(bytes: usize) -> bool {
    bytes > LONG
}

impl Cpu {
    /// The threads of this queue.
    pub fn shared(line: Line) -> Self {
        Self(Some(line))
    }

    /// Does work on a long request, on a thread that may block. It is not stopped when it is no longer awaited.
    ///
    /// # Panics
    ///
    /// If the work panics.
    pub async fn run<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> T {
        let unit = match &self.0 {
            Some(line) => Some(line.unit(false).await),
            None => None,
        };
        let span = Span::current();
        let done = spawn_blocking(move || {
            let _unit = unit;
            span.in_scope(work)
        });
        match done.await.map_err(JoinError::try_into_panic) {
            Ok(done) => done,
            Err(Ok(panic)) => resume_unwind(panic),
            // The runtime is shutting down.
            Err(Err(_)) => pending().await,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;
    use crate::request::queue::{Queue, Sizes};

    #[tokio::test]
    async fn work_is_done_on_another_thread_within_the_share_of_its_client() {
        let queue = Queue::new(Sizes { units: 2, each: 1, heavy: 1 });
        let line = queue.line(None);
        let unit = line.unit(false).await;
        let cpu = Cpu::shared(line);
        let waiting = tokio::spawn(async move { cpu.run(|| thread::current().id()).await });
        // Another client does not wait for it.
        let other = Cpu::shared(queue.line(None)).run(|| thread::current().id()).await;
        assert!(other != thread::current().id() && !waiting.is_finished());
        drop(unit);
        assert_ne!(waiting.await.unwrap(), thread::current().id());
    }

    #[tokio::test]
    #[should_panic(expected = "of the work")]
    async fn a_panic_is_that_of_the_work() {
        Cpu::default().run(|| panic!("of the work")).await;
    }
}
