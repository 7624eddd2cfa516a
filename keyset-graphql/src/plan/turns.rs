//! The root fields of a request, one after the other: many of them are no long piece of work.
//!
//! The library polls all root fields of a query together. What each of them plans and binds takes microseconds, and so do
//! the reads of SQLite, which do not wait. A thousand fields would hold the thread for a tenth of a second.

use std::future::poll_fn;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::{Poll, Waker};

use async_graphql::futures_util::lock::Mutex as AsyncMutex;

use super::pause::pause;

/// The turns of one request.
#[derive(Default)]
pub struct Turns {
    turn: AsyncMutex<()>,
    waiting: Mutex<Waiting>,
}

#[derive(Default)]
struct Waiting {
    /// How many pieces of work are not done.
    pieces: usize,
    /// Those that are done.
    done: Vec<Waker>,
}

/// A piece of work that is not done.
struct Piece<'a>(&'a Turns);

impl Turns {
    /// Does a piece of work in its turn. Before each piece, the thread serves other tasks.
    ///
    /// It returns once no piece waits. If it returned earlier, the library would go on with the next one in the same poll.
    pub async fn take<T>(&self, work: impl Future<Output = T>) -> T {
        let piece = Piece::of(self);
        let turn = self.turn.lock().await;
        pause().await;
        let done = work.await;
        drop(turn);
        drop(piece);
        poll_fn(|context| {
            let mut waiting = self.waiting();
            if waiting.pieces == 0 {
                return Poll::Ready(());
            }
            waiting.done.push(context.waker().clone());
            Poll::Pending
        })
        .await;
        done
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<'a> Piece<'a> {
    fn of(turns: &'a Turns) -> Self {
        turns.waiting().pieces += 1;
        Self(turns)
    }
}

impl Drop for Piece<'_> {
    fn drop(&mut self) {
        let mut waiting = self.0.waiting();
        waiting.pieces -= 1;
        if waiting.pieces == 0 {
            std::mem::take(&mut waiting.done).into_iter().for_each(Waker::wake);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::pin::pin;
    use std::task::Context;

    use async_graphql::futures_util::future::try_join_all;

    use super::*;

    /// The most pieces in one poll, of so many that are ready at once.
    fn most(pieces: usize) -> usize {
        let (turns, begun) = (Turns::default(), Cell::new(0));
        let piece = || turns.take(async { begun.set(begun.get() + 1) });
        let mut all = pin!(try_join_all((0..pieces).map(|_| async {
            piece().await;
            Ok::<_, ()>(())
        })));
        let (mut most, mut sum) = (0, 0);
        loop {
            let poll = all.as_mut().poll(&mut Context::from_waker(Waker::noop()));
            most = most.max(begun.get());
            sum += begun.take();
            if poll.is_ready() {
                assert_eq!(sum, pieces);
                return most;
            }
        }
    }

    #[test]
    fn a_poll_does_few_pieces_of_work() {
        assert!([1, 5, 30, 31, 1_000].map(most).into_iter().all(|most| most <= 2));
    }

    /// What is dropped before its turn, or in it, holds nobody up.
    #[test]
    fn a_piece_that_is_dropped_is_not_waited_for() {
        let turns = Turns::default();
        let context = &mut Context::from_waker(Waker::noop());
        let (mut first, mut second) = (Box::pin(turns.take(async {})), Box::pin(turns.take(async {})));
        assert!(first.as_mut().poll(context).is_pending() && second.as_mut().poll(context).is_pending());
        assert!(first.as_mut().poll(context).is_pending());
        drop(second);
        assert!(first.as_mut().poll(context).is_ready());
    }
}
