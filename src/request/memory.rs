//! The memory budget for what clients make the server keep: request bodies being received, responses being sent, and
//! subscriptions.
//!
//! Permits bound the requests that are executed. Without this budget, requests that are not received, responses that are
//! not sent, and subscriptions would use as much memory as there are connections. One client gets a share of the budget.

use std::sync::Arc;

use async_graphql::ServerError;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::code::Code;
use super::error::refusal;

/// The message for a request that exceeds the budget.
pub const BUDGET_EXCEEDED: &str =
    "the memory budget, or this client's share of it, is exhausted (the setting MAX_BUFFERED): try again";

/// A memory budget. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Memory {
    free: Arc<Semaphore>,
    max: usize,
    /// The share of one client.
    share: Option<Arc<Semaphore>>,
    /// The bytes of the share, or of the budget.
    limit: usize,
}

/// A part of the budget, until it is dropped.
#[derive(Debug)]
pub struct MemoryPermit(OwnedSemaphorePermit, Option<OwnedSemaphorePermit>);

impl Memory {
    /// A budget of this many bytes.
    pub fn new(max: usize) -> Self {
        let max = max.min(Semaphore::MAX_PERMITS);
        Self { free: Arc::new(Semaphore::new(max)), max, share: None, limit: max }
    }

    /// The budget of one client, which is a part of this one: a semaphore of this many bytes.
    #[must_use]
    pub fn shared(&self, share: Arc<Semaphore>, limit: usize) -> Self {
        Self { share: Some(share), limit: limit.min(self.limit), ..self.clone() }
    }

    /// The bytes in use.
    pub fn in_use(&self) -> usize {
        self.max - self.free.available_permits()
    }

    /// Acquires bytes, if they are available.
    pub fn acquire(&self, bytes: usize) -> Option<MemoryPermit> {
        let bytes = u32::try_from(bytes).ok()?;
        let share = self.share.as_ref().map(|share| Arc::clone(share).try_acquire_many_owned(bytes));
        let share = share.transpose().ok()?;
        Some(MemoryPermit(Arc::clone(&self.free).try_acquire_many_owned(bytes).ok()?, share))
    }

    /// Acquires what a subscription keeps until it ends.
    ///
    /// # Errors
    ///
    /// [`Code::Overloaded`] if the bytes are not available, [`Code::TooComplex`] if they never are.
    pub fn acquire_for_subscription(&self, bytes: usize) -> Result<MemoryPermit, Vec<ServerError>> {
        if bytes > self.limit {
            let limit = self.limit;
            let message = format!(
                "the subscription takes {bytes} bytes of memory, and one client has {limit} (the setting MAX_BUFFERED)"
            );
            return Err(vec![refusal(Code::TooComplex, message)]);
        }
        self.acquire(bytes).ok_or_else(|| vec![refusal(Code::Overloaded, BUDGET_EXCEEDED)])
    }
}

impl MemoryPermit {
    /// Adds another part of the same budget.
    pub fn merge(&mut self, other: Self) {
        self.0.merge(other.0);
        if let (Some(share), Some(other)) = (&mut self.1, other.1) {
            share.merge(other);
        }
    }
}
