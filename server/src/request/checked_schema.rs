//! The API: a request in, a response out, in which every error has a code.

use std::future::pending;
use std::net::IpAddr;
use std::sync::Arc;

use async_graphql::futures_util::{FutureExt, StreamExt};
use async_graphql::parser::types::{ExecutableDocument, OperationType};
use async_graphql::{CacheControl, Executor, Response, ServerError};
use bookends_graphql::json;
use bookends_graphql::{PlannedQuery, Reader};
use tokio::sync::{Semaphore, watch};
use tracing::Instrument;

use super::checks::{Accepts, Checks, Clients};
use super::code::{Code, code_of};
use super::context::Incoming;
use super::cost::DeclaredCosts;
use super::cost_report::Refused;
use super::documents::Trusted;
use super::error::{Error, refusal};
use super::message::shorten;
use super::position;
use super::readers::Readers;
use super::running::{Running, name_of};
use super::validation::Validator;
use crate::config::Limits;
use crate::db::{Role, Roles};
use crate::metrics::Metrics;
use crate::telemetry::trace;

/// A schema behind the checks of this module. Cheap to clone.
#[derive(Clone)]
pub struct CheckedSchema<E> {
    schema: E,
    checks: Checks,
    may_introspect: bool,
    readers: Arc<dyn Readers>,
    metrics: Metrics,
    /// The turn of a large introspection: for each byte of it, async-graphql has 20 in memory.
    large: Arc<Semaphore>,
    replaced: watch::Receiver<bool>,
}

/// The parts of an [`CheckedSchema`].
pub struct Parts<E> {
    /// The schema, which need not validate documents.
    pub schema: E,
    /// Reads documents for the schema.
    pub validator: Validator,
    /// The costs of its fields.
    pub costs: DeclaredCosts,
    /// The documents that it trusts.
    pub trusted: Trusted,
    /// The limits of a request.
    pub limits: Limits,
    /// The roles of its requests.
    pub roles: Option<Roles>,
    /// Where its requests read.
    pub readers: Arc<dyn Readers>,
    /// Counts what is executed.
    pub metrics: Metrics,
    /// Whether another schema has taken its place: then its subscriptions end.
    pub replaced: watch::Receiver<bool>,
}

impl<E: Executor> CheckedSchema<E> {
    /// Puts the checks before a schema.
    pub fn new(parts: Parts<E>) -> Self {
        let clients = Clients::new(parts.limits, &parts.metrics);
        Self::of_clients(parts, clients)
    }

    /// Puts them before a schema that takes the place of this one. Its clients have used what they have used of this one.
    #[must_use]
    pub fn replaced_by(&self, parts: Parts<E>) -> Self {
        Self::of_clients(parts, self.checks.clients().clone())
    }

    fn of_clients(parts: Parts<E>, clients: Clients) -> Self {
        let Parts { schema, validator, costs, trusted, limits, roles, readers, metrics, replaced } = parts;
        let may_introspect = limits.introspection && !trusted.is_required;
        let checks = Checks::new(validator, costs, trusted, limits, roles, clients);
        Self { schema, checks, may_introspect, readers, metrics, large: Arc::new(Semaphore::new(1)), replaced }
    }

    /// Returns when another schema takes the place of this one.
    pub fn until_replaced(&self) -> impl Future<Output = ()> + Send + use<E> {
        let mut replaced = self.replaced.clone();
        async move {
            if replaced.wait_for(|is_replaced| *is_replaced).await.is_err() {
                // It is not served any more, and nothing will take its place.
                pending::<()>().await;
            }
        }
    }

    /// Whether clients may send documents that introspect the schema.
    pub fn may_introspect(&self) -> bool {
        self.may_introspect
    }

    /// Executes a query or a mutation.
    pub async fn execute(&self, incoming: impl Into<Incoming>) -> Response {
        let checked = self.checks.pass(incoming.into(), |kind| match kind {
            OperationType::Subscription => Err(over_websocket()),
            OperationType::Query | OperationType::Mutation => Ok(()),
        });
        self.respond(checked.await).await
    }

    /// Executes a query, and refuses a mutation. The response says how long caches may keep it.
    pub async fn query(&self, incoming: impl Into<Incoming>) -> Response {
        let accepts: Accepts = |kind| match kind {
            OperationType::Subscription => Err(over_websocket()),
            kind => no_mutation(kind),
        };
        let checked = self.checks.pass(incoming.into(), accepts).await;
        // What another client may read is neither what this one has written, nor what it alone may see.
        let shared = checked.as_ref().ok();
        let shared = shared.filter(|running| {
            let context = &running.context;
            running.after.is_none() && context.data.is_none() && context.claims.is_none() && context.role.is_none()
        });
        let max_age = shared.and_then(|running| running.document.max_age);
        let response = self.respond(checked).await;
        match max_age.filter(|_| response.errors.is_empty() && response.extensions.is_empty()) {
            Some(max_age) => response.cache_control(CacheControl { public: true, max_age }),
            None => response,
        }
    }

    async fn respond(&self, checked: Result<Running, Refused>) -> Response {
        let running = match checked {
            Ok(running) => running,
            Err(refused) => return refused.into(),
        };
        self.in_turn(running).await.unwrap_or_else(Refused::into)
    }

    /// The response to a query or a mutation, which its client pays for, and which has a turn to read the database.
    ///
    /// # Errors
    ///
    /// The refusal, if the client cannot pay for it.
    pub async fn in_turn(&self, running: Running) -> Result<Response, Refused> {
        self.checks.charge(&running)?;
        // On the heap: otherwise each request would have room for it. It waits for it before it has a turn.
        let alone = async { self.large.acquire().await.ok() };
        let _alone = if running.is_large { alone.boxed().await } else { None };
        let _turn = running.context.turn(running.cost).await;
        let response = self.run(&running).await;
        Ok(self.finish(running, response))
    }

    /// Executes a request that passed the checks. The statements of a query see one state of the database; if their
    /// connection is lost, the whole response is read once more.
    async fn run(&self, running: &Running) -> Response {
        let span = running.span();
        if span.is_none() {
            return self.execute_checked(running).await;
        }
        // On the heap: otherwise each request would have room for it.
        let response = Box::pin(self.execute_checked(running).instrument(span.clone())).await;
        trace::executed(&span, response.errors.iter().find_map(code_of));
        response
    }

    async fn execute_checked(&self, running: &Running) -> Response {
        let mut response = match &running.planned {
            Some(planned) => self.read(planned, running).await,
            // On the heap: otherwise each query would have room for it.
            None => Box::pin(self.write(running)).await,
        };
        if running.reads_the_primary() {
            // Asked after the read: the position includes all that the response shows.
            Box::pin(self.add_position(&mut response)).await;
        }
        if !running.context.is_written {
            json::parse(&mut response.data);
        }
        response
    }

    /// Executes a mutation. Its response has the position of its writes.
    async fn write(&self, running: &Running) -> Response {
        let mut response =
            self.resolve(running, running.document(), self.readers.primary(running.context.role.as_ref())).await;
        if was_executed(&response)
            && let Some(position) = self.readers.position()
        {
            position::add_to(&mut response, position.await);
        }
        response
    }

    /// Executes a query.
    async fn read(&self, planned: &PlannedQuery, running: &Running) -> Response {
        let execute = async |reader: Reader| {
            let resolve = |document: ExecutableDocument| self.resolve(running, document, reader.clone()).boxed();
            planned.execute(&reader, &running.variables, &running.context, &resolve).await
        };
        let (readers, after, role) = (&self.readers, running.after, running.context.role.as_ref());
        if !running.needs_snapshot {
            return execute(readers.single(after, role)).await;
        }
        let response = execute(readers.snapshot(after, role)).await;
        if running.may_retry(&response) {
            // On the heap: otherwise each request would have room for it.
            return Box::pin(execute(readers.snapshot(after, role))).await;
        }
        response
    }

    /// Executes a document, which is that of a request or a part of it, by the resolvers of the schema.
    async fn resolve(&self, running: &Running, document: ExecutableDocument, reader: Reader) -> Response {
        let request = running.request(document, reader);
        match &running.context.data {
            None => self.schema.execute(request).await,
            Some(data) => {
                let mut responses = self.schema.execute_stream(request, Some(Arc::clone(data)));
                responses.next().await.unwrap_or_default()
            }
        }
    }

    /// Counts a request that was refused because of its token, which may have been guessed.
    ///
    /// # Errors
    ///
    /// [`Code::RateLimited`] if its client has sent too many.
    pub fn count_invalid_token(&self, client: Option<IpAddr>) -> Result<(), ServerError> {
        self.checks.count_invalid_token(client)
    }

    /// The schema itself.
    pub fn schema(&self) -> &E {
        &self.schema
    }

    /// Reads what subscriptions show.
    pub fn primary(&self, role: Option<&Role>) -> Reader {
        self.readers.primary(role)
    }

    /// Adds the position of what it shows to the response of an event, or of a query that the primary answered.
    pub async fn add_position(&self, response: &mut Response) {
        if was_executed(response)
            && let Some(position) = self.readers.shared_position()
        {
            position::add_to(response, position.await);
        }
    }

    /// What a request passes first.
    pub fn checks(&self) -> &Checks {
        &self.checks
    }

    /// Finishes the response to a query or a mutation. It has the cost, if that is wanted. If the request was executed, it
    /// is timed, and its document cached.
    fn finish(&self, Running { begun, kind, document, new, report, .. }: Running, response: Response) -> Response {
        let mut response = coded(response);
        if let Some(report) = report {
            report.add_to(&mut response);
        }
        if was_executed(&response) {
            self.metrics.operation(name_of(kind), begun.elapsed());
            if let Some(hash) = new {
                self.checks.keep(hash, document);
            }
        }
        response
    }
}

fn over_websocket() -> Error {
    let message = "subscribe over a WebSocket at `/graphql`, by the protocol `graphql-transport-ws`, or accept \
        `text/event-stream`";
    Error::client(Code::WebSocketRequired, message)
}

/// Refuses mutations: a browser sends GET when it follows a link.
pub fn no_mutation(kind: OperationType) -> Result<(), Error> {
    match kind {
        OperationType::Query | OperationType::Subscription => Ok(()),
        OperationType::Mutation => {
            let message = "mutations require POST: a browser sends GET when it follows a link";
            Err(Error::client(Code::MethodNotAllowed, message))
        }
    }
}

/// Whether a request was executed, not refused as a whole: then its response has `data`, which can be null.
pub fn was_executed(response: &Response) -> bool {
    response.errors.is_empty() || response.errors.iter().any(|error| !error.path.is_empty())
}

/// Refuses a batch, in which each request would have limits of its own.
pub fn no_batches() -> ServerError {
    refusal(Code::RequestMalformed, "batches are not accepted: send one request at a time")
}

/// Adds a code to each error, and shortens its message.
pub fn coded(mut response: Response) -> Response {
    response.errors.iter_mut().for_each(shorten);
    for error in response.errors.iter_mut().filter(|error| error.extensions.is_none()) {
        // An argument error has a path in the response.
        let code = if error.path.is_empty() { Code::ValidationFailed } else { Code::BadUserInput };
        error.extensions.get_or_insert_default().set("code", code.as_str());
    }
    response
}
