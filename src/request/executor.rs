//! Operations over a WebSocket: the responses to each are a stream.

use std::any::TypeId;
use std::sync::Arc;
use std::time::Instant;

use async_graphql::futures_util::stream::{self, BoxStream, StreamExt};
use async_graphql::parser::types::OperationType;
use async_graphql::{BatchRequest, BatchResponse, Data, Executor, Request, Response, ServerError};
use tracing::field::Empty;
use tracing::{Instrument, Span};

use super::admission::{Admission, Rejected};
use super::api::{Api, coded, no_batches};
use super::code::Code;
use super::cost::Refused;
use super::error::refusal;
use super::memory::{BUDGET_EXCEEDED, Memory};
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
        let (api, data) = (self.clone(), data.unwrap_or_default());
        stream::once(async move { api.begin(request, data).await }).flatten().boxed()
    }
}

impl<E: Executor> Api<E> {
    /// Checks an operation in turn, and begins it.
    async fn begin(self, request: Request, data: Arc<Data>) -> BoxStream<'static, Response> {
        let begun = Instant::now();
        let session = Session::of(&data).cloned();
        let id = session.as_ref().map(|session| session.request_id.as_str());
        let span = tracing::error_span!(parent: None, "operation", id, operation = Empty);
        let check = self.checks().pass(request, Some(Arc::clone(&data)), |_| Ok(())).instrument(span.clone());
        let checked = match &session {
            Some(session) => session.admission.in_turn(check).await.unwrap_or_else(|late| Err(late.into())),
            None => check.await,
        };
        let begun_or_refused = checked.and_then(|checked| {
            if checked.running.kind == Some(OperationType::Subscription) {
                self.each(checked, session.as_ref(), Arc::clone(&data))
            } else {
                Ok(self.once(checked, span.clone(), session, Arc::clone(&data)))
            }
        });
        begun_or_refused.unwrap_or_else(|refused| {
            let response = Response::from(refused);
            span.in_scope(|| log_response(begun, &response));
            stream::iter([response]).boxed()
        })
    }

    /// The response to a query or a mutation, which has a permit and a log line as over HTTP.
    fn once(
        &self,
        checked: Checked,
        span: Span,
        session: Option<Session>,
        data: Arc<Data>,
    ) -> BoxStream<'static, Response> {
        let api = self.clone();
        let respond = async move {
            let Checked { request, running } = checked;
            let run = async |request| api.run(&running, request, Some(data)).await;
            let done = match session {
                Some(Session { admission, .. }) => admission.run(|permit| run(request.data(permit))).await,
                None => Ok(run(request).await),
            };
            let response = done.unwrap_or_else(|rejected| Response::from_errors(vec![ServerError::from(rejected)]));
            let begun = running.begun;
            let response = api.finish(running, response);
            log_response(begun, &response);
            response
        };
        stream::once(respond.instrument(span)).boxed()
    }

    /// The responses to a subscription. It has no trace, which would have no end. What it keeps counts against the memory
    /// budget of its client.
    fn each(
        &self,
        Checked { request, running }: Checked,
        session: Option<&Session>,
        data: Arc<Data>,
    ) -> Result<BoxStream<'static, Response>, Refused> {
        let bytes = retained(&running.document, &request.variables);
        let memory = session.map(|session| session.memory.acquire(bytes).ok_or_else(budget_exceeded)).transpose()?;
        // Of its document, it keeps only what it executes.
        let Running { document, new, mut cost, .. } = running;
        if let Some(hash) = new {
            self.checks().keep(hash, document);
        }
        let id = session.map(|session| session.request_id.as_str());
        let span = tracing::error_span!(target: UNTRACED, parent: None, "subscription", id);
        let mut responses = self.schema().execute_stream(request, Some(data));
        let responses = stream::poll_fn(move |context| {
            let (_entered, _memory) = (span.enter(), &memory);
            responses.poll_next_unpin(context)
        });
        let finished = responses.map(move |response| {
            let mut response = coded(response);
            if let Some(cost) = cost.take() {
                cost.add_to(&mut response);
            }
            response
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

fn budget_exceeded() -> Refused {
    vec![refusal(Code::Overloaded, BUDGET_EXCEEDED)].into()
}

impl From<Rejected> for Refused {
    fn from(rejected: Rejected) -> Self {
        vec![ServerError::from(rejected)].into()
    }
}

fn log_response(begun: Instant, response: &Response) {
    let errors = Code::listed(response.errors.iter().filter_map(Code::of));
    tracing::info!(ms = telemetry::milliseconds(begun.elapsed()), errors, "answered");
}
