//! Operations that come by a connection that lasts, a WebSocket: the responses to each are a stream.

use std::any::TypeId;
use std::sync::Arc;
use std::time::Instant;

use async_graphql::futures_util::stream::{self, BoxStream, StreamExt};
use async_graphql::parser::types::OperationType;
use async_graphql::{BatchRequest, BatchResponse, Data, Executor, Request, Response, ServerError};
use tracing::field::Empty;
use tracing::{Instrument, Span};

use super::admission::{Admission, NotDone};
use super::api::{Api, Checked, Running, no_batches};
use super::code::Code;
use crate::telemetry::{self, UNTRACED};

/// What the operations of a connection share, in their data.
#[derive(Clone, Debug)]
pub struct Session {
    /// The id of the request that opened it.
    pub request_id: String,
    /// Where its queries and mutations take their places.
    pub admission: Admission,
}

impl Executor for Api {
    async fn execute(&self, request: Request) -> Response {
        Self::execute(self, request).await
    }

    async fn execute_batch(&self, batch: BatchRequest) -> BatchResponse {
        BatchResponse::Single(match batch {
            BatchRequest::Single(request) => Self::execute(self, request).await,
            BatchRequest::Batch(_) => Response::from_errors(vec![no_batches()]),
        })
    }

    /// The responses to a subscription, until it ends or is dropped; the one response to anything else. The session's
    /// data are those of the connection that the request came by.
    fn execute_stream(&self, request: Request, data: Option<Arc<Data>>) -> BoxStream<'static, Response> {
        let data = data.unwrap_or_default();
        let session = data.get(&TypeId::of::<Session>()).and_then(|found| found.downcast_ref::<Session>());
        let (id, admission) = session.cloned().map(|session| (session.request_id, session.admission)).unzip();
        let begun = Instant::now();
        let span = tracing::error_span!(parent: None, "operation", id, operation = Empty);
        let checked = span.in_scope(|| self.check(request, |_| Ok(())));
        let Checked { request, is_known, running } = match checked {
            Ok(checked) => checked,
            Err(errors) => {
                let response = Response::from_errors(errors);
                span.in_scope(|| answered(begun, &response));
                return stream::iter([response]).boxed();
            }
        };
        let is_subscription = running.kind == Some(OperationType::Subscription);
        let responses = self.schema(is_known).execute_stream_with_session_data(request, data);
        if is_subscription { self.each(running, id, responses) } else { self.once(running, span, admission, responses) }
    }
}

impl Api {
    /// The response to what has an end: it takes a place until then, as over HTTP, and has its line in the log.
    fn once(
        &self,
        mut running: Running,
        span: Span,
        admission: Option<Admission>,
        mut responses: BoxStream<'static, Response>,
    ) -> BoxStream<'static, Response> {
        let api = self.clone();
        let answer = async move {
            let done = match admission {
                Some(admission) => admission.run(responses.next()).await,
                None => Ok(responses.next().await),
            };
            let response = api.finish(&mut running, response(done));
            answered(running.begun, &response);
            response
        };
        stream::once(answer.instrument(span)).boxed()
    }

    /// The responses to a subscription. A trace of it would have no end.
    fn each(
        &self,
        mut running: Running,
        id: Option<String>,
        mut responses: BoxStream<'static, Response>,
    ) -> BoxStream<'static, Response> {
        let api = self.clone();
        let span = tracing::error_span!(target: UNTRACED, parent: None, "subscription", id);
        let responses = stream::poll_fn(move |context| {
            let _entered = span.enter();
            responses.poll_next_unpin(context)
        });
        responses.map(move |response| api.finish(&mut running, response)).boxed()
    }
}

/// The line in the log.
fn answered(begun: Instant, response: &Response) {
    let errors = Code::listed(response.errors.iter().filter_map(Code::of));
    tracing::info!(ms = telemetry::milliseconds(begun.elapsed()), errors, "answered");
}

fn response(done: Result<Option<Response>, NotDone>) -> Response {
    done.map_or_else(|not_done| Response::from_errors(vec![ServerError::from(not_done)]), Option::unwrap_or_default)
}
