//! How a server is told to stop.

use std::process;

/// What a shell says of a program that Ctrl-C ended.
const INTERRUPTED: i32 = 130;

/// From now on Ctrl-C, and the SIGTERM of a supervisor, are heard: the future that is returned ends with the first of
/// them. The next one ends the program at once.
pub fn stop_signal() -> impl Future<Output = ()> + Send + 'static {
    let mut signals = Signals::new();
    async move {
        signals.next().await;
        tokio::spawn(async move {
            signals.next().await;
            tracing::warn!("told to stop again: what has begun is cut off");
            process::exit(INTERRUPTED);
        });
    }
}

/// Where a handler cannot be set up, this way to stop is missing, and no more.
#[cfg(unix)]
struct Signals([Option<tokio::signal::unix::Signal>; 2]);

#[cfg(unix)]
impl Signals {
    fn new() -> Self {
        use tokio::signal::unix::{SignalKind, signal};
        Self([SignalKind::interrupt(), SignalKind::terminate()].map(|kind| signal(kind).ok()))
    }

    async fn next(&mut self) {
        std::future::poll_fn(|context| {
            let heard = self.0.iter_mut().flatten().any(|signal| signal.poll_recv(context).is_ready());
            if heard { std::task::Poll::Ready(()) } else { std::task::Poll::Pending }
        })
        .await;
    }
}

#[cfg(not(unix))]
struct Signals;

#[cfg(not(unix))]
impl Signals {
    fn new() -> Self {
        Self
    }

    async fn next(&mut self) {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}
