//! The API: a request in, a response out, in which every error has a code.

use std::any::TypeId;
use std::borrow::Cow;
use std::sync::Arc;
use std::time::Instant;

use async_graphql::futures_util::StreamExt;
use async_graphql::parser::types::OperationType;
use async_graphql::{Data, Executor, Request, Response, ServerError};
use keyset_graphql::json::{self, Verbatim};
use keyset_graphql::{PlannedQuery, Reader, with_defaults};
use tracing::Span;

use super::admission::Permit;
use super::budget::Budgets;
use super::code::Code;
use super::cost::{CostReport, Refused};
use super::cpu::{Long, elsewhere, is_long};
use super::documents::{Document, Documents, Found, Hash, Trusted};
use super::error::{Error, refusal};
use super::executor::Session;
use super::limits::Prices;
use super::message::shorten;
use super::permission::Permission;
use super::running::{Checked, Running};
use super::validation::Validator;
use super::{limits, operation};
use crate::config::Limits;
use crate::metrics::Metrics;

/// The longest name of an operation in logs and traces, in bytes.
const MAX_NAME: usize = 100;

/// A schema behind the checks of this module. Cheap to clone.
#[derive(Clone)]
pub struct Api<E> {
    schema: E,
    validator: Arc<Validator>,
    prices: Arc<Prices>,
    limits: Limits,
    budgets: Budgets,
    documents: Documents,
    reader: Reader,
    snapshot: Snapshot,
    metrics: Metrics,
}

/// The parts of an [`Api`].
pub struct Parts<E> {
    /// The schema, which need not validate documents.
    pub schema: E,
    /// Reads documents for the schema.
    pub validator: Validator,
    /// The prices of its fields.
    pub prices: Prices,
    /// The documents that it trusts.
    pub trusted: Trusted,
    /// The limits of a request.
    pub limits: Limits,
    /// Reads single statements.
    pub reader: Reader,
    /// Makes a reader whose statements see one state of the database.
    pub snapshot: Snapshot,
    /// Counts what is executed.
    pub metrics: Metrics,
}

/// Makes a [`Reader`] whose statements see one state of the database.
pub type Snapshot = Arc<dyn Fn() -> Reader + Send + Sync>;

impl<E: Executor> Api<E> {
    /// Puts the checks before a schema.
    pub fn new(parts: Parts<E>) -> Self {
        let Parts { schema, validator, prices, trusted, limits, reader, snapshot, metrics } = parts;
        let (validator, prices, documents) = (Arc::new(validator), Arc::new(prices), Documents::new(trusted));
        let budgets = Budgets::new(limits);
        Self { schema, validator, prices, limits, budgets, documents, reader, snapshot, metrics }
    }

    /// Executes a query or a mutation.
    pub async fn execute(&self, request: impl Into<Request>) -> Response {
        let checked = self.checked(request.into(), None, |kind| match kind {
            OperationType::Subscription => Err(over_websocket()),
            OperationType::Query | OperationType::Mutation => Ok(()),
        });
        self.respond(checked.await).await
    }

    /// Executes a query, and refuses a mutation.
    pub async fn query(&self, request: impl Into<Request>) -> Response {
        let checked = self.checked(request.into(), None, |kind| match kind {
            OperationType::Subscription => Err(over_websocket()),
            OperationType::Mutation => Err(by_post()),
            OperationType::Query => Ok(()),
        });
        self.respond(checked.await).await
    }

    async fn respond(&self, checked: Result<Checked, Refused>) -> Response {
        match checked {
            Ok(Checked { request, running }) => {
                let response = self.run(&running, request, None).await;
                self.finish(running, response)
            }
            Err(refused) => refused.into(),
        }
    }

    /// Executes a request that passed the checks. The statements of a query see one state of the database; if their
    /// connection is lost, the whole response is read once more.
    pub async fn run(&self, checked: &Running, request: Request, session: Option<Arc<Data>>) -> Response {
        match &checked.planned {
            Some(planned) => self.read(planned, checked, request, session).await,
            // On the heap: otherwise each request that has a plan would have room for it.
            None => Box::pin(self.resolve(checked, request, session)).await,
        }
    }

    /// Executes a request by the resolvers of the schema.
    async fn resolve(&self, checked: &Running, request: Request, session: Option<Arc<Data>>) -> Response {
        if !checked.needs_snapshot {
            return self.execute_once(request, session).await;
        }
        // Its document is parsed already.
        let mut again = Request::new("").variables(request.variables.clone());
        again.operation_name.clone_from(&request.operation_name);
        let response = self.execute_once(request.data((self.snapshot)()), session.clone()).await;
        if checked.may_retry(&response) {
            again.set_parsed_query(checked.executed(&again));
            return self.execute_once(again.data((self.snapshot)()), session).await;
        }
        response
    }

    /// Executes a query by its plan. Its response is the same as that of the schema, where a test executes both.
    async fn read(
        &self,
        planned: &PlannedQuery,
        checked: &Running,
        request: Request,
        session: Option<Arc<Data>>,
    ) -> Response {
        let of_session = session.as_ref().and_then(|session| session.get(&TypeId::of::<keyset::Limits>()));
        let limits = of_session.and_then(|limits| limits.downcast_ref().copied());
        let (limits, variables) = (limits.unwrap_or_else(|| self.limits.pages()), &request.variables);
        let mut response = if checked.needs_snapshot {
            let response = planned.execute(&(self.snapshot)(), limits, variables).await;
            if checked.may_retry(&response) {
                planned.execute(&(self.snapshot)(), limits, variables).await
            } else {
                response
            }
        } else {
            planned.execute(&self.reader, limits, variables).await
        };
        if !request.data.contains_key(&TypeId::of::<Verbatim>()) {
            json::parse(&mut response.data);
        }
        response
    }

    async fn execute_once(&self, request: Request, session: Option<Arc<Data>>) -> Response {
        match session {
            None => self.schema.execute(request).await,
            Some(session) => self.schema.execute_stream(request, Some(session)).next().await.unwrap_or_default(),
        }
    }

    /// The schema itself.
    pub fn schema(&self) -> &E {
        &self.schema
    }

    /// Finishes the response to a query or a mutation. It has the cost, if that is wanted. If the request was executed, it
    /// is timed, and its document cached.
    pub fn finish(&self, Running { begun, kind, document, new, cost, .. }: Running, response: Response) -> Response {
        let mut response = coded(response);
        if let Some(cost) = cost {
            cost.add_to(&mut response);
        }
        if was_executed(&response) {
            let kind = if kind == Some(OperationType::Mutation) { "mutation" } else { "query" };
            self.metrics.operation(kind, begun.elapsed());
            if let Some(hash) = new {
                self.keep(hash, document);
            }
        }
        response
    }

    /// Caches a valid document.
    pub fn keep(&self, hash: Hash, document: Arc<Document>) {
        self.documents.keep(hash, document);
    }

    /// Checks a request before its execution, where a long request delays no other one.
    ///
    /// # Errors
    ///
    /// As [`check`](Self::check).
    pub async fn checked(
        &self,
        request: Request,
        session: Option<Arc<Data>>,
        accepts: fn(OperationType) -> Result<(), Error>,
    ) -> Result<Checked, Refused> {
        if is_long(request.query.len()) || request.data.contains_key(&TypeId::of::<Long>()) {
            let api = self.clone();
            return elsewhere(move || api.check(request, session.as_deref(), accepts)).await;
        }
        self.check(request, session.as_deref(), accepts)
    }

    /// Checks a request before its execution: nothing of it is executed unless it passes. Its permission is in the data of
    /// its session, or in its own.
    ///
    /// # Errors
    ///
    /// Every reason to refuse it.
    fn check(
        &self,
        mut request: Request,
        session: Option<&Data>,
        accepts: fn(OperationType) -> Result<(), Error>,
    ) -> Result<Checked, Refused> {
        let begun = Instant::now();
        let is_cost_wanted = CostReport::is_wanted(&request);
        let refuse = |error: Error| vec![error.of_request()];
        let (document, new) = match self.documents.find(&request).map_err(|error| vec![error])? {
            Found::Known(document) => (document, None),
            Found::New(hash) => {
                let validated = self.validator.read(&request.query)?;
                (Arc::new(Document::new(std::mem::take(&mut request.query), validated)), Some(hash))
            }
        };
        let (mut variables, name) = (std::mem::take(&mut request.variables), request.operation_name.clone());
        let parsed = document.plans.document();
        let place = operation::find(parsed, name.as_deref());
        let operation = place.map(|place| &place.node);
        if let Some(operation) = operation {
            // Only the name of an existing operation: clients can send any name.
            Span::current().record("operation", name.as_deref().filter(|name| name.len() <= MAX_NAME));
            accepts(operation.ty).map_err(refuse)?;
            match operation.ty {
                OperationType::Mutation => Permission::of(session.unwrap_or(&request.data)).check().map_err(refuse)?,
                OperationType::Subscription => operation::declares_all(operation, &variables).map_err(refuse)?,
                OperationType::Query => {}
            }
            variables = with_defaults(operation, Cow::Owned(variables)).into_owned();
        }
        let kind = operation.map(|operation| operation.ty);
        let price = limits::price(parsed, &variables, &self.prices, self.limits);
        let maximum = self.limits.max_complexity;
        let cost = is_cost_wanted.then_some(CostReport { requested: price.cost, maximum });
        let refuse = |errors| Refused { errors, cost };
        price.check(self.limits).map_err(|error| refuse(vec![error.of_request()]))?;
        let needs_snapshot = kind == Some(OperationType::Query) && price.statements > 1;
        // The execution reports that there is none.
        if let Some(operation) = operation {
            self.validator.types().check(parsed, operation, &variables).map_err(refuse)?;
        }
        let client = match session.and_then(Session::of) {
            Some(session) => session.admission.client(),
            None => Permit::client_of(&request.data),
        };
        self.budgets.charge(client, price.cost).map_err(|error| refuse(vec![error]))?;
        let planned = place.filter(|_| new.is_none() && kind == Some(OperationType::Query));
        let planned = planned.and_then(|place| document.plans.query(place));
        let mut request = request.variables(variables);
        let running = Running { begun, kind, needs_snapshot, planned, document, new, cost };
        if running.planned.is_none() {
            request = running.prepare(request);
        }
        Ok(Checked { request, running })
    }
}

fn over_websocket() -> Error {
    let message = "subscribe over a WebSocket at `/graphql`, by the protocol `graphql-transport-ws`";
    Error::client(Code::WebSocketRequired, message)
}

fn by_post() -> Error {
    Error::client(Code::MethodNotAllowed, "mutations require POST: a browser sends GET when it follows a link")
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
        // An argument error has a path in the response. The error of an operation that does not exist has none.
        let code = if error.path.is_empty() { Code::ValidationFailed } else { Code::BadUserInput };
        error.extensions.get_or_insert_default().set("code", code.as_str());
    }
    response
}
