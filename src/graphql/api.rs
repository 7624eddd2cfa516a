//! The API: a request in, a response out, in which every error has a code.

use std::sync::Arc;
use std::time::Instant;

use async_graphql::parser::types::OperationType;
use async_graphql::{Request, Response, ServerError, ValidationMode};

use tracing::Span;

use super::code::Code;
use super::coercion::{InputTypes, MOST_ERRORS};
use super::documents::{Document, Documents, Hash};
use super::error::{Error, refusal};
use super::{Schema, builder, limits, nesting, operation, sdl};
use crate::config::Limits;
use crate::db::Db;
use crate::events::Events;

/// The longest name of an operation that is shown in logs and traces, in bytes.
const LONGEST_NAME: usize = 100;

/// The schema over a database, ready to execute. Cheap to clone.
#[derive(Clone)]
pub struct Api {
    db: Db,
    schema: Schema,
    /// The same, for documents that are known to be valid.
    unvalidated: Schema,
    limits: Limits,
    events: Events,
    types: Arc<InputTypes>,
    documents: Documents,
}

/// A request that nothing is to be said against before its execution.
pub struct Checked {
    pub request: Request,
    pub is_known: bool,
    pub running: Running,
}

/// What is to be done when the first response is there.
pub struct Running {
    pub begun: Instant,
    /// What it is; none where it has no operation.
    pub kind: Option<OperationType>,
    /// What to keep where it proves to be valid; none where it is known to be.
    new: Option<(Hash, Document)>,
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
            db,
        }
    }

    /// What is added to the database, for those who write and those who watch.
    pub fn events(&self) -> &Events {
        &self.events
    }

    /// The database that it is over.
    pub fn db(&self) -> &Db {
        &self.db
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
        match checked {
            Ok(Checked { request, is_known, mut running }) => {
                let response = self.schema(is_known).execute(request).await;
                self.finish(&mut running, response)
            }
            Err(errors) => Response::from_errors(errors),
        }
    }

    /// The schema for a document: one that is known to be valid is not validated again.
    pub fn schema(&self, is_known: bool) -> &Schema {
        if is_known { &self.unvalidated } else { &self.schema }
    }

    /// The response with its codes. With the first one, if it was executed, the request is timed and its document kept.
    pub fn finish(&self, running: &mut Running, response: Response) -> Response {
        let response = coded(response);
        let (kind, new) = (running.kind.take(), running.new.take());
        if was_executed(&response) {
            match kind {
                Some(OperationType::Query) => self.db.metrics.operation("query", running.begun.elapsed()),
                Some(OperationType::Mutation) => self.db.metrics.operation("mutation", running.begun.elapsed()),
                // Without an end of its own, it takes no time.
                Some(OperationType::Subscription) | None => {}
            }
            if let Some((hash, document)) = new {
                self.documents.keep(hash, document);
            }
        }
        response
    }

    /// The request, where nothing is to be said against it.
    ///
    /// # Errors
    ///
    /// All that is.
    pub fn check(
        &self,
        mut request: Request,
        accepts: impl FnOnce(OperationType) -> Result<(), Error>,
    ) -> Result<Checked, Vec<ServerError>> {
        let begun = Instant::now();
        let refuse = |error: Error| vec![error.of_request()];
        let (hash, is_known) = self.documents.find(&mut request).map_err(|error| vec![error])?;
        nesting::check(&request.query).map_err(refuse)?;
        let (mut variables, name) = (std::mem::take(&mut request.variables), request.operation_name.clone());
        let document = request.parsed_query().map_err(|error| vec![parse_failed(error)])?;
        let operation = operation::find(document, name.as_deref());
        if let Some(operation) = operation {
            // Only of one that there is: else it can be anything.
            Span::current().record("operation", name.as_deref().filter(|name| name.len() <= LONGEST_NAME));
            accepts(operation.ty).map_err(refuse)?;
            variables = operation::with_defaults(operation, variables);
        }
        let kind = operation.map(|operation| operation.ty);
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
        Ok(Checked { request: request.variables(variables), is_known, running: Running { begun, kind, new } })
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

/// What is said to several requests in one: they would have the limits of one each.
pub fn no_batches() -> ServerError {
    refusal(Code::RequestMalformed, "one request at a time: batches are not accepted")
}

/// What is wrong, and where, without the line in which it is: that can be the whole request.
fn parse_failed(mut error: ServerError) -> ServerError {
    if let Some((_, expected)) = error.message.rsplit_once("= ") {
        error.message = expected.to_owned();
    }
    set_code(&mut error, Code::ParseFailed);
    error
}

/// The response, with a code in each of its errors; of those of a whole request, not too many of them.
fn coded(mut response: Response) -> Response {
    if !was_executed(&response) {
        response.errors.truncate(MOST_ERRORS);
    }
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
