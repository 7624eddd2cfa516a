//! Budgets: the cost that one client may request in a second.
//!
//! The rate is limited by the generic cell rate algorithm of the crate `governor`. A client that has sent no request
//! for long enough may request as much at once as one request may cost.

use std::net::IpAddr;
use std::num::NonZeroU32;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use async_graphql::ServerError;
use governor::clock::{Clock, DefaultClock};
use governor::state::keyed::HashMapStateStore;
use governor::{Quota, RateLimiter};

use super::code::Code;
use super::error::refusal;
use crate::config::Limits;

/// The member of an error's `extensions` that says after how many seconds to try again.
pub const RETRY_AFTER: &str = "retryAfter";

/// The budgets of all clients; none, unless one is set.
#[derive(Clone, Debug)]
pub struct Budgets(Option<Arc<Limited>>);

#[derive(Debug)]
struct Limited {
    per_second: NonZeroU32,
    clients: RateLimiter<IpAddr, HashMapStateStore<IpAddr>, DefaultClock>,
    /// The number of clients at which those are removed whose budget is whole.
    sweep_at: AtomicUsize,
}

/// Clients are kept up to this number, whether their budget is whole or not.
const KEPT: usize = 1024;

impl Budgets {
    /// The budgets in these limits.
    pub fn new(limits: Limits) -> Self {
        Self(limits.client_budget.map(|per_second| {
            // Each request that is allowed can be paid for.
            let burst = u32::try_from(limits.max_complexity).unwrap_or(u32::MAX);
            let burst = per_second.max(NonZeroU32::new(burst).unwrap_or(per_second));
            let clients = RateLimiter::hashmap(Quota::per_second(per_second).allow_burst(burst));
            Arc::new(Limited { per_second, clients, sweep_at: AtomicUsize::new(KEPT) })
        }))
    }

    /// Charges a client for a request. A request that comes from no client has no budget.
    ///
    /// # Errors
    ///
    /// [`Code::RateLimited`] while the client has less than the cost left; it is not charged then.
    pub fn charge(&self, client: Option<IpAddr>, cost: usize) -> Result<(), ServerError> {
        let (Some(limited), Some(client)) = (&self.0, client) else { return Ok(()) };
        let Some(cost) = NonZeroU32::new(u32::try_from(cost).unwrap_or(u32::MAX)) else { return Ok(()) };
        let charged = limited.clients.check_key_n(&client, cost);
        limited.sweep();
        let Ok(Err(early)) = charged else { return Ok(()) };
        let wait = early.wait_time_from(limited.clients.clock().now());
        let seconds = wait.as_secs() + u64::from(wait.subsec_nanos() > 0);
        Err(limited.refuse(cost, seconds.max(1)))
    }
}

impl Limited {
    fn refuse(&self, cost: NonZeroU32, seconds: u64) -> ServerError {
        let message = format!(
            "the request costs {cost}, and this client has spent its budget of {} per second (the setting CLIENT_BUDGET): \
             try again in {seconds} s",
            self.per_second
        );
        let mut error = refusal(Code::RateLimited, message);
        error.extensions.get_or_insert_default().set(RETRY_AFTER, seconds);
        error
    }

    /// Removes clients whose budget is whole, when there are twice as many as after the last time.
    fn sweep(&self) {
        if self.clients.len() >= self.sweep_at.load(Ordering::Relaxed) {
            self.clients.retain_recent();
            self.sweep_at.store(KEPT.max(2 * self.clients.len()), Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::*;

    fn budgets(client_budget: u32, max_complexity: usize) -> Budgets {
        Budgets::new(Limits { client_budget: NonZeroU32::new(client_budget), max_complexity, ..Limits::DEFAULT })
    }

    fn client(n: u32) -> IpAddr {
        Ipv4Addr::from_bits(n).into()
    }

    #[test]
    fn a_budget_is_spent_by_one_client_and_left_to_the_others() {
        let budgets = budgets(1, 10_000);
        assert!(budgets.charge(Some(client(1)), 10_000).is_ok(), "the most that one request may cost");
        let error = budgets.charge(Some(client(1)), 600).unwrap_err();
        assert_eq!(Code::of(&error), Some(Code::RateLimited));
        let seconds = error.extensions.unwrap().get(RETRY_AFTER).cloned().unwrap().into_json().unwrap();
        assert!((1..=600).contains(&seconds.as_u64().unwrap()), "{seconds}");
        assert!(budgets.charge(Some(client(2)), 600).is_ok() && budgets.charge(None, 600).is_ok());
        // A request that costs nothing is no work.
        assert!(budgets.charge(Some(client(1)), 0).is_ok());
    }

    #[test]
    fn without_the_setting_nothing_is_charged() {
        let budgets = budgets(0, 10);
        assert!((0..100).all(|_| budgets.charge(Some(client(1)), 10).is_ok()));
    }

    #[test]
    fn a_client_is_forgotten_when_its_budget_is_whole() {
        let budgets = budgets(1_000_000, 4_000_000_000);
        assert!(budgets.charge(Some(client(0)), 4_000_000_000).is_ok());
        for n in 1..3_000 {
            // Whole again after a microsecond.
            assert!(budgets.charge(Some(client(n)), 1).is_ok());
        }
        let kept = budgets.0.as_ref().unwrap().clients.len();
        assert!(kept < 2 * KEPT, "{kept}");
        assert!(budgets.charge(Some(client(0)), 4_000_000_000).is_err(), "a budget that is spent is not forgotten");
    }
}
