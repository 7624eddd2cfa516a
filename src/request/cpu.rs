//! CPU work that would hold a thread of the runtime for long, so that other requests and the probes wait.
//!
//! To read and check a request takes a time that is proportional to its size: up to some tenths of a microsecond for each
//! byte. A long request is read and checked on a thread that may block. Half of the cores do so at a time, so that the
//! other half serves short requests. Each client has one such thread at a time, so that its requests delay no others.

use std::future::pending;
use std::panic::resume_unwind;
use std::sync::{Arc, LazyLock};

use tokio::sync::Semaphore;
use tokio::task::{JoinError, spawn_blocking};
use tracing::Span;

use crate::cores;

/// The size above which a request is long, in bytes.
const LONG: usize = 16 << 10;

/// How many long requests are read or checked at a time.
static SLOTS: LazyLock<Arc<Semaphore>> = LazyLock::new(|| Arc::new(Semaphore::new(cores().div_ceil(2))));

/// The share of one client; by default, of all of them. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct Cpu(Option<Arc<Semaphore>>);

/// In the data of a request that is long: its checks take long, too.
#[derive(Clone, Copy, Debug)]
pub struct Long;

/// Whether a request of this many bytes is long.
pub fn is_long(bytes: usize) -> bool {
    bytes > LONG
}

impl Cpu {
    /// The share of a client: one permit for each long request at a time.
    pub fn shared(share: Arc<Semaphore>) -> Self {
        Self(Some(share))
    }

    /// Does work on a long request, on a thread that may block. It is not stopped when it is no longer awaited.
    ///
    /// # Panics
    ///
    /// If the work panics.
    pub async fn run<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> T {
        // The semaphores are never closed.
        let share = match &self.0 {
            Some(share) => Arc::clone(share).acquire_owned().await.ok(),
            None => None,
        };
        let slot = Arc::clone(&SLOTS).acquire_owned().await.ok();
        let span = Span::current();
        let done = spawn_blocking(move || {
            let _permits = (share, slot);
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

    #[tokio::test]
    async fn work_is_done_on_another_thread_within_the_share_of_its_client() {
        let share = Arc::new(Semaphore::new(0));
        let cpu = Cpu::shared(Arc::clone(&share));
        let waiting = tokio::spawn(async move { cpu.run(|| thread::current().id()).await });
        // Another client does not wait for it.
        let other = Cpu::default().run(|| thread::current().id()).await;
        assert!(other != thread::current().id() && !waiting.is_finished());
        share.add_permits(1);
        assert_ne!(waiting.await.unwrap(), thread::current().id());
    }

    #[tokio::test]
    #[should_panic(expected = "of the work")]
    async fn a_panic_is_that_of_the_work() {
        Cpu::default().run(|| panic!("of the work")).await;
    }
}
