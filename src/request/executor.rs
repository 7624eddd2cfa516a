//! Operations over a WebSocket: the responses to each are a stream.

use std::any::TypeId;
use std::sync::Arc;
use std::time::Instant;

use async_graphql::futures_util::stream::{self, BoxStream, StreamExt};
use async_graphql::parser::types::OperationType;
use async_graphql::{BatchRequest, BatchResponse, Data, Executor, Request, Response, ServerError};
use tracing::field::Empty;
use tracing::{Instrument, Span};

use super::admission::Admission;
use super::api::{Api, no_batches};
use super::code::Code;
use super::running::Checked;
use crate::telemetry::{self, UNTRACED};

/// What the operations of a connection share, in their data.
#[derive(Clone, Debug)]
pub struct Session {
    /// The id of the request that opened it.
    pub request_id: String,
    /// The permits for its queries and mutations.
    pub admission: Admission,
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
        let data = data.unwrap_or_default();
        let session = data.get(&TypeId::of::<Session>()).and_then(|found| found.downcast_ref::<Session>());
        let (id, admission) = session.cloned().map(|session| (session.request_id, session.admission)).unzip();
        let begun = Instant::now();
        let span = tracing::error_span!(parent: None, "operation", id, operation = Empty);
        let checked = span.in_scope(|| self.check(request, Some(&data), |_| Ok(())));
        match checked {
            Ok(checked) if checked.running.kind == Some(OperationType::Subscription) => self.each(checked, id, data),
            Ok(checked) => self.once(checked, span, admission, data),
            Err(refused) => {
                let response = Response::from(refused);
                span.in_scope(|| log_response(begun, &response));
                stream::iter([response]).boxed()
            }
        }
    }
}

impl<E: Executor> Api<E> {
    /// The response to a query or a mutation, which has a permit and a log line as over HTTP.
    fn once(
        &self,
        checked: Checked,
        span: Span,
        admission: Option<Admission>,
        data: Arc<Data>,
    ) -> BoxStream<'static, Response> {
        let api = self.clone();
        let respond = async move {
            let Checked { request, mut running } = checked;
            let run = async |request| api.run(&running, request, Some(data)).await;
            let done = match admission {
                Some(admission) => admission.run(|permit| run(request.data(permit))).await,
                None => Ok(run(request).await),
            };
            let response = done.unwrap_or_else(|rejected| Response::from_errors(vec![ServerError::from(rejected)]));
            let response = api.finish(&mut running, response);
            log_response(running.begun, &response);
            response
        };
        stream::once(respond.instrument(span)).boxed()
    }

    /// The responses to a subscription. It has no trace, which would have no end.
    fn each(&self, checked: Checked, id: Option<String>, data: Arc<Data>) -> BoxStream<'static, Response> {
        let Checked { request, mut running } = checked;
        let mut responses = self.schema().execute_stream(request, Some(data));
        let api = self.clone();
        let span = tracing::error_span!(target: UNTRACED, parent: None, "subscription", id);
        let responses = stream::poll_fn(move |context| {
            let _entered = span.enter();
            responses.poll_next_unpin(context)
        });
        responses.map(move |response| api.finish(&mut running, response)).boxed()
    }
}

fn log_response(begun: Instant, response: &Response) {
    let errors = Code::listed(response.errors.iter().filter_map(Code::of));
    tracing::info!(ms = telemetry::milliseconds(begun.elapsed()), errors, "answered");
}
