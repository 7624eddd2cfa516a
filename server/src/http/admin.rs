//! A server on a thread and a runtime of its own, which responds while those of the requests are busy.

use std::io;
use std::thread::{Builder, JoinHandle};

use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio::task::spawn_blocking;

use super::Server;

/// A running server, until it is stopped.
#[derive(Debug)]
pub struct Admin {
    stop: oneshot::Sender<()>,
    thread: JoinHandle<()>,
}

impl Admin {
    /// Serves on this listener, on a new thread.
    ///
    /// # Errors
    ///
    /// Those of the system, which may have no thread left.
    pub fn start(listener: TcpListener, server: Server) -> io::Result<Self> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let listener = {
            let listener = listener.into_std()?;
            let _entered = runtime.enter();
            TcpListener::from_std(listener)?
        };
        let (stop, stopped) = oneshot::channel();
        let serve = move || {
            runtime.block_on(server.serve(listener, async {
                // The sender is dropped where the program ends early.
                let _ = stopped.await;
            }));
        };
        let thread = Builder::new().name("admin".into()).spawn(serve)?;
        Ok(Self { stop, thread })
    }

    /// Stops the server, and waits until its connections have ended.
    pub async fn stop(self) {
        // It may have ended.
        let _ = self.stop.send(());
        if let Ok(Err(_)) = spawn_blocking(|| self.thread.join()).await {
            tracing::error!("the server of the probes panicked");
        }
    }
}
