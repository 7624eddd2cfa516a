//! Pauses between pieces of work, in which the thread serves other tasks.

use std::future::poll_fn;
use std::task::Poll;

/// Lets other tasks run.
pub async fn pause() {
    let mut has_paused = false;
    let pause = poll_fn(|context| {
        if std::mem::replace(&mut has_paused, true) {
            return Poll::Ready(());
        }
        context.waker().wake_by_ref();
        Poll::Pending
    });
    pause.await;
}
