//! Operations whose responses are a stream: over a WebSocket, or as an event stream.

use std::any::TypeId;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Instant;

use async_graphql::futures_util::stream::{self, BoxStream, Stream, StreamExt};
use async_graphql::parser::types::OperationType;
use async_graphql::{BatchRequest, BatchResponse, Data, Executor, Request, Response, ServerError};
use tracing::Instrument;
use tracing::field::Empty;

use super::admission::{Admission, Permit, Rejected};
use super::api::{Api, coded, no_batches, no_mutation};
use super::checks::Accepts;
use super::code::Code;
use super::cost::Refused;
use super::error::Error;
use super::in_turn::InTurn;
use super::memory::Memory;
use super::retained::retained;
use super::running::{Checked, Running};
use crate::telemetry::{self, UNTRACED};

/// What the operations of a connection share, in their data.
#[derive(Clone, Debug)]
pub struct Session {
    /// The id of the request that opened it.
    pub request_id: String,
    /// The permits for its queries and mutations.
    pub admission: Admission,
    /// The memory budget for its subscriptions.
    pub memory: Memory,
}

impl<E: Executor> Executor for Api<E> {
    async fn execute(&self, request: Request) -> Response {
        Self::execute(self, request).await
    }

    async fn execute_batch(&self, batch: BatchRequest) -> BatchResponse {
        BatchResponse::Single(match batch {
            BatchRequest::Single(request) => Self::execute(self, request).await,
            BatchRequest::Batch(_) => Response::from_errors(vec![no_batches()]),
        })
    }

    /// The responses to a subscription, until it ends or is dropped; the one response to any other operation. The data
    /// are those of the connection.
    fn execute_stream(&self, request: Request, data: Option<Arc<Data>>) -> BoxStream<'static, Response> {
        self.stream(request, data.unwrap_or_default(), |_| Ok(()))
    }
}

/// The same responses; in place of a panic, the error that reports it.
pub fn caught(responses: impl Stream<Item = Response>) -> impl Stream<Item = Response> {
    AssertUnwindSafe(responses).catch_unwind().map(|response| {
        response.unwrap_or_else(|panic| Response::from_errors(vec![Error::panicked(&*panic).of_request()]))
    })
}

/// What an operation has led to.
enum Begun {
    /// A query or a mutation has its response.
    Done(Box<Response>),
    /// A subscription waits for events.
    Subscribed(BoxStream<'static, Response>),
}

impl<E: Executor> Api<E> {
    /// The responses to a request that asked for an event stream by GET. A mutation is refused.
    pub fn stream_by_get(&self, request: Request, data: Arc<Data>) -> BoxStream<'static, Response> {
        self.stream(request, data, no_mutation)
    }

    fn stream(&self, request: Request, data: Arc<Data>, accepts: Accepts) -> BoxStream<'static, Response> {
        let api = self.clone();
        // On the heap: a subscription would keep the room for its beginning until it ends.
        stream::once(Box::pin(async move { api.begin(request, data, accepts).await })).flatten().boxed()
    }

    /// Checks and executes an operation under one permit, in one turn and within one time limit, as over HTTP. A
    /// subscription gives its permit back when it has begun.
    async fn begin(self, request: Request, data: Arc<Data>, accepts: Accepts) -> BoxStream<'static, Response> {
        let begun = Instant::now();
        let session = Session::of(&data).cloned();
        let id = session.as_ref().map(|session| session.request_id.as_str());
        let span = tracing::error_span!(parent: None, "operation", id, operation = Empty);
        let operation = async {
            let done = match &session {
                Some(Session { admission, .. }) => {
                    let run = async |permit| self.run_operation(request, &data, Some(permit), accepts).await;
                    admission.run(run).await.unwrap_or_else(|rejected| Err(rejected.into()))
                }
                None => self.run_operation(request, &data, None, accepts).await,
            };
            let response = match done {
                Ok(Begun::Subscribed(responses)) => return responses,
                Ok(Begun::Done(response)) => *response,
                Err(refused) => refused.into(),
            };
            let errors = Code::listed(response.errors.iter().filter_map(Code::of));
            tracing::info!(ms = telemetry::milliseconds(begun.elapsed()), errors, "answered");
            stream::iter([response]).boxed()
        };
        operation.instrument(span).await
    }

    async fn run_operation(
        &self,
        request: Request,
        data: &Arc<Data>,
        permit: Option<Permit>,
        accepts: Accepts,
    ) -> Result<Begun, Refused> {
        let checked = self.checks().pass(request, Some(Arc::clone(data)), accepts).await?;
        if checked.running.kind == OperationType::Subscription {
            return self.subscribe(checked, data).map(Begun::Subscribed);
        }
        let Checked { request, running } = checked;
        self.checks().charge(permit.as_ref().and_then(Permit::client), &running)?;
        let _turn = match &permit {
            Some(permit) => permit.turn(running.price).await,
            None => None,
        };
        let request = if let Some(permit) = permit { request.data(permit) } else { request };
        let response = self.run(&running, request, Some(Arc::clone(data))).await;
        Ok(Begun::Done(Box::new(self.finish(running, response))))
    }

    /// The responses to a subscription. It has no trace, which would have no end. What it keeps counts against the memory
    /// budget of its client, which pays for its beginning and for each event.
    fn subscribe(
        &self,
        Checked { request, running }: Checked,
        data: &Arc<Data>,
    ) -> Result<BoxStream<'static, Response>, Refused> {
        let session = Session::of(data);
        let bytes = retained(&running.document, &request.variables);
        let memory = session.map(|session| session.memory.acquire_for_subscription(bytes)).transpose()?;
        let client = session.and_then(|session| session.admission.client());
        self.checks().charge(client, &running)?;
        let pace = self.checks().pace(client, &running);
        let Running { price, document, new, mut cost, .. } = running;
        if let Some(hash) = new {
            self.checks().keep(hash, document);
        }
        let reader = self.primary();
        let request = request.data(match session {
            Some(Session { admission, .. }) => {
                reader.over(InTurn { reader: reader.clone(), admission: admission.clone(), cost: price })
            }
            None => reader,
        });
        let request = request.data(pace);
        let id = session.map(|session| session.request_id.as_str());
        let span = tracing::error_span!(target: UNTRACED, parent: None, "subscription", id);
        let mut responses = self.schema().execute_stream(request, Some(Arc::clone(data)));
        let responses = stream::poll_fn(move |context| {
            let (_entered, _memory) = (span.enter(), &memory);
            responses.poll_next_unpin(context)
        });
        let api = self.clone();
        let finished = responses.then(move |response| {
            let (api, cost) = (api.clone(), cost.take());
            async move {
                let mut response = coded(response);
                api.add_position(&mut response).await;
                if let Some(cost) = cost {
                    cost.add_to(&mut response);
                }
                response
            }
        });
        Ok(finished.boxed())
    }
}

impl Session {
    /// The session in these data.
    pub fn of(data: &Data) -> Option<&Self> {
        data.get(&TypeId::of::<Self>()).and_then(|found| found.downcast_ref())
    }
}

impl From<Rejected> for Refused {
    fn from(rejected: Rejected) -> Self {
        vec![ServerError::from(rejected)].into()
    }
}
