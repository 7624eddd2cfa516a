//! Answers that callers share.

use std::future::ready;
use std::sync::{Arc, Mutex, PoisonError};

use futures_util::FutureExt;
use futures_util::future::{BoxFuture, Shared};

/// A question whose callers share an answer, so that a thousand at a time do not ask a thousand times.
///
/// An answer that is on its way may be older than what a new caller has seen. So the caller does not join it, as in a
/// [single flight](https://pkg.go.dev/golang.org/x/sync/singleflight), but waits for the next one, with all that come
/// meanwhile. One question is asked at a time. Cheap to clone.
pub struct Coalesced<T>(Arc<Inner<T>>);

type Answer<T> = Shared<BoxFuture<'static, Option<T>>>;

struct Inner<T> {
    ask: Box<dyn Fn() -> BoxFuture<'static, T> + Send + Sync>,
    /// The answer to a question that has not been asked yet.
    next: Mutex<Option<Answer<T>>>,
    turn: tokio::sync::Mutex<()>,
}

impl<T: Clone + Send + Sync + 'static> Coalesced<T> {
    /// Asks by this function.
    pub fn new(ask: impl Fn() -> BoxFuture<'static, T> + Send + Sync + 'static) -> Self {
        Self(Arc::new(Inner { ask: Box::new(ask), next: Mutex::default(), turn: tokio::sync::Mutex::default() }))
    }

    /// The answer to a question that is asked after this call; `None` if the runtime ends first, or the function panics.
    pub fn get(&self) -> impl Future<Output = Option<T>> + Send + use<T> {
        let begin = || {
            // A task of its own: a caller that is slow or gone keeps no other one waiting.
            let asked = tokio::spawn(Arc::clone(&self.0).ask());
            asked.then(|answer| ready(answer.ok())).boxed().shared()
        };
        self.0.next.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert_with(begin).clone()
    }
}

impl<T> Inner<T> {
    async fn ask(self: Arc<Self>) -> T {
        let _turn = self.turn.lock().await;
        // A caller that comes from now on may have seen more than the answer.
        self.next.lock().unwrap_or_else(PoisonError::into_inner).take();
        (self.ask)().await
    }
}

impl<T> Clone for Coalesced<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::sync::{Semaphore, watch};
    use tokio::time::timeout;

    use super::*;

    #[tokio::test]
    async fn an_answer_is_never_older_than_its_caller() {
        let (asked, may_answer) = (watch::Sender::new(0), Arc::new(Semaphore::new(0)));
        let (count, permits) = (asked.clone(), Arc::clone(&may_answer));
        let question = Coalesced::new(move || {
            count.send_modify(|count| *count += 1);
            let (number, permits) = (*count.borrow(), Arc::clone(&permits));
            async move {
                permits.acquire().await.unwrap().forget();
                number
            }
            .boxed()
        });
        let first = question.get();
        let begun = async { asked.subscribe().wait_for(|count| *count == 1).await.map(|count| *count) };
        timeout(Duration::from_mins(1), begun).await.unwrap().unwrap();
        // One that gives up takes the answer from nobody.
        drop(question.get());
        let (second, third) = (question.get(), question.get());
        may_answer.add_permits(2);
        assert_eq!((first.await, second.await, third.await), (Some(1), Some(2), Some(2)));
        may_answer.add_permits(1);
        assert_eq!(question.get().await, Some(3));
        assert_eq!(*asked.borrow(), 3);
    }
}
