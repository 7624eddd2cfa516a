//! The memory budget for what clients make the server keep: request bodies and messages being received, responses being sent,
//! and subscriptions.
//!
//! Permits bound the requests that are executed. Without this budget, requests that are not received, responses that are
//! not sent, and subscriptions would use as much memory as there are connections. One client gets a share of the budget.

use async_graphql::ServerError;

use super::code::Code;
use super::error::refusal;
use super::stock::{Portion, Stock, Taken};

/// The message for a request that exceeds the budget.
pub const BUDGET_EXCEEDED: &str =
    "the memory budget, or this client's share of it, is exhausted (the setting MAX_BUFFERED): try again";

/// A memory budget, or the part of it that one client may use. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Memory(Portion);

/// A part of the budget, until it is dropped.
pub type MemoryPermit = Taken;

impl Memory {
    /// A budget of this many bytes.
    pub fn new(max: usize) -> Self {
        Self::of(Stock::new(max, 0).whole())
    }

    /// The budget of these bytes.
    pub fn of(bytes: Portion) -> Self {
        Self(bytes)
    }

    /// The bytes in use, by all clients.
    pub fn in_use(&self) -> usize {
        self.0.in_use()
    }

    /// Acquires bytes, if they are available.
    pub fn acquire(&self, bytes: usize) -> Option<MemoryPermit> {
        self.0.take(bytes).ok()
    }

    /// Acquires what a subscription keeps until it ends.
    ///
    /// # Errors
    ///
    /// [`Code::Overloaded`] if the bytes are not available, [`Code::TooComplex`] if they never are.
    pub fn acquire_for_subscription(&self, bytes: usize) -> Result<MemoryPermit, Vec<ServerError>> {
        let limit = self.0.limit();
        if bytes > limit {
            let message = format!(
                "the subscription needs {bytes} bytes of memory, and one client may use {limit} (the setting MAX_BUFFERED)"
            );
            return Err(vec![refusal(Code::TooComplex, message)]);
        }
        self.acquire(bytes).ok_or_else(|| vec![refusal(Code::Overloaded, BUDGET_EXCEEDED)])
    }
}
