//! The operations of a connection. The results of one operation are in order; the operations alternate.

use std::collections::{HashMap, VecDeque};
use std::convert::Infallible;
use std::future;
use std::pin::Pin;

use async_graphql::{Response, Value};
use futures_util::future::BoxFuture;
use futures_util::stream::{AbortHandle, Abortable, BoxStream, FuturesUnordered, Peekable};
use futures_util::{FutureExt, Stream, StreamExt};

use super::message::{End, ServerMessage};
use crate::http::buffers::{RESPONSE_DROPPED, acquire_for_response};
use crate::request::{Code, Cpu, Incoming, Memory, MemoryPermit, caught, refusal};

/// The maximum number of concurrent operations on one connection.
pub const MAX_OPERATIONS: usize = 100;

/// Executes the operations of a connection: a function from a request to its responses.
pub trait Execute: Fn(Incoming) -> BoxStream<'static, Response> + Clone + Send + Sync + 'static {}

impl<E: Fn(Incoming) -> BoxStream<'static, Response> + Clone + Send + Sync + 'static> Execute for E {}

/// The operations of a connection.
pub struct Operations {
    memory: Memory,
    cpu: Cpu,
    by_id: HashMap<String, Entry>,
    /// Operations that compute their next result.
    running: FuturesUnordered<BoxFuture<'static, (Operation, Outcome)>>,
    /// Operations whose result waits to be written.
    waiting: VecDeque<(Operation, Outcome)>,
}

/// The handle that ends an operation, and the size of its `subscribe` message.
struct Entry {
    handle: AbortHandle,
    bytes: usize,
}

/// One operation.
pub struct Operation {
    pub id: String,
    memory: Memory,
    /// The permit of its `subscribe` message, if that is long.
    _message: Option<MemoryPermit>,
    responses: Peekable<Abortable<BoxStream<'static, Response>>>,
}

/// The next result of an operation.
pub struct Outcome {
    /// The message, or why there is none.
    pub message: Result<String, End>,
    /// The codes of the errors in it.
    pub codes: Vec<&'static str>,
    /// Whether the operation has ended.
    pub is_last: bool,
    /// The permit of the message.
    pub permit: Option<MemoryPermit>,
}

impl Operations {
    /// No operations yet; their messages use these shares of the client.
    pub fn new(memory: Memory, cpu: Cpu) -> Self {
        Self { memory, cpu, by_id: HashMap::new(), running: FuturesUnordered::new(), waiting: VecDeque::new() }
    }

    /// The memory budget of the client.
    pub fn memory(&self) -> &Memory {
        &self.memory
    }

    /// Its share of threads for long messages.
    pub fn cpu(&self) -> Cpu {
        self.cpu.clone()
    }

    pub fn contains(&self, id: &str) -> bool {
        self.by_id.contains_key(id)
    }

    pub fn len(&self) -> usize {
        self.by_id.len()
    }

    /// The size of all `subscribe` messages.
    pub fn bytes(&self) -> usize {
        self.by_id.values().map(|entry| entry.bytes).sum()
    }

    /// Starts an operation under a free id, whose message has a size and perhaps a permit.
    pub fn start(
        &mut self,
        id: String,
        bytes: usize,
        message: Option<MemoryPermit>,
        responses: impl Stream<Item = Response> + Send + 'static,
    ) {
        let (handle, registration) = AbortHandle::new_pair();
        self.by_id.insert(id.clone(), Entry { handle, bytes });
        // A panic ends one operation, not the connection.
        let responses = Abortable::new(caught(responses).boxed(), registration).peekable();
        self.resume(Operation { id, memory: self.memory.clone(), _message: message, responses });
    }

    /// Ends an operation, if it exists. It sends nothing more, and its id is free.
    pub fn end(&mut self, id: &str) {
        if let Some(entry) = self.by_id.remove(id) {
            entry.handle.abort();
            self.waiting.retain(|(operation, _)| !operation.is_aborted());
        }
    }

    /// Continues an operation whose result was written.
    pub fn resume(&mut self, operation: Operation) {
        self.running.push(operation.advance().boxed());
    }

    /// The next result. Its operation pauses until it is [resumed](Self::resume).
    pub async fn next(&mut self) -> (Operation, Outcome) {
        loop {
            if let Some(result) = self.waiting.pop_front() {
                return result;
            }
            self.collect_one().await;
        }
    }

    /// Runs every operation to its next result.
    pub async fn collect(&mut self) -> Infallible {
        loop {
            self.collect_one().await;
        }
    }

    async fn collect_one(&mut self) {
        match self.running.next().await {
            // It was ended, and its id may already be reused.
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

    /// Whether a response ends the operation with `error`. A response without data does so if it is the last, or if none
    /// of its errors has a path. Otherwise it is one event of a subscription that failed.
    fn is_failure(&mut self, response: &Response) -> bool {
        if response.data != Value::Null || response.errors.is_empty() {
            return false;
        }
        let is_of_request = response.errors.iter().all(|error| error.path.is_empty());
        is_of_request || matches!(Pin::new(&mut self.responses).peek().now_or_never(), Some(None))
    }

    /// The message with its permit, or an error if it exceeds the memory budget.
    fn outcome(&self, message: &ServerMessage<'_>) -> Outcome {
        let outcome = Outcome::of(message);
        let Ok(text) = &outcome.message else { return outcome };
        match acquire_for_response(&self.memory, text.len()) {
            Some(permit) => Outcome { permit: Some(permit), ..outcome },
            None => Outcome::of(&ServerMessage::Error {
                id: &self.id,
                payload: &[refusal(Code::AnswerDropped, RESPONSE_DROPPED)],
            }),
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
            permit: None,
        }
    }
}
