//! One connection, from the handshake to the close.

use std::convert::Infallible;
use std::future::pending;
use std::pin::pin;

use futures_util::{SinkExt, StreamExt, stream};
use hyper::upgrade::Upgraded;
use hyper_util::rt::TokioIo;
use serde_json::{Map, Value};
use tokio::time::{Instant, MissedTickBehavior, interval_at, sleep_until, timeout};
use tokio_tungstenite::WebSocketStream;
use tungstenite::Error::{Capacity, Io, Protocol, Utf8};
use tungstenite::error::ProtocolError;
use tungstenite::{Bytes, Message};

use super::authorized::{Authorized, EXPIRED, Refused};
use super::message::{ClientMessage, End, MAX_MESSAGE, ServerMessage};
use super::meter::{Metered, Unfinished};
use super::operations::{Execute, MAX_OPERATIONS, Operation, Operations, Outcome};
use super::timeouts::Timeouts;
use crate::metrics::Metrics;
use crate::request::{Code, Incoming, MemoryPermit, is_long, refusal};

/// The number of unanswered pings after which a client is disconnected.
const MAX_UNANSWERED: u32 = 2;

/// The socket of a connection.
pub type Socket = WebSocketStream<Metered<TokioIo<Upgraded>>>;

/// What the values in a message take in memory, for each byte of its text.
const PARSED: usize = 25;

/// A message from the client.
struct Received {
    message: ClientMessage,
    /// The size of its text.
    bytes: usize,
    /// The memory that it takes, if it is long.
    permit: Option<MemoryPermit>,
}

/// A connection after its handshake.
pub struct Connection {
    socket: Socket,
    operations: Operations,
    /// The permit of a message that is being written; the socket may hold it until the connection ends.
    unwritten: Option<MemoryPermit>,
    timeouts: Timeouts,
    metrics: Metrics,
}

impl Connection {
    pub fn new(socket: Socket, operations: Operations, timeouts: Timeouts, metrics: Metrics) -> Self {
        Self { socket, operations, unwritten: None, timeouts, metrics }
    }

    /// Serves until the connection closes or the server stops.
    pub async fn run<E: Execute, Authorizing: Future<Output = Result<Authorized<E>, Refused>> + Send>(
        mut self,
        is_known: bool,
        authorize: impl FnOnce(Map<String, Value>) -> Authorizing,
        stopped: impl Future<Output = ()>,
    ) {
        let end = tokio::select! {
            Err(end) = self.serve(is_known, authorize) => end,
            () = stopped => End::GoingAway,
        };
        self.close(end).await;
    }

    async fn serve<E: Execute, Authorizing: Future<Output = Result<Authorized<E>, Refused>> + Send>(
        &mut self,
        is_known: bool,
        authorize: impl FnOnce(Map<String, Value>) -> Authorizing,
    ) -> Result<Infallible, End> {
        if !is_known {
            return Err(End::SubprotocolNotAcceptable);
        }
        let init = timeout(self.timeouts.init, self.init()).await.map_err(|_| End::InitTimeout)??;
        let Authorized { execute, until } = authorize(init).await?;
        self.send(ServerMessage::ConnectionAck).await?;
        let mut expired = pin!(expired(until));

        let idle = self.timeouts.idle;
        let mut idle = interval_at(Instant::now() + idle, idle);
        idle.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut unanswered = 0;
        loop {
            tokio::select! {
                () = &mut expired => return Err(End::Token(EXPIRED.into())),
                frame = self.socket.next() => {
                    idle.reset();
                    unanswered = 0;
                    if let Some(received) = self.read(frame).await? {
                        self.handle(received, &execute).await?;
                    }
                }
                (operation, outcome) = self.operations.next() => {
                    // The operations have ended, too. A client reconnects after the end of its connection, and subscribes again;
                    // after an error of an operation it would not.
                    if until.is_some_and(|until| until <= Instant::now()) {
                        return Err(End::Token(EXPIRED.into()));
                    }
                    self.deliver(operation, outcome).await?;
                }
                _ = idle.tick() => {
                    if unanswered == MAX_UNANSWERED {
                        return Err(End::Gone);
                    }
                    unanswered += 1;
                    self.write(Some(Message::Ping(Bytes::new()))).await?;
                }
            }
        }
    }

    /// The payload of `connection_init`.
    async fn init(&mut self) -> Result<Map<String, Value>, End> {
        loop {
            let frame = self.socket.next().await;
            match self.read(frame).await?.map(|received| received.message) {
                Some(ClientMessage::ConnectionInit { payload }) => return Ok(payload.unwrap_or_default()),
                Some(ClientMessage::Subscribe { .. }) => return Err(End::Unauthorized),
                Some(ClientMessage::Ping { payload }) => self.send(ServerMessage::Pong { payload }).await?,
                Some(ClientMessage::Pong | ClientMessage::Complete { .. }) | None => {}
            }
        }
    }

    async fn handle(
        &mut self,
        Received { message, bytes, permit }: Received,
        execute: &impl Execute,
    ) -> Result<(), End> {
        match message {
            ClientMessage::ConnectionInit { .. } => Err(End::TooManyInits),
            ClientMessage::Ping { payload } => self.send(ServerMessage::Pong { payload }).await,
            ClientMessage::Pong => Ok(()),
            ClientMessage::Complete { id } => {
                self.operations.end(&id);
                Ok(())
            }
            ClientMessage::Subscribe { id, .. } if self.operations.contains(&id) => Err(End::SubscriberExists(id)),
            ClientMessage::Subscribe { id, .. }
                if self.operations.len() >= MAX_OPERATIONS || self.operations.bytes() + bytes > MAX_MESSAGE =>
            {
                let message = format!(
                    "a connection may have at most {MAX_OPERATIONS} concurrent operations, and at most {MAX_MESSAGE} bytes of them"
                );
                let error = refusal(Code::TooManyOperations, message);
                self.send(ServerMessage::Error { id: &id, payload: &[error] }).await
            }
            ClientMessage::Subscribe { id, payload } => {
                let (incoming, execute) = (Incoming { is_long: is_long(bytes), ..*payload }, execute.clone());
                // Nothing is executed here: a panic must not end the connection.
                let begin = async move { execute(incoming) };
                self.operations.start(id, bytes, permit, stream::once(begin).flatten());
                Ok(())
            }
        }
    }

    async fn deliver(&mut self, operation: Operation, outcome: Outcome) -> Result<(), End> {
        let Outcome { message, codes, is_last, permit } = outcome;
        self.count(&codes);
        self.unwritten = permit;
        self.write(Some(Message::text(message?))).await?;
        self.unwritten = None;
        if is_last {
            self.operations.end(&operation.id);
        } else {
            self.operations.resume(operation);
        }
        Ok(())
    }

    /// The message in a frame, if there is one.
    async fn read(&mut self, frame: Option<tungstenite::Result<Message>>) -> Result<Option<Received>, End> {
        match frame {
            Some(Ok(Message::Text(text))) => {
                let bytes = text.len();
                if !is_long(bytes) {
                    return Ok(Some(Received { message: ClientMessage::read(&text)?, bytes, permit: None }));
                }
                let permit = self.operations.memory().acquire(PARSED * bytes).ok_or(End::Exhausted)?;
                let cpu = self.operations.cpu();
                let read = cpu.run(move || ClientMessage::read(&text));
                let message = while_operations_run(&mut self.operations, read).await?;
                Ok(Some(Received { message, bytes, permit: Some(permit) }))
            }
            Some(Ok(Message::Binary(_))) => Err(End::BadRequest("binary".into())),
            // The library has queued the pong. It is written now, so that pongs do not accumulate.
            Some(Ok(Message::Ping(_))) => self.write(None).await.map(|()| None),
            Some(Ok(Message::Pong(_) | Message::Frame(_))) => Ok(None),
            Some(Ok(Message::Close(_))) | None => Err(End::Gone),
            Some(Err(error)) => Err(broken(&error)),
        }
    }

    async fn send(&mut self, message: ServerMessage<'_>) -> Result<(), End> {
        self.count(&message.codes());
        self.write(Some(Message::text(message.text()?))).await
    }

    fn count(&self, codes: &[&'static str]) {
        for code in codes {
            self.metrics.error(code);
        }
    }

    /// Writes a message after those that are queued. Meanwhile nothing is read, so requests cannot accumulate; the
    /// operations continue to their next results.
    async fn write(&mut self, message: Option<Message>) -> Result<(), End> {
        let Self { socket, operations, timeouts, .. } = self;
        let written = async {
            match message {
                Some(message) => socket.send(message).await,
                None => socket.flush().await,
            }
        };
        match while_operations_run(operations, timeout(timeouts.write, written)).await {
            Ok(written) => written.map_err(|_| End::Gone),
            Err(_) => Err(End::TooSlow),
        }
    }

    /// Ends the operations, sends the close frame, and reads to the end: closing a socket with unread data would make the
    /// system discard what the client has not received yet.
    async fn close(mut self, end: End) {
        drop(self.operations);
        let time = if matches!(end, End::TooSlow) { self.timeouts.write } else { self.timeouts.close };
        let unreadable =
            matches!(end, End::TooBig | End::NotText | End::NotWebSocket) || self.socket.get_ref().has_failed();
        let frame = end.frame();
        // Without the reason, which can quote the client.
        tracing::debug!(code = frame.as_ref().map(|frame| u16::from(frame.code)), "closing a WebSocket");
        let closing = async {
            if let Some(frame) = frame {
                self.socket.send(Message::Close(Some(frame))).await?;
            }
            if unreadable {
                self.socket.flush().await?;
                pending::<()>().await;
            }
            while self.socket.next().await.transpose()?.is_some() {}
            Ok::<_, tungstenite::Error>(())
        };
        // A failure changes nothing: the connection ends.
        let _ = timeout(time, closing).await;
    }
}

/// Returns when the token expires.
async fn expired(until: Option<Instant>) {
    match until {
        Some(until) => sleep_until(until).await,
        None => pending().await,
    }
}

/// Waits for something while the operations continue to their next results: one of them can hold what is waited for.
async fn while_operations_run<T>(operations: &mut Operations, work: impl Future<Output = T>) -> T {
    tokio::select! {
        done = work => done,
        never = operations.collect() => match never {},
    }
}

/// Why a frame cannot be read.
fn broken(error: &tungstenite::Error) -> End {
    match error {
        Capacity(_) => End::TooBig,
        Utf8(_) => End::NotText,
        Protocol(ProtocolError::ResetWithoutClosingHandshake) => End::Gone,
        Protocol(_) => End::NotWebSocket,
        Io(error) => match error.get_ref().and_then(|error| error.downcast_ref()) {
            Some(Unfinished::Exhausted) => End::Exhausted,
            Some(Unfinished::Late) => End::Late,
            None => End::Gone,
        },
        _ => End::Gone,
    }
}
