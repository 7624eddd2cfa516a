//! Admission: how many operations run at a time, and how long each.
//!
//! There is a number of permits and no queue. A server that is overloaded rejects a request at once, so that its client
//! can try another server. An operation that exceeds its time limit is dropped with everything it waits for, except a
//! write: it keeps its permit until it ends.

use std::sync::Arc;
use std::time::Duration;

use async_graphql::ServerError;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use super::code::Code;
use super::error::refusal;

/// The permits of a server. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Admission {
    permits: Arc<Semaphore>,
    max: usize,
    time_limit: Duration,
}

/// The permit of an operation, until the last of its clones is dropped. It travels in the data of the request, so that
/// a write can hold it longer than its client waits.
#[derive(Clone, Debug)]
pub struct Permit {
    _permit: Arc<OwnedSemaphorePermit>,
}

/// Why an operation did not run to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Rejected {
    /// All permits are in use.
    #[error("the server is at its maximum of concurrent requests (the setting MAX_REQUESTS): try again")]
    Overloaded,
    /// It exceeded the time limit.
    #[error("the request exceeded its time limit (the setting REQUEST_TIMEOUT); a mutation may still take effect")]
    TimedOut,
}

impl Admission {
    /// A number of permits, and the time limit of each operation.
    pub fn new(permits: usize, time_limit: Duration) -> Self {
        Self { permits: Arc::new(Semaphore::new(permits)), max: permits, time_limit }
    }

    /// The number of permits in use.
    pub fn in_use(&self) -> usize {
        self.max - self.permits.available_permits()
    }

    /// Runs work under a permit of its own, within the time limit.
    ///
    /// # Errors
    ///
    /// [`Rejected`].
    pub async fn run<T, Work: Future<Output = T>>(&self, work: impl FnOnce(Permit) -> Work) -> Result<T, Rejected> {
        let permit = Arc::clone(&self.permits).try_acquire_owned().map_err(|_| Rejected::Overloaded)?;
        let permit = Permit { _permit: Arc::new(permit) };
        timeout(self.time_limit, work(permit.clone())).await.map_err(|_| Rejected::TimedOut)
    }
}

impl Rejected {
    /// The code of the error.
    pub fn code(self) -> Code {
        match self {
            Self::Overloaded => Code::Overloaded,
            Self::TimedOut => Code::TimedOut,
        }
    }
}

impl From<Rejected> for ServerError {
    fn from(error: Rejected) -> Self {
        refusal(error.code(), error.to_string())
    }
}
