//! The operations of a connection: in each the results are in order, and the operations take turns.

use std::collections::{HashMap, VecDeque};
use std::convert::Infallible;
use std::future;
use std::pin::Pin;

use async_graphql::{Response, ServerError};
use futures_util::future::BoxFuture;
use futures_util::stream::{AbortHandle, Abortable, BoxStream, FuturesUnordered, Peekable};
use futures_util::{FutureExt, StreamExt};

/// The operations of a connection.
#[derive(Default)]
pub struct Operations {
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
    responses: Peekable<Abortable<BoxStream<'static, Response>>>,
}

/// What an operation came to.
pub enum Outcome {
    /// A response, perhaps not the last.
    Next(Response),
    /// It failed, and is over.
    Error(Vec<ServerError>),
    /// It is over.
    Complete,
}

impl Operations {
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
        self.resume(Operation { id, responses: Abortable::new(responses, registration).peekable() });
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
    /// A response without data is a failure when it is the last, or when its errors stand nowhere in the request. In
    /// the midst of a subscription it is one event that could not be shown.
    async fn advance(mut self) -> (Self, Outcome) {
        let Some(response) = self.responses.next().await else {
            return (self, Outcome::Complete);
        };
        if response.data != async_graphql::Value::Null || response.errors.is_empty() {
            return (self, Outcome::Next(response));
        }
        let of_request = response.errors.iter().all(|error| error.path.is_empty());
        let ended = matches!(Pin::new(&mut self.responses).peek().now_or_never(), Some(None));
        let outcome = if of_request || ended { Outcome::Error(response.errors) } else { Outcome::Next(response) };
        (self, outcome)
    }

    fn is_aborted(&self) -> bool {
        self.responses.get_ref().is_aborted()
    }
}
