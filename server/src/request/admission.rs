//! Admission: how many operations run at a time, and how long each.
//!
//! There is a number of permits. A server without a free one rejects a request at once, so that its client can try another
//! server. One client gets a share of the permits. A request that was checked waits for its turn: there are about as many
//! as connections to the database, in a [queue](super::Queue) of the clients. An operation that exceeds its time limit
//! is dropped with everything it waits for, except a write: it keeps its permit until it ends.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use async_graphql::ServerError;
use tokio::time::timeout;

use super::code::Code;
use super::cpu::Cpu;
use super::error::refusal;
use super::queue::{Line, Unit};
use super::slots::Slots;
use super::stock::{Portion, Short, Stock, Taken};

/// The cost from which work is heavy: it may read more than 400,000 rows, which can take tenths of a second.
const HEAVY: usize = 2_000;

/// The permits of a server. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Admission {
    permits: Portion,
    time_limit: Duration,
    share: Option<Share>,
}

/// What one client may use.
#[derive(Clone, Debug)]
pub struct Share {
    /// Its address.
    pub client: IpAddr,
    /// Its permits.
    pub permits: Portion,
    /// Its turns: one for each request that is executed at a time.
    pub turns: Line,
    /// Its threads for long requests.
    pub cpu: Cpu,
    /// Its threads for everything else.
    pub slots: Slots,
}

/// The permit of an operation, until the last of its clones is dropped.
#[derive(Clone, Debug)]
pub struct Permit {
    client: Option<IpAddr>,
    cpu: Cpu,
    turns: Option<Line>,
    _taken: Arc<Taken>,
}

/// Why an operation did not run to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Rejected {
    /// All permits are in use.
    #[error("the server has reached its maximum of concurrent requests (the setting MAX_REQUESTS): try again")]
    Overloaded,
    /// The client uses its share of them.
    #[error("this client has reached its share of concurrent requests (the setting MAX_REQUESTS): try again")]
    ShareUsed,
    /// It exceeded the time limit.
    #[error("the request exceeded its time limit (the setting REQUEST_TIMEOUT); a mutation may still take effect")]
    TimedOut,
}

impl Admission {
    /// A number of permits, and the time limit of each operation.
    pub fn new(permits: usize, time_limit: Duration) -> Self {
        Self::of(Stock::new(permits, 1).whole(), time_limit)
    }

    /// These permits, and the time limit of each operation.
    pub fn of(permits: Portion, time_limit: Duration) -> Self {
        Self { permits, time_limit, share: None }
    }

    /// The permits of one client, which are among these.
    #[must_use]
    pub fn shared(&self, share: Share) -> Self {
        Self { permits: share.permits.clone(), share: Some(share), ..self.clone() }
    }

    /// The number of permits in use.
    pub fn in_use(&self) -> usize {
        self.permits.in_use()
    }

    /// The client whose share this is.
    pub fn client(&self) -> Option<IpAddr> {
        self.share.as_ref().map(|share| share.client)
    }

    /// Waits for a turn of the client, if it has a share, for work of this cost.
    pub async fn turn(&self, cost: usize) -> Option<Unit> {
        turn(self.share.as_ref().map(|share| &share.turns), cost).await
    }

    /// The same for work that is polled in a slot already: it must not wait for another one.
    #[must_use]
    pub fn within_slot(&self) -> Self {
        let share = self.share.clone().map(|share| Share { slots: Slots::default(), ..share });
        Self { share, ..self.clone() }
    }

    /// The client's share of threads for long requests.
    pub fn cpu(&self) -> Cpu {
        self.share.as_ref().map(|share| share.cpu.clone()).unwrap_or_default()
    }

    /// Runs work under a permit of its own, and within the time limit. The work waits for its turn when it knows its cost.
    ///
    /// # Errors
    ///
    /// [`Rejected`].
    pub async fn run<T, Work: Future<Output = T>>(&self, work: impl FnOnce(Permit) -> Work) -> Result<T, Rejected> {
        let taken = self.permits.take(1).map_err(|short| match short {
            Short::All => Rejected::Overloaded,
            Short::Share => Rejected::ShareUsed,
        })?;
        let turns = self.share.as_ref().map(|share| share.turns.clone());
        let permit = Permit { client: self.client(), cpu: self.cpu(), turns, _taken: Arc::new(taken) };
        let work = async {
            match &self.share {
                Some(share) => share.slots.run(work(permit.clone())).await,
                None => work(permit.clone()).await,
            }
        };
        timeout(self.time_limit, work).await.map_err(|_| Rejected::TimedOut)
    }
}

async fn turn(turns: Option<&Line>, cost: usize) -> Option<Unit> {
    match turns {
        Some(turns) => Some(turns.unit(cost >= HEAVY).await),
        None => None,
    }
}

impl Permit {
    /// The client that has it.
    pub fn client(&self) -> Option<IpAddr> {
        self.client
    }

    /// The client's share of threads for long requests.
    pub fn cpu(&self) -> &Cpu {
        &self.cpu
    }

    /// Waits for a turn of the client, if it has a share, for work of this cost.
    pub async fn turn(&self, cost: usize) -> Option<Unit> {
        turn(self.turns.as_ref(), cost).await
    }
}

impl Rejected {
    /// The code of the error.
    pub fn code(self) -> Code {
        match self {
            Self::Overloaded | Self::ShareUsed => Code::Overloaded,
            Self::TimedOut => Code::TimedOut,
        }
    }
}

impl From<Rejected> for ServerError {
    fn from(error: Rejected) -> Self {
        refusal(error.code(), error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use futures_util::poll;
    use std::pin::pin;

    use super::*;
    use crate::request::queue::{Queue, Sizes};

    fn admission(permits: usize) -> (Admission, impl Fn() -> Admission) {
        let stock = Stock::new(permits, 1);
        let turns = Queue::new(Sizes { units: 2, each: 1, heavy: 1 });
        let all = Admission::of(stock.whole(), Duration::from_mins(10));
        let of_all = all.clone();
        (all, move || {
            let client = IpAddr::from([127, 0, 0, 1]);
            let (permits, turns) = (stock.portion(None), turns.line(None));
            of_all.shared(Share { client, permits, turns, cpu: Cpu::default(), slots: Slots::default() })
        })
    }

    #[tokio::test]
    async fn requests_of_a_client_wait_in_turn_and_those_of_others_do_not() {
        let (all, of_client) = admission(8);
        let (one, other) = (of_client(), of_client());
        let turn = one.turn(1).await;
        let mut second = pin!(one.run(async |permit| permit.turn(1).await));
        assert!(poll!(second.as_mut()).is_pending());
        assert_eq!(all.in_use(), 1, "a request that waits in turn has a permit");
        assert!(other.run(async |permit| permit.turn(1).await).await.is_ok_and(|turn| turn.is_some()));
        drop(turn);
        assert!(second.await.is_ok_and(|turn| turn.is_some()));
        assert_eq!(all.in_use(), 0);
    }

    #[tokio::test]
    async fn heavy_requests_of_all_clients_leave_a_turn_to_light_ones() {
        let (_, of_client) = admission(8);
        let (one, other) = (of_client(), of_client());
        let _heavy = one.turn(HEAVY).await;
        assert!(poll!(pin!(other.turn(HEAVY))).is_pending());
        assert!(poll!(pin!(other.turn(HEAVY - 1))).is_ready());
    }

    #[tokio::test]
    async fn a_client_gets_its_share_of_the_permits() {
        let (all, of_client) = admission(3);
        let (one, other) = (of_client(), of_client());
        let nested = one
            .run(async |_| {
                assert_eq!(one.run(async |_| ()).await, Err(Rejected::ShareUsed));
                other.run(async |_| all.in_use()).await
            })
            .await;
        assert_eq!(nested, Ok(Ok(2)));
    }

    #[tokio::test]
    async fn a_permit_is_kept_as_long_as_its_last_clone() {
        let (all, of_client) = admission(1);
        let one = of_client();
        assert_eq!(
            one.run(async |permit| {
                drop(permit);
                all.in_use()
            })
            .await,
            Ok(1),
            "until the work has ended"
        );
        let kept = one.run(async |permit| permit).await.unwrap();
        assert_eq!((all.in_use(), one.run(async |_| ()).await), (1, Err(Rejected::Overloaded)));
        drop(kept);
        assert_eq!((all.in_use(), one.run(async |_| ()).await), (0, Ok(())));
    }
}
