//! The stream of a connection, and a watch on it.
//!
//! hyper notices that a client has disconnected when it reads. It does not read while its buffer holds the beginning of a
//! further request: then the watch notices it.

use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use futures_util::FutureExt;
use tokio::io::{AsyncRead, AsyncWrite, Interest, ReadBuf};
use tokio::net::TcpStream;
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::time::sleep;

/// The time between two looks at a connection whose request is executed.
const PERIOD: Duration = Duration::from_millis(50);

/// The stream of a connection.
#[derive(Debug)]
pub struct Stream {
    read: OwnedReadHalf,
    write: Watch,
}

/// A watch on a stream.
#[derive(Clone, Debug)]
pub struct Watch(Arc<Mutex<OwnedWriteHalf>>);

impl From<TcpStream> for Stream {
    fn from(stream: TcpStream) -> Self {
        let (read, write) = stream.into_split();
        Self { read, write: Watch(Arc::new(Mutex::new(write))) }
    }
}

impl Stream {
    /// A watch on the stream.
    pub fn watch(&self) -> Watch {
        self.write.clone()
    }
}

impl Watch {
    /// Waits until the client has closed the connection, or its sending side.
    pub async fn disconnected(&self) {
        while !self.is_closed() {
            sleep(PERIOD).await;
        }
    }

    fn is_closed(&self) -> bool {
        let ready = self.half().ready(Interest::READABLE).now_or_never();
        ready.is_some_and(|ready| ready.is_ok_and(tokio::io::Ready::is_read_closed))
    }

    fn half(&self) -> MutexGuard<'_, OwnedWriteHalf> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl AsyncRead for Stream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.read).poll_read(context, buffer)
    }
}

impl AsyncWrite for Stream {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut *self.write.half()).poll_write(context, bytes)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut *self.write.half()).poll_write_vectored(context, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.write.half().is_write_vectored()
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut *self.write.half()).poll_flush(context)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut *self.write.half()).poll_shutdown(context)
    }
}
