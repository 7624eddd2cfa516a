//! Slots: on how many threads the work of clients runs at a time.
//!
//! The runtime polls tasks to their next wait, and in the order in which they are ready. Requests that compute for long
//! would be before those of every other client, on every thread. Here each poll needs a slot. There is one for each
//! [thread](crate::threads()), and one client never has all of them. They are a [queue](super::Queue): the client that has
//! computed least is next. A client that is alone needs no slots.
//!
//! A poll cannot be interrupted. The runtime has one thread more than there are slots: it serves the probes, and connections
//! that wait for a slot, while polls take long on the others. The system divides the cores.

use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;
use std::task::{Context, Poll};

use tokio::sync::oneshot::Receiver;

use super::queue::{Line, Unit};

/// The slots of one client; by default, no limit.
#[derive(Clone, Debug, Default)]
pub struct Slots(Option<Limited>);

#[derive(Clone, Debug)]
struct Limited {
    line: Line,
    /// The number of clients that are present.
    present: Arc<AtomicUsize>,
}

/// Waits for slots of a client, for one piece of its work.
struct Slot<'a> {
    slots: &'a Slots,
    waiting: Option<Receiver<Unit>>,
}

impl Slots {
    /// Slots from this queue, while several clients are present.
    pub fn of(line: Line, present: Arc<AtomicUsize>) -> Self {
        Self(Some(Limited { line, present }))
    }

    /// Does work, with a slot each time it is polled. The work itself must not wait for a slot of the same client.
    pub async fn run<T>(&self, work: impl Future<Output = T>) -> T {
        let (mut slot, mut work) = (Slot { slots: self, waiting: None }, pin!(work));
        poll_fn(|context| slot.poll(context, |context| work.as_mut().poll(context))).await
    }
}

impl Slot<'_> {
    /// Polls once it has a slot, which it gives back.
    fn poll<T>(&mut self, context: &mut Context<'_>, poll: impl FnOnce(&mut Context<'_>) -> Poll<T>) -> Poll<T> {
        let Some(limited) = &self.slots.0 else { return poll(context) };
        if limited.present.load(Relaxed) <= 1 {
            self.waiting = None;
            return poll(context);
        }
        let mut waiting = match self.waiting.take() {
            Some(waiting) => waiting,
            None => match limited.line.try_unit(false) {
                Ok(_slot) => return poll(context),
                Err(waiting) => waiting,
            },
        };
        match Pin::new(&mut waiting).poll(context) {
            Poll::Ready(_slot) => poll(context),
            Poll::Pending => {
                self.waiting = Some(waiting);
                Poll::Pending
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::Ordering::SeqCst;

    use futures_util::future::join_all;
    use tokio::task::yield_now;

    use super::*;
    use crate::request::queue::{Queue, Sizes};

    fn slots(units: usize, each: usize, present: usize) -> (Queue, Line, Arc<AtomicUsize>, Slots) {
        let queue = Queue::new(Sizes { units, each, heavy: units });
        let (line, present) = (queue.line(None), Arc::new(AtomicUsize::new(present)));
        let slots = Slots::of(line.clone(), Arc::clone(&present));
        (queue, line, present, slots)
    }

    /// Each piece holds its slot while it computes, and gives it back where it waits.
    #[tokio::test(flavor = "multi_thread", worker_threads = 4)]
    async fn the_work_of_a_client_runs_on_as_many_threads_as_it_has_slots() {
        let (_queue, _line, _present, slots) = slots(4, 2, 2);
        let [running, most] = [(); 2].map(|()| Arc::new(AtomicUsize::new(0)));
        let pieces = (0..50).map(|_| {
            let (slots, running, most) = (slots.clone(), running.clone(), most.clone());
            tokio::spawn(async move {
                let work = async {
                    for _ in 0..20 {
                        most.fetch_max(running.fetch_add(1, SeqCst) + 1, SeqCst);
                        (0..1_000).for_each(|_| std::hint::spin_loop());
                        running.fetch_sub(1, SeqCst);
                        yield_now().await;
                    }
                };
                slots.run(work).await;
            })
        });
        for piece in join_all(pieces).await {
            piece.unwrap();
        }
        assert!((1..=2).contains(&most.load(SeqCst)), "{most:?}");
    }

    #[tokio::test]
    async fn work_waits_while_no_slot_is_free() {
        let (queue, line, _, slots) = slots(2, 1, 2);
        let taken = line.try_unit(false).unwrap();
        let mut work = pin!(slots.run(async { 7 }));
        assert!(futures_util::poll!(work.as_mut()).is_pending());
        assert!(queue.line(None).try_unit(false).is_ok(), "another client has the other slot");
        drop(taken);
        assert_eq!(work.await, 7);
    }

    #[tokio::test]
    async fn a_client_that_is_alone_waits_for_none() {
        let (_, line, present, slots) = slots(1, 1, 2);
        let _taken = line.try_unit(false).unwrap();
        let mut work = pin!(slots.run(async { 7 }));
        assert!(futures_util::poll!(work.as_mut()).is_pending());
        present.store(1, Relaxed);
        assert_eq!(work.await, 7);
    }
}
