//! CPU work that would hold a thread of the runtime for long, so that other requests and the probes wait.
//!
//! To read and check a request takes a time that is proportional to its size: up to some tenths of a microsecond for each
//! byte. A long request is read and checked on a thread that may block. Half of the cores do so at a time, so that the
//! other half serves short requests.

use std::future::pending;
use std::panic::resume_unwind;
use std::sync::{Arc, LazyLock};
use std::thread::available_parallelism;

use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;
use tracing::Span;

/// The size above which a request is long, in bytes.
const LONG: usize = 16 << 10;

/// In the data of a request that is long: its checks take long, too.
#[derive(Clone, Copy, Debug)]
pub struct Long;

/// Whether a request of this many bytes is long.
pub fn is_long(bytes: usize) -> bool {
    bytes > LONG
}

/// Does work on a long request, on a thread that may block. It is not stopped when it is no longer awaited.
///
/// # Panics
///
/// If the work panics.
pub async fn elsewhere<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    static FREE: LazyLock<Arc<Semaphore>> = LazyLock::new(|| {
        let cores = available_parallelism().map_or(1, usize::from);
        Arc::new(Semaphore::new(cores.div_ceil(2)))
    });
    // It is never closed.
    let permit = Arc::clone(&FREE).acquire_owned().await.ok();
    let span = Span::current();
    let done = spawn_blocking(move || {
        let _permit = permit;
        span.in_scope(work)
    });
    match done.await.map_err(tokio::task::JoinError::try_into_panic) {
        Ok(done) => done,
        Err(Ok(panic)) => resume_unwind(panic),
        // The runtime is shutting down.
        Err(Err(_)) => pending().await,
    }
}
