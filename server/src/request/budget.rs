//! Budgets: the cost that one client may request in a second.
//!
//! The rate is limited by the generic cell rate algorithm of the crate `governor`. A client that has sent no request
//! for long enough may request as much at once as one request may cost. A network of clients may request what
//! [`NETWORK`] of them may.

use std::net::IpAddr;
use std::num::NonZeroU32;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use async_graphql::ServerError;
use governor::clock::{Clock, DefaultClock};
use governor::state::keyed::HashMapStateStore;
use governor::{Quota, RateLimiter};
use tokio::time::sleep;

use super::address::network_of;
use super::code::Code;
use super::error::refusal;
use super::stock::NETWORK;
use crate::config::Limits;

/// The member of an error's `extensions` that says after how many seconds to try again.
pub const RETRY_AFTER: &str = "retryAfter";

/// The budgets of all clients; none, unless one is set.
#[derive(Clone, Debug, Default)]
pub struct Budgets(Option<Arc<Limited>>);

#[derive(Debug)]
struct Limited {
    per_second: NonZeroU32,
    clients: PerClient,
}

/// What each client may take of something, and each network.
#[derive(Debug)]
pub struct PerClient {
    clients: Rate,
    networks: Rate,
}

/// The rates of clients, or of networks, by address.
#[derive(Debug)]
struct Rate {
    limiter: RateLimiter<IpAddr, HashMapStateStore<IpAddr>, DefaultClock>,
    /// The number of addresses at which those are removed that have all of it.
    sweep_at: AtomicUsize,
}

/// What the events of a subscription cost its client; by default, nothing. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct Pace {
    budgets: Budgets,
    client: Option<IpAddr>,
    cost: usize,
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
            Arc::new(Limited { per_second, clients: PerClient::new(Quota::per_second(per_second).allow_burst(burst)) })
        }))
    }

    /// Charges a client for a request. A request that comes from no client has no budget.
    ///
    /// # Errors
    ///
    /// [`Code::RateLimited`] while the client, or its network, has less than the cost left.
    pub fn charge(&self, client: Option<IpAddr>, cost: usize) -> Result<(), ServerError> {
        self.take(client, cost).map_err(|wait| {
            let per_second = self.0.as_ref().map_or(0, |limited| limited.per_second.get());
            let what = format!(
                "the request costs {cost}, and this client has used its budget of {per_second} per second (the setting \
                 CLIENT_BUDGET)"
            );
            rate_limited(what, wait)
        })
    }

    /// How long to wait, if the client has less than the cost left.
    fn take(&self, client: Option<IpAddr>, cost: usize) -> Result<(), Duration> {
        match (&self.0, client, cells(cost)) {
            (Some(limited), Some(client), Some(cost)) => limited.clients.take(client, cost),
            _ => Ok(()),
        }
    }
}

/// A cost as what is taken of a rate; `None` for work that costs nothing.
fn cells(cost: usize) -> Option<NonZeroU32> {
    NonZeroU32::new(u32::try_from(cost).unwrap_or(u32::MAX))
}

/// The error of a client that has to wait, and the reason.
pub fn rate_limited(reason: String, wait: Duration) -> ServerError {
    let seconds = (wait.as_secs() + u64::from(wait.subsec_nanos() > 0)).max(1);
    let mut error = refusal(Code::RateLimited, format!("{reason}: try again in {seconds} s"));
    error.extensions.get_or_insert_default().set(RETRY_AFTER, seconds);
    error
}

impl Pace {
    /// The events of a client, each of which costs so much.
    pub fn new(budgets: Budgets, client: Option<IpAddr>, cost: usize) -> Self {
        Self { budgets, client, cost }
    }

    /// Pays for an event, once the budget suffices.
    pub async fn pay(&self) {
        if let (Budgets(Some(limited)), Some(client), Some(cost)) = (&self.budgets, self.client, cells(self.cost)) {
            limited.clients.pay(client, cost).await;
        }
    }
}

impl PerClient {
    /// This much for each client.
    pub fn new(quota: Quota) -> Self {
        let times = NonZeroU32::new(u32::try_from(NETWORK).unwrap_or(1)).unwrap_or(NonZeroU32::MIN);
        let network = Quota::with_period(quota.replenish_interval() / times.get()).unwrap_or(quota);
        let network = network.allow_burst(quota.burst_size().saturating_mul(times));
        Self { clients: Rate::new(quota), networks: Rate::new(network) }
    }

    /// Takes so much for a client. The client goes first: what it is refused costs its network nothing.
    ///
    /// # Errors
    ///
    /// How long to wait, if the client or its network has less; nothing is taken from the network then.
    pub fn take(&self, client: IpAddr, cells: NonZeroU32) -> Result<(), Duration> {
        self.clients.take(client, cells)?;
        network_of(client).map_or(Ok(()), |network| self.networks.take(network, cells))
    }

    /// Takes so much for a client once, and then for its network, each as soon as it has enough.
    async fn pay(&self, client: IpAddr, cells: NonZeroU32) {
        let network = network_of(client).map(|network| (&self.networks, network));
        for (rate, address) in [(&self.clients, client)].into_iter().chain(network) {
            while let Err(wait) = rate.take(address, cells) {
                sleep(wait).await;
            }
        }
    }
}

impl Rate {
    fn new(quota: Quota) -> Self {
        Self { limiter: RateLimiter::hashmap(quota), sweep_at: AtomicUsize::new(KEPT) }
    }

    fn take(&self, address: IpAddr, cells: NonZeroU32) -> Result<(), Duration> {
        let taken = self.limiter.check_key_n(&address, cells);
        if self.limiter.len() >= self.sweep_at.load(Ordering::Relaxed) {
            self.limiter.retain_recent();
            self.sweep_at.store(KEPT.max(2 * self.limiter.len()), Ordering::Relaxed);
        }
        match taken {
            Ok(Err(early)) => Err(early.wait_time_from(self.limiter.clock().now())),
            // What no budget ever has is refused before.
            Ok(Ok(())) | Err(_) => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::{Ipv4Addr, Ipv6Addr};

    use std::pin::pin;

    use futures_util::poll;

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
    fn a_network_has_the_budget_of_a_few_clients() {
        let budgets = budgets(1, 100);
        let client =
            |n: u32| Some(IpAddr::from(Ipv6Addr::new(0x2001, 0xdb8, 0, u16::try_from(n).unwrap(), 0, 0, 0, 0)));
        let paid = (0..100).filter(|n| budgets.charge(client(*n), 100).is_ok()).count();
        assert_eq!(paid, NETWORK);
        assert!(budgets.charge(Some("2001:db8:1::".parse().unwrap()), 100).is_ok(), "another network");
    }

    #[tokio::test]
    async fn an_event_waits_until_its_client_can_pay_for_it() {
        let budgets = budgets(1_000, 1_000);
        assert!(budgets.charge(Some(client(1)), 1_000).is_ok());
        let pace = |n: u32| Pace::new(budgets.clone(), Some(client(n)), 50);
        let (one, other) = (pace(1), pace(2));
        let mut waiting = pin!(one.pay());
        assert!(poll!(waiting.as_mut()).is_pending() && poll!(pin!(other.pay())).is_ready());
        waiting.await;
    }

    #[tokio::test(start_paused = true)]
    async fn an_event_that_waits_for_its_network_is_paid_for_once() {
        let budgets = budgets(1, 100);
        let client = |n: u16| IpAddr::from(Ipv6Addr::new(0x2001, 0xdb8, 0, n, 0, 0, 0, 0));
        for n in 1..=u16::try_from(NETWORK).unwrap() {
            assert!(budgets.charge(Some(client(n)), 100).is_ok());
        }
        let pace = Pace::new(budgets.clone(), Some(client(0)), 40);
        let mut waiting = pin!(pace.pay());
        // The network has nothing left, and the client is asked again and again.
        for _ in 0..3 {
            assert!(poll!(waiting.as_mut()).is_pending());
            tokio::time::advance(Duration::from_mins(1)).await;
        }
        let limited = budgets.0.as_ref().unwrap();
        assert!(limited.clients.clients.take(client(0), NonZeroU32::new(60).unwrap()).is_ok(), "it has paid once");
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
        let kept = budgets.0.as_ref().unwrap().clients.clients.limiter.len();
        assert!(kept < 2 * KEPT, "{kept}");
        assert!(budgets.charge(Some(client(0)), 4_000_000_000).is_err(), "a budget that is spent is not forgotten");
    }
}
