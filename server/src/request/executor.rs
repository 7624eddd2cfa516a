//! Operations whose responses are a stream: over a WebSocket, or as an event stream.

use std::future::pending;
use std::panic::AssertUnwindSafe;
use std::time::Instant;

use async_graphql::futures_util::FutureExt;
use async_graphql::futures_util::future::BoxFuture;
use async_graphql::futures_util::stream::{self, BoxStream, Stream, StreamExt};
use async_graphql::parser::types::OperationType;
use async_graphql::{Executor, Response, ServerError};
use bookends_graphql::json;
use tokio::time::sleep_until;
use tracing::Instrument;
use tracing::field::Empty;

use super::admission::{Permit, Rejected};
use super::checked_schema::{CheckedSchema, coded, no_mutation};
use super::checks::Accepts;
use super::code::{code_of, listed};
use super::context::{Incoming, Session};
use super::cost_report::Refused;
use super::error::{Error, schema_replaced, token_expired};
use super::in_turn::InTurn;
use super::retained::retained;
use super::running::Running;
use crate::claims::Claims;
use crate::telemetry::{self, UNTRACED};

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

impl<E: Executor> CheckedSchema<E> {
    /// The responses to an operation, which can be of any kind.
    pub fn stream(&self, incoming: Incoming) -> BoxStream<'static, Response> {
        self.stream_accepted(incoming, |_| Ok(()))
    }

    /// The responses to a request that asked for an event stream by GET. A mutation is refused.
    pub fn stream_by_get(&self, incoming: Incoming) -> BoxStream<'static, Response> {
        self.stream_accepted(incoming, no_mutation)
    }

    fn stream_accepted(&self, incoming: Incoming, accepts: Accepts) -> BoxStream<'static, Response> {
        let schema = self.clone();
        // On the heap: a subscription would keep the room for its beginning until it ends.
        stream::once(Box::pin(async move { schema.begin(incoming, accepts).await })).flatten().boxed()
    }

    /// Checks and executes an operation under one permit, in one turn and within one time limit, as over HTTP. A
    /// subscription gives its permit back when it has begun.
    async fn begin(self, incoming: Incoming, accepts: Accepts) -> BoxStream<'static, Response> {
        let begun = Instant::now();
        let session = incoming.context.session.clone();
        let id = session.as_ref().map(|session| session.request_id.as_str());
        let span = tracing::error_span!(parent: None, "operation", id, operation = Empty);
        let operation = async {
            let done = match &session {
                Some(Session { admission, .. }) => {
                    let run = async |permit| self.run_operation(incoming, Some(permit), accepts).await;
                    admission.run(run).await.unwrap_or_else(|rejected| Err(rejected.into()))
                }
                None => self.run_operation(incoming, None, accepts).await,
            };
            let response = match done {
                Ok(Begun::Subscribed(responses)) => return responses,
                Ok(Begun::Done(response)) => *response,
                Err(refused) => refused.into(),
            };
            let errors = listed(response.errors.iter().filter_map(code_of));
            tracing::info!(ms = telemetry::milliseconds(begun.elapsed()), errors, "answered");
            stream::iter([response]).boxed()
        };
        operation.instrument(span).await
    }

    async fn run_operation(
        &self,
        incoming: Incoming,
        permit: Option<Permit>,
        accepts: Accepts,
    ) -> Result<Begun, Refused> {
        let mut running = self.checks().pass(incoming, accepts).await?;
        if running.kind == OperationType::Subscription {
            return self.subscribe(running).map(Begun::Subscribed);
        }
        running.context.permit = permit;
        Ok(Begun::Done(Box::new(self.in_turn(running).await?)))
    }

    /// The responses to a subscription. It has no trace, which would have no end. What it keeps counts against the memory
    /// budget of its client, which pays for its beginning and for each event.
    fn subscribe(&self, mut running: Running) -> Result<BoxStream<'static, Response>, Refused> {
        let session = running.context.session.as_ref();
        let bytes = retained(&running.document, &running.variables);
        let memory = session.map(|session| session.memory.acquire_for_subscription(bytes)).transpose()?;
        self.checks().charge(&running)?;
        let reader = self.primary(running.context.role.as_ref());
        let reader = match session {
            Some(Session { admission, .. }) => {
                reader.over(InTurn { reader: reader.clone(), admission: admission.clone(), cost: running.cost })
            }
            None => reader,
        };
        let id = session.map(|session| session.request_id.as_str());
        let span = tracing::error_span!(target: UNTRACED, parent: None, "subscription", id);
        running.context.pace = self.checks().pace(&running);
        let request = running.request(running.document(), reader);
        let Running { document, context, new, mut report, .. } = running;
        if let Some(hash) = new {
            self.checks().keep(hash, document);
        }
        let mut responses = self.schema().execute_stream(request, context.data);
        let responses = stream::poll_fn(move |context| {
            let (_entered, _memory) = (span.enter(), &memory);
            responses.poll_next_unpin(context)
        });
        let expires = context.claims.as_ref().and_then(Claims::end);
        let responses = until(responses, ended(expires, self.until_replaced()));
        let (schema, is_written) = (self.clone(), context.is_written);
        let finished = responses.then(move |response| {
            let (schema, report) = (schema.clone(), report.take());
            async move {
                let mut response = coded(response);
                schema.add_position(&mut response).await;
                if let Some(report) = report {
                    report.add_to(&mut response);
                }
                if !is_written {
                    json::parse(&mut response.data);
                }
                response
            }
        });
        Ok(finished.boxed())
    }
}

/// The same responses until there is an error that ends them.
fn until(
    responses: impl Stream<Item = Response> + Send + 'static,
    error: impl Future<Output = ServerError> + Send + 'static,
) -> BoxStream<'static, Response> {
    let next = |state: Option<(BoxStream<'static, Response>, BoxFuture<'static, ServerError>)>| async move {
        let (mut responses, mut error) = state?;
        tokio::select! {
            biased;
            error = &mut error => Some((Response::from_errors(vec![error]), None)),
            response = responses.next() => Some((response?, Some((responses, error)))),
        }
    };
    stream::unfold(Some((responses.boxed(), error.boxed())), next).boxed()
}

/// The error of a subscription whose token expires, or whose schema is replaced.
async fn ended(expires: Option<tokio::time::Instant>, replaced: impl Future<Output = ()>) -> ServerError {
    let at_end = async {
        match expires {
            Some(expires) => sleep_until(expires).await,
            None => pending().await,
        }
    };
    tokio::select! {
        biased;
        () = at_end => token_expired(),
        () = replaced => schema_replaced(),
    }
}

impl From<Rejected> for Refused {
    fn from(rejected: Rejected) -> Self {
        vec![ServerError::from(rejected)].into()
    }
}
