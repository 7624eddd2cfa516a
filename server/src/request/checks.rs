//! What a request passes before its execution, in order.

use std::borrow::Cow;
use std::mem::take;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Instant;

use async_graphql::parser::types::OperationType;
use async_graphql::{Name, Request, ServerError};
use bookends_graphql::with_defaults;
use tracing::Span;

use super::attempts::{Attempts, Wrong};
use super::budget::{Budgets, Pace};
use super::code::Code;
use super::context::{Incoming, RequestContext};
use super::cost::{self, DeclaredCosts};
use super::cost_report::{CostReport, Refused};
use super::cpu::is_long;
use super::documents::{Document, Documents, Found, Hash, Trusted};
use super::error::{Error, refusal, token_expired};
use super::permission::Permission;
use super::running::{MAX_NAME, Running};
use super::validation::Validator;
use super::{operation, position};
use crate::claims::Claims;
use crate::config::Limits;
use crate::db::{Role, Roles};
use crate::metrics::Metrics;

/// Whether operations of a kind are accepted.
pub type Accepts = fn(OperationType) -> Result<(), Error>;

/// The checks before a schema. Cheap to clone.
#[derive(Clone)]
pub struct Checks {
    validator: Arc<Validator>,
    costs: Arc<DeclaredCosts>,
    limits: Limits,
    clients: Clients,
    documents: Documents,
    roles: Option<Roles>,
}

/// What clients have used. Cheap to clone.
#[derive(Clone)]
pub struct Clients {
    budgets: Budgets,
    attempts: Attempts,
}

impl Clients {
    /// Nothing yet.
    pub fn new(limits: Limits, metrics: &Metrics) -> Self {
        Self { budgets: Budgets::new(limits), attempts: Attempts::new(metrics.clone()) }
    }
}

impl Checks {
    /// The checks of a schema, within these limits.
    pub fn new(
        validator: Validator,
        costs: DeclaredCosts,
        trusted: Trusted,
        limits: Limits,
        roles: Option<Roles>,
        clients: Clients,
    ) -> Self {
        let (validator, costs, documents) = (Arc::new(validator), Arc::new(costs), Documents::new(trusted));
        Self { validator, costs, limits, clients, documents, roles }
    }

    /// What clients have used.
    pub fn clients(&self) -> &Clients {
        &self.clients
    }

    /// Checks a request before its execution: nothing of it is executed unless it passes. A long request delays no other one.
    ///
    /// # Errors
    ///
    /// Every reason to refuse it.
    pub async fn pass(&self, incoming: Incoming, accepts: Accepts) -> Result<Running, Refused> {
        if self.takes_long(&incoming) {
            let (checks, cpu) = (self.clone(), incoming.context.cpu());
            // On the heap: otherwise each request would have room for it.
            return Box::pin(cpu.run(move || checks.check(incoming, accepts))).await;
        }
        self.check(incoming, accepts)
    }

    /// Whether the checks of a request take long: it is long itself, or names a long document.
    fn takes_long(&self, Incoming { request, document_id, is_long: is_long_itself, .. }: &Incoming) -> bool {
        let find = || self.documents.find(request, document_id.as_deref());
        let is_named = || request.query.is_empty() && find().is_ok_and(|found| found.is_long());
        *is_long_itself || is_long(request.query.len()) || is_named()
    }

    /// Charges the client of a request that is about to be executed.
    ///
    /// # Errors
    ///
    /// [`Code::RateLimited`](super::code::Code::RateLimited).
    pub fn charge(&self, running: &Running) -> Result<(), Refused> {
        let charged = self.clients.budgets.charge(running.context.client(), running.cost);
        charged.map_err(|error| Refused { errors: vec![error], report: running.report })
    }

    /// What each event of a subscription costs its client.
    pub fn pace(&self, running: &Running) -> Pace {
        Pace::new(self.clients.budgets.clone(), running.context.client(), running.cost)
    }

    fn check(&self, incoming: Incoming, accepts: Accepts) -> Result<Running, Refused> {
        let begun = Instant::now();
        let Incoming { mut request, document_id, mut context, .. } = incoming;
        if context.claims.as_ref().is_some_and(Claims::have_ended) {
            return Err(vec![token_expired()].into());
        }
        context.role = self.role(&context)?;
        let is_cost_wanted = context.reports_cost || CostReport::is_wanted(&request);
        let refuse = |error: Error| vec![error.of_request()];
        let (document, new) = self.document(&mut request, document_id.as_deref())?;
        let (mut variables, operation) = (take(&mut request.variables), take(&mut request.operation_name));
        let parsed = document.plans.document();
        let found = operation::named(parsed, operation.as_deref());
        let (name, place) = found.ok_or_else(|| refuse(operation::missing(parsed, operation.as_deref())))?;
        let kind = place.node.ty;
        // Only the name of an existing operation: clients can send any name.
        Span::current().record("operation", name.map(Name::as_str).filter(|name| name.len() <= MAX_NAME));
        accepts(kind).map_err(refuse)?;
        match kind {
            OperationType::Mutation => self.may_write(&context)?,
            OperationType::Subscription => operation::drop_undeclared(&place.node, &mut variables),
            OperationType::Query => {}
        }
        variables = with_defaults(&place.node, Cow::Owned(variables)).into_owned();
        let cost = document.cost(|document| cost::compute(document, &variables, &self.costs, self.limits));
        let maximum = self.limits.max_complexity;
        let report = is_cost_wanted.then_some(CostReport { requested: cost.total, maximum });
        let refuse = |errors| Refused { errors, report };
        let refuse_one = |error: Error| refuse(vec![error.of_request()]);
        cost.check(self.limits).map_err(refuse_one)?;
        let after = position::read_request(context.position.as_deref(), &request).map_err(refuse_one)?;
        let needs_snapshot = kind == OperationType::Query && cost.statements > 1;
        let types = self.validator.types();
        types.check(parsed, document.nests_variables, &place.node, &variables).map_err(refuse)?;
        let planned = (kind == OperationType::Query).then(|| document.plans.query(place));
        Ok(Running {
            begun,
            context,
            operation,
            kind,
            variables,
            // The introspection of a large schema is above it. A budget allows the maximum.
            cost: cost.total.min(maximum),
            is_large: cost.total > maximum,
            needs_snapshot,
            after,
            planned,
            document,
            new,
            report,
        })
    }

    /// The role of a request, if requests have roles.
    fn role(&self, context: &RequestContext) -> Result<Option<Role>, Vec<ServerError>> {
        let refused = |_| vec![refusal(Code::Forbidden, "the token names no role of the database")];
        let role = self.roles.as_ref().map(|roles| roles.of_claims(context.claims.as_ref()));
        role.transpose().map_err(refused)
    }

    /// Counts a token that may have been guessed.
    ///
    /// # Errors
    ///
    /// [`Code::RateLimited`](super::code::Code::RateLimited).
    pub fn count_invalid_token(&self, client: Option<IpAddr>) -> Result<(), ServerError> {
        self.clients.attempts.count(Wrong::Token, client)
    }

    /// Refuses a mutation that may not write.
    fn may_write(&self, context: &RequestContext) -> Result<(), Vec<ServerError>> {
        if context.permission == Permission::WrongToken {
            self.clients.attempts.count(Wrong::WriteToken, context.client()).map_err(|error| vec![error])?;
        }
        context.permission.check().map_err(|error| vec![error.of_request()])
    }

    /// The document of a request, and its hash if it is new.
    fn document(
        &self,
        request: &mut Request,
        id: Option<&str>,
    ) -> Result<(Arc<Document>, Option<Hash>), Vec<ServerError>> {
        match self.documents.find(request, id).map_err(|error| vec![error])? {
            Found::Known(document) => Ok((document, None)),
            Found::New(hash) => {
                let validated = self.validator.read(&request.query)?;
                Ok((Arc::new(Document::new(take(&mut request.query), validated)), Some(hash)))
            }
        }
    }

    /// Caches a valid document.
    pub fn keep(&self, hash: Hash, document: Arc<Document>) {
        self.documents.keep(hash, document);
    }
}
