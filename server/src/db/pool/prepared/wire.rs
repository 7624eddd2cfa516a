//! The socket of a connection.
//!
//! The driver expects a task of its own that reads and writes it. What waits for an answer does both instead: so no task on another
//! thread is woken, and a connection that is dropped is closed.

use std::future::poll_fn;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

use futures_util::FutureExt as _;
use sea_orm::sqlx::Error;
use tokio::task::unconstrained;
use tokio_postgres::error::Severity;
use tokio_postgres::tls::MakeTlsConnect;
use tokio_postgres::{AsyncMessage, Connection, Socket};
use tokio_postgres_rustls::MakeRustlsConnect;

type Encrypted = <MakeRustlsConnect as MakeTlsConnect<Socket>>::Stream;

/// What is sent, and what has come. It is read and written only while something waits for an answer. When it is dropped, the socket is closed at
/// once: PostgreSQL 14 or later then stops the statement.
pub struct Wire(Connection<Socket, Encrypted>);

impl Wire {
    pub fn new(connection: Connection<Socket, Encrypted>) -> Self {
        Self(connection)
    }

    /// Sends what this asks for, and returns its answer. It must wait for nothing else.
    ///
    /// # Errors
    ///
    /// Its own, and [`Error::WorkerCrashed`] if the connection is closed.
    pub async fn answer<T>(&mut self, mut asked: Pin<&mut impl Future<Output = Result<T, Error>>>) -> Result<T, Error> {
        // Otherwise the request would wake the task that used the connection last.
        if !self.turn() {
            return Err(Error::WorkerCrashed);
        }
        poll_fn(|context| {
            // The task is woken by the socket alone.
            let unwoken = &mut Context::from_waker(Waker::noop());
            let mut wire = Poll::Ready(true);
            loop {
                if let Poll::Ready(answer) = asked.as_mut().poll(unwoken) {
                    return Poll::Ready(answer);
                }
                wire = match wire {
                    Poll::Ready(true) => self.poll(context),
                    Poll::Ready(false) => return Poll::Ready(Err(Error::WorkerCrashed)),
                    Poll::Pending => return Poll::Pending,
                };
            }
        })
        .await
    }

    /// Sends what was asked for, without waiting. Returns whether the connection is open.
    pub fn send(&mut self) -> bool {
        // The task may have no budget left to send anything.
        unconstrained(async { self.turn() }).now_or_never() == Some(true)
    }

    /// Reads and writes as far as it can, and wakes no task later. Returns whether the connection is open.
    fn turn(&mut self) -> bool {
        let unwoken = &mut Context::from_waker(Waker::noop());
        loop {
            match self.poll(unwoken) {
                Poll::Ready(true) => {}
                Poll::Ready(false) => return false,
                Poll::Pending => return true,
            }
        }
    }

    /// Reads what comes, until the connection is closed.
    pub async fn closed(mut self) {
        while poll_fn(|context| self.poll(context)).await {}
    }

    /// Reads and writes. Returns whether the connection is open, after each message that answers nothing.
    fn poll(&mut self, context: &mut Context<'_>) -> Poll<bool> {
        self.0.poll_message(context).map(|message| match message {
            Some(Ok(AsyncMessage::Notice(notice))) => {
                // What it logs of a statement has values.
                match notice.parsed_severity() {
                    Some(Severity::Warning) => tracing::warn!("{}", notice.message()),
                    Some(Severity::Notice) => tracing::info!("{}", notice.message()),
                    _ => {}
                }
                true
            }
            Some(Ok(_)) => true,
            Some(Err(error)) => {
                tracing::debug!(%error, "a connection to PostgreSQL was lost");
                false
            }
            None => false,
        })
    }
}
