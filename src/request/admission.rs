//! Admission: how many operations run at a time, and how long each.
//!
//! There is a number of permits. A server without a free one rejects a request at once, so that its client can try another
//! server. One client gets a share of the permits. It executes as many requests at a time as its share of database
//! connections is large; its other requests hold their permits and wait in turn. An operation that exceeds its time limit
//! is dropped with everything it waits for, except a write: it keeps its permit until it ends.

use std::any::TypeId;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use async_graphql::{Data, ServerError};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, SemaphorePermit};
use tokio::time::timeout;

use super::code::Code;
use super::cpu::Cpu;
use super::error::refusal;
use super::slots::Slots;

/// The permits of a server. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Admission {
    permits: Arc<Semaphore>,
    max: usize,
    time_limit: Duration,
    share: Option<Share>,
}

/// What one client may use.
#[derive(Clone, Debug)]
pub struct Share {
    /// Its address.
    pub client: IpAddr,
    /// Its permits.
    pub permits: Arc<Semaphore>,
    /// Its turns: one for each request that is executed at a time.
    pub turns: Arc<Semaphore>,
    /// Its threads for long requests.
    pub cpu: Cpu,
    /// Its threads for everything else.
    pub slots: Slots,
}

/// The permit of an operation, until the last of its clones is dropped. It travels in the data of the request, so that
/// a write can hold it longer than its client waits.
#[derive(Clone, Debug)]
pub struct Permit {
    client: Option<IpAddr>,
    cpu: Cpu,
    _permits: Arc<(OwnedSemaphorePermit, Option<OwnedSemaphorePermit>)>,
}

/// Why an operation did not run to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Rejected {
    /// All permits are in use.
    #[error("the server is at its maximum of concurrent requests (the setting MAX_REQUESTS): try again")]
    Overloaded,
    /// The client uses its share of them.
    #[error(
        "this client is at its share of concurrent requests (seven eighths of the setting MAX_REQUESTS): try again"
    )]
    ShareUsed,
    /// It exceeded the time limit.
    #[error("the request exceeded its time limit (the setting REQUEST_TIMEOUT); a mutation may still take effect")]
    TimedOut,
}

impl Admission {
    /// A number of permits, and the time limit of each operation.
    pub fn new(permits: usize, time_limit: Duration) -> Self {
        Self { permits: Arc::new(Semaphore::new(permits)), max: permits, time_limit, share: None }
    }

    /// The permits of one client, which are among these.
    #[must_use]
    pub fn shared(&self, share: Share) -> Self {
        Self { share: Some(share), ..self.clone() }
    }

    /// The number of permits in use.
    pub fn in_use(&self) -> usize {
        self.max - self.permits.available_permits()
    }

    /// The client whose share this is.
    pub fn client(&self) -> Option<IpAddr> {
        self.share.as_ref().map(|share| share.client)
    }

    /// Waits for a turn of the client, if it has a share.
    pub async fn turn(&self) -> Option<SemaphorePermit<'_>> {
        // It is never closed.
        self.share.as_ref()?.turns.acquire().await.ok()
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

    /// Runs work under a permit of its own, in turn and within the time limit.
    ///
    /// # Errors
    ///
    /// [`Rejected`].
    pub async fn run<T, Work: Future<Output = T>>(&self, work: impl FnOnce(Permit) -> Work) -> Result<T, Rejected> {
        let share = self.share.as_ref().map(|share| Arc::clone(&share.permits).try_acquire_owned());
        let share = share.transpose().map_err(|_| Rejected::ShareUsed)?;
        let permit = Arc::clone(&self.permits).try_acquire_owned().map_err(|_| Rejected::Overloaded)?;
        let permit = Permit { client: self.client(), cpu: self.cpu(), _permits: Arc::new((permit, share)) };
        let in_turn = async {
            let _turn = self.turn().await;
            match &self.share {
                Some(share) => share.slots.run(work(permit.clone())).await,
                None => work(permit.clone()).await,
            }
        };
        timeout(self.time_limit, in_turn).await.map_err(|_| Rejected::TimedOut)
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

    /// The client of the permit in these data.
    pub fn client_of(data: &Data) -> Option<IpAddr> {
        Self::of(data)?.client
    }

    /// Its share of threads for long requests.
    pub fn cpu_of(data: &Data) -> Cpu {
        Self::of(data).map(|permit| permit.cpu.clone()).unwrap_or_default()
    }

    fn of(data: &Data) -> Option<&Self> {
        data.get(&TypeId::of::<Self>()).and_then(|found| found.downcast_ref())
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
    use tokio::sync::oneshot;
    use tokio::task::yield_now;

    use super::*;

    fn admission() -> (Admission, impl Fn(usize, usize) -> Admission) {
        let all = Admission::new(8, Duration::from_mins(10));
        let semaphore = |permits| Arc::new(Semaphore::new(permits));
        let of_all = all.clone();
        (all, move |permits, turns| {
            let client = IpAddr::from([127, 0, 0, 1]);
            let (permits, turns) = (semaphore(permits), semaphore(turns));
            of_all.shared(Share { client, permits, turns, cpu: Cpu::default(), slots: Slots::default() })
        })
    }

    #[tokio::test]
    async fn requests_of_a_client_wait_in_turn_and_those_of_others_do_not() {
        let (all, of_client) = admission();
        let (one, other) = (of_client(7, 1), of_client(7, 1));
        let (end, ended) = oneshot::channel::<()>();
        let first = tokio::spawn({
            let one = one.clone();
            async move { one.run(async |_| ended.await).await }
        });
        yield_now().await;
        let second = tokio::spawn(async move { one.run(async |_| "second").await });
        yield_now().await;
        assert_eq!(all.in_use(), 2, "a request that waits in turn has a permit");
        assert_eq!(other.run(async |_| "other").await, Ok("other"));
        assert!(!second.is_finished());
        end.send(()).unwrap();
        assert!(first.await.unwrap().is_ok());
        assert_eq!(second.await.unwrap(), Ok("second"));
        assert_eq!(all.in_use(), 0);
    }

    #[tokio::test]
    async fn a_client_gets_its_share_of_the_permits() {
        let (all, of_client) = admission();
        let (one, other) = (of_client(1, 8), of_client(1, 8));
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
        let (all, of_client) = admission();
        let one = of_client(1, 1);
        let kept = one.run(async |permit| permit).await.unwrap();
        assert_eq!((all.in_use(), one.run(async |_| ()).await), (1, Err(Rejected::ShareUsed)));
        drop(kept);
        assert_eq!((all.in_use(), one.run(async |_| ()).await), (0, Ok(())));
    }
}
