//! The API: a request in, a response out, in which every error has a code; and of a subscription, many responses.

use std::sync::Arc;

use async_graphql::futures_util::stream::{self, BoxStream, StreamExt};
use async_graphql::parser::types::OperationType;
use async_graphql::{BatchRequest, BatchResponse, Data, Executor, Request, Response, ServerError, ValidationMode};

use super::coercion::InputTypes;
use super::documents::{Document, Documents, Hash};
use super::error::{Code, Error};
use super::{Schema, builder, limits, nesting, operation, sdl};
use crate::config::Limits;
use crate::db::Db;
use crate::events::Events;

/// The schema over a database, ready to execute. Cheap to clone.
#[derive(Clone)]
pub struct Api {
    schema: Schema,
    /// The same, for documents that are known to be valid.
    unvalidated: Schema,
    limits: Limits,
    events: Events,
    types: Arc<InputTypes>,
    documents: Documents,
}

/// A request that nothing is to be said against before its execution.
struct Checked {
    request: Request,
    /// What to keep where it proves to be valid; none where it is known to be.
    new: Option<(Hash, Document)>,
    is_known: bool,
}

impl Api {
    /// The API over a database, within these limits.
    pub fn new(db: Db, limits: Limits) -> Self {
        let events = Events::new(&db);
        let schema = |mode| {
            let schema = builder().data(db.clone()).data(limits).data(events.clone());
            schema.validation_mode(mode).finish()
        };
        Self {
            schema: schema(ValidationMode::Strict),
            unvalidated: schema(ValidationMode::Fast),
            limits,
            types: Arc::new(InputTypes::of(&sdl())),
            documents: Documents::default(),
            events,
        }
    }

    /// What is added to the database, for those who write and those who watch.
    pub fn events(&self) -> &Events {
        &self.events
    }

    /// Answers a query or a mutation. Whatever is wrong with it is said in the response.
    pub async fn execute(&self, request: impl Into<Request>) -> Response {
        let checked = self.check(request.into(), |kind| match kind {
            OperationType::Subscription => Err(over_websocket()),
            OperationType::Query | OperationType::Mutation => Ok(()),
        });
        self.answer(checked).await
    }

    /// Answers what only reads.
    pub async fn query(&self, request: impl Into<Request>) -> Response {
        let checked = self.check(request.into(), |kind| match kind {
            OperationType::Subscription => Err(over_websocket()),
            OperationType::Mutation => Err(by_post()),
            OperationType::Query => Ok(()),
        });
        self.answer(checked).await
    }

    async fn answer(&self, checked: Result<Checked, Vec<ServerError>>) -> Response {
        let Checked { request, new, is_known } = match checked {
            Ok(checked) => checked,
            Err(errors) => return Response::from_errors(errors),
        };
        let response = coded(self.schema(is_known).execute(request).await);
        self.keep(new, &response);
        response
    }

    /// The schema for a document: one that is known to be valid is not validated again.
    fn schema(&self, is_known: bool) -> &Schema {
        if is_known { &self.unvalidated } else { &self.schema }
    }

    /// Keeps a document that has proved to be valid.
    fn keep(&self, new: Option<(Hash, Document)>, response: &Response) {
        if let Some((hash, document)) = new.filter(|_| was_executed(response)) {
            self.documents.keep(hash, document);
        }
    }

    fn check(
        &self,
        mut request: Request,
        accepts: impl FnOnce(OperationType) -> Result<(), Error>,
    ) -> Result<Checked, Vec<ServerError>> {
        let refuse = |error: Error| vec![error.of_request()];
        let (hash, is_known) = self.documents.find(&mut request).map_err(|error| vec![error])?;
        nesting::check(&request.query).map_err(refuse)?;
        let (mut variables, name) = (std::mem::take(&mut request.variables), request.operation_name.clone());
        let document = request.parsed_query().map_err(|error| vec![parse_failed(error)])?;
        let operation = operation::find(document, name.as_deref());
        if let Some(operation) = operation {
            accepts(operation.ty).map_err(refuse)?;
            variables = operation::with_defaults(operation, variables);
        }
        limits::check(document, &variables, self.limits).map_err(refuse)?;
        // Where there is none, the execution will say so.
        if let Some(operation) = operation {
            operation::check(document, operation, &variables, &self.types)?;
        }
        let pruned = operation::without_absent(document, &variables);
        let mut new = if is_known { None } else { Document::of(&mut request).map(|document| (hash, document)) };
        if let Some(pruned) = pruned {
            request.set_parsed_query(pruned);
            // What is executed is then not all of what was sent.
            if let Some((_, document)) = &mut new {
                document.is_valid = false;
            }
        }
        Ok(Checked { request: request.variables(variables), new, is_known })
    }
}

fn over_websocket() -> Error {
    let message = "subscribe over a WebSocket at `/graphql`, by the protocol `graphql-transport-ws`";
    Error::client(Code::WebSocketRequired, message)
}

fn by_post() -> Error {
    Error::client(Code::MethodNotAllowed, "a mutation is sent by POST: whatever follows a link sends a GET")
}

/// Whether a request was executed, and not refused as a whole: then the response has data, be it null.
pub fn was_executed(response: &Response) -> bool {
    response.errors.is_empty() || response.errors.iter().any(|error| !error.path.is_empty())
}

fn refused(code: Code, message: &str) -> Response {
    Response::from_errors(vec![Error::client(code, message).of_request()])
}

/// What is wrong, and where, without the line in which it is: that can be the whole request.
fn parse_failed(mut error: ServerError) -> ServerError {
    if let Some((_, expected)) = error.message.rsplit_once("= ") {
        error.message = expected.to_owned();
    }
    set_code(&mut error, Code::ParseFailed);
    error
}

/// The response, with a code in each of its errors.
fn coded(mut response: Response) -> Response {
    for error in response.errors.iter_mut().filter(|error| error.extensions.is_none()) {
        // A field that was called with what it cannot take has a place in the answer; other requests have none.
        let code = if error.path.is_empty() { Code::ValidationFailed } else { Code::BadUserInput };
        set_code(error, code);
    }
    response
}

fn set_code(error: &mut ServerError, code: Code) {
    error.extensions.get_or_insert_default().set("code", code.as_str());
}

impl Executor for Api {
    async fn execute(&self, request: Request) -> Response {
        Self::execute(self, request).await
    }

    /// Several requests in one would have the limits of one each.
    async fn execute_batch(&self, batch: BatchRequest) -> BatchResponse {
        BatchResponse::Single(match batch {
            BatchRequest::Single(request) => Self::execute(self, request).await,
            BatchRequest::Batch(_) => {
                refused(Code::RequestMalformed, "one request at a time: batches are not accepted")
            }
        })
    }

    /// The responses to a subscription, until it ends or is dropped; the one response to anything else. The session's
    /// data are those of the connection that the request came by.
    fn execute_stream(&self, request: Request, session: Option<Arc<Data>>) -> BoxStream<'static, Response> {
        match self.check(request, |_| Ok(())) {
            Ok(Checked { request, mut new, is_known }) => {
                let schema = self.schema(is_known);
                let responses = schema.execute_stream_with_session_data(request, session.unwrap_or_default());
                let api = self.clone();
                let kept = move |response| {
                    let response = coded(response);
                    api.keep(new.take(), &response);
                    response
                };
                responses.map(kept).boxed()
            }
            Err(errors) => stream::iter([Response::from_errors(errors)]).boxed(),
        }
    }
}
