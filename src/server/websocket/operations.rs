//! The operations of a connection: in each the results are in order, and the operations take turns.

use std::collections::{HashMap, VecDeque};
use std::convert::Infallible;
use std::future;
use std::panic::AssertUnwindSafe;
use std::pin::Pin;

use async_graphql::{Response, Value};
use futures_util::future::BoxFuture;
use futures_util::stream::{AbortHandle, Abortable, BoxStream, FuturesUnordered, Peekable};
use futures_util::{FutureExt, StreamExt};

use super::message::{End, ServerMessage};
use crate::graphql::{Code, Error};
use crate::server::buffers::{Buffers, Room, no_room_for_answer};

/// The operations of a connection.
pub struct Operations {
    buffers: Buffers,
    by_id: HashMap<String, Begun>,
    /// Each is on its way to its next result.
    running: FuturesUnordered<BoxFuture<'static, (Operation, Outcome)>>,
    /// Each has a result, and goes on when that is written.
    waiting: VecDeque<(Operation, Outcome)>,
}

/// What an operation is ended by, and how many bytes began it.
struct Begun {
    handle: AbortHandle,
    bytes: usize,
}

/// One operation.
pub struct Operation {
    pub id: String,
    buffers: Buffers,
    responses: Peekable<Abortable<BoxStream<'static, Response>>>,
}

/// What an operation came to.
pub struct Outcome {
    /// The message that says it, or why there is none.
    pub message: Result<String, End>,
    /// The errors in it.
    pub codes: Vec<Code>,
    /// Whether it is over.
    pub is_last: bool,
    /// What the message takes.
    pub room: Option<Room>,
}

impl Operations {
    /// None yet, whose messages take their room here.
    pub fn within(buffers: Buffers) -> Self {
        Self { buffers, by_id: HashMap::new(), running: FuturesUnordered::new(), waiting: VecDeque::new() }
    }

    pub fn contains(&self, id: &str) -> bool {
        self.by_id.contains_key(id)
    }

    pub fn len(&self) -> usize {
        self.by_id.len()
    }

    /// The bytes that began them.
    pub fn bytes(&self) -> usize {
        self.by_id.values().map(|begun| begun.bytes).sum()
    }

    /// Begins an operation under an id that is free.
    pub fn start(&mut self, id: String, bytes: usize, responses: BoxStream<'static, Response>) {
        let (handle, registration) = AbortHandle::new_pair();
        self.by_id.insert(id.clone(), Begun { handle, bytes });
        // One that panics is over, and the others are not.
        let responses = AssertUnwindSafe(responses).catch_unwind();
        let responses = responses.map(|response| {
            response.unwrap_or_else(|panic| Response::from_errors(vec![Error::panicked(&*panic).of_request()]))
        });
        let responses = Abortable::new(responses.boxed(), registration).peekable();
        self.resume(Operation { id, buffers: self.buffers.clone(), responses });
    }

    /// Ends an operation, if there is one. No more is heard of it, and its id is free.
    pub fn end(&mut self, id: &str) {
        if let Some(begun) = self.by_id.remove(id) {
            begun.handle.abort();
            self.waiting.retain(|(operation, _)| !operation.is_aborted());
        }
    }

    /// Lets an operation go on, whose result is written.
    pub fn resume(&mut self, operation: Operation) {
        self.running.push(operation.advance().boxed());
    }

    /// The next result. Its operation stands still until it is [resumed](Self::resume).
    pub async fn next(&mut self) -> (Operation, Outcome) {
        loop {
            if let Some(result) = self.waiting.pop_front() {
                return result;
            }
            self.collect_one().await;
        }
    }

    /// Lets every operation come to its next result.
    pub async fn collect(&mut self) -> Infallible {
        loop {
            self.collect_one().await;
        }
    }

    async fn collect_one(&mut self) {
        match self.running.next().await {
            // It ended because it was told to, and its id may be another's by now.
            Some((operation, _)) if operation.is_aborted() => {}
            Some(result) => self.waiting.push_back(result),
            None => future::pending().await,
        }
    }
}

impl Operation {
    async fn advance(mut self) -> (Self, Outcome) {
        let Some(response) = self.responses.next().await else {
            let outcome = self.outcome(&ServerMessage::Complete { id: &self.id });
            return (self, outcome);
        };
        let is_failure = self.is_failure(&response);
        let id = &self.id;
        let outcome = self.outcome(&if is_failure {
            ServerMessage::Error { id, payload: &response.errors }
        } else {
            ServerMessage::Next { id, payload: &response }
        });
        (self, outcome)
    }

    /// A response without data is a failure when it is the last, or when its errors stand nowhere in the request. In
    /// the midst of a subscription it is one event that could not be shown.
    fn is_failure(&mut self, response: &Response) -> bool {
        if response.data != Value::Null || response.errors.is_empty() {
            return false;
        }
        let of_request = response.errors.iter().all(|error| error.path.is_empty());
        of_request || matches!(Pin::new(&mut self.responses).peek().now_or_never(), Some(None))
    }

    /// What is said, if there is room for it.
    fn outcome(&self, message: &ServerMessage<'_>) -> Outcome {
        let outcome = Outcome::of(message);
        let Ok(text) = &outcome.message else { return outcome };
        match self.buffers.take_for_answer(text.len()) {
            Some(room) => Outcome { room: Some(room), ..outcome },
            None => Outcome::of(&ServerMessage::Error { id: &self.id, payload: &[no_room_for_answer()] }),
        }
    }

    fn is_aborted(&self) -> bool {
        self.responses.get_ref().is_aborted()
    }
}

impl Outcome {
    fn of(message: &ServerMessage<'_>) -> Self {
        Self {
            message: message.text(),
            codes: message.codes(),
            is_last: !matches!(message, ServerMessage::Next { .. }),
            room: None,
        }
    }
}
