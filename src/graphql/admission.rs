//! How many operations are worked on at a time, and how long each.
//!
//! There are so many places and no queue: a server that is behind does not get further behind by letting clients wait,
//! and whoever is told so at once can go to another one. What is not done in time is dropped, with all that it waits
//! for; but a write is not, and keeps its place until its end.

use std::sync::Arc;
use std::time::Duration;

use async_graphql::ServerError;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use super::code::Code;
use super::error::refusal;

/// The places of a server. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Admission {
    places: Arc<Semaphore>,
    most: usize,
    time: Duration,
}

/// A place, until the last of its clones is dropped.
#[derive(Clone, Debug)]
pub struct Place {
    _permit: Arc<OwnedSemaphorePermit>,
}

tokio::task_local! {
    static PLACE: Place;
}

impl Place {
    /// That of what runs now, for a task that goes on when nobody waits any more. None where no place was taken.
    pub fn of_this_task() -> Option<Self> {
        PLACE.try_with(Self::clone).ok()
    }
}

/// Why something was not done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotDone {
    /// There was no place.
    #[error("the server has as much to do as it takes on (the setting MAX_REQUESTS): try again")]
    Full,
    /// It took too long.
    #[error("the request took too long (the setting REQUEST_TIMEOUT); a mutation may take effect all the same")]
    TooLate,
}

impl Admission {
    /// So many places, each for so long.
    pub fn new(places: usize, time: Duration) -> Self {
        Self { places: Arc::new(Semaphore::new(places)), most: places, time }
    }

    /// How many places are taken.
    pub fn taken(&self) -> usize {
        self.most - self.places.available_permits()
    }

    /// Does it in a place of its own.
    ///
    /// # Errors
    ///
    /// [`NotDone`].
    pub async fn run<T>(&self, work: impl Future<Output = T>) -> Result<T, NotDone> {
        let permit = Arc::clone(&self.places).try_acquire_owned().map_err(|_| NotDone::Full)?;
        let place = Place { _permit: Arc::new(permit) };
        PLACE.scope(place, timeout(self.time, work)).await.map_err(|_| NotDone::TooLate)
    }
}

impl From<NotDone> for ServerError {
    fn from(error: NotDone) -> Self {
        let code = match error {
            NotDone::Full => Code::Overloaded,
            NotDone::TooLate => Code::TimedOut,
        };
        refusal(code, error.to_string())
    }
}
