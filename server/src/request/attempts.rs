//! Attempts with a wrong token: after some of them, a client has to wait. The log and a metric tell of them.
//!
//! A token is compared before an attempt is counted: whoever else sends wrong ones from the same address, the right one is
//! always accepted. What makes guessing hopeless is the length of the token.

use std::net::IpAddr;
use std::num::NonZeroU32;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use async_graphql::ServerError;
use governor::{DefaultDirectRateLimiter, Quota, RateLimiter};

use super::budget::{PerClient, rate_limited};
use crate::metrics::Metrics;

/// How many attempts a client has at once, and the time after which it has one more.
const ATTEMPTS: NonZeroU32 = NonZeroU32::new(10).unwrap();
const PAUSE: Duration = Duration::from_secs(10);

/// What was wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wrong {
    /// The write token of a mutation.
    WriteToken,
    /// A token that says who asks.
    Token,
}

/// The attempts of all clients. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Attempts(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    clients: PerClient,
    /// Lines of the log: as many as one client has attempts, for all of them.
    lines: DefaultDirectRateLimiter,
    unlogged: AtomicU64,
    metrics: Metrics,
}

impl Attempts {
    /// None yet.
    pub fn new(metrics: Metrics) -> Self {
        let quota = Quota::with_period(PAUSE).unwrap_or(Quota::per_minute(ATTEMPTS)).allow_burst(ATTEMPTS);
        let lines = RateLimiter::direct(quota);
        Self(Arc::new(Inner { clients: PerClient::new(quota), lines, unlogged: AtomicU64::new(0), metrics }))
    }

    /// Counts an attempt of a client.
    ///
    /// # Errors
    ///
    /// [`Code::RateLimited`](super::code::Code::RateLimited) if it has made too many.
    pub fn count(&self, wrong: Wrong, client: Option<IpAddr>) -> Result<(), ServerError> {
        let Inner { clients, lines, unlogged, metrics } = &*self.0;
        metrics.wrong_token();
        if lines.check().is_ok() {
            let unlogged = unlogged.swap(0, Ordering::Relaxed);
            let client = client.map(tracing::field::display);
            let what = match wrong {
                Wrong::WriteToken => "a mutation was refused: its write token is wrong",
                Wrong::Token => "a request was refused: its token is invalid",
            };
            tracing::warn!(client, unlogged, "{what}");
        } else {
            unlogged.fetch_add(1, Ordering::Relaxed);
        }
        let Some(client) = client else { return Ok(()) };
        clients
            .take(client, NonZeroU32::MIN)
            .map_err(|wait| rate_limited("this client sent too many wrong tokens".into(), wait))
    }
}
