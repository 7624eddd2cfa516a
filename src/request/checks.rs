//! What a request passes before its execution, in order.

use std::any::TypeId;
use std::borrow::Cow;
use std::mem::take;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Instant;

use async_graphql::parser::types::OperationType;
use async_graphql::{Data, Name, Request, ServerError};
use keyset_graphql::with_defaults;
use tracing::Span;

use super::admission::Permit;
use super::attempts::Attempts;
use super::budget::{Budgets, Pace};
use super::cost::{CostReport, Refused};
use super::cpu::{Cpu, Long, is_long};
use super::documents::{Document, Documents, Found, Hash, Trusted};
use super::error::Error;
use super::executor::Session;
use super::permission::Permission;
use super::price::Prices;
use super::running::{Checked, Running};
use super::validation::Validator;
use super::{operation, position, price};
use crate::config::Limits;
use crate::metrics::Metrics;

/// The longest name of an operation in logs and traces, in bytes.
pub const MAX_NAME: usize = 100;

/// Whether operations of a kind are accepted.
pub type Accepts = fn(OperationType) -> Result<(), Error>;

/// The checks before a schema. Cheap to clone.
#[derive(Clone)]
pub struct Checks {
    validator: Arc<Validator>,
    prices: Arc<Prices>,
    limits: Limits,
    budgets: Budgets,
    attempts: Attempts,
    documents: Documents,
}

impl Checks {
    /// The checks of a schema, within these limits.
    pub fn new(validator: Validator, prices: Prices, trusted: Trusted, limits: Limits, metrics: Metrics) -> Self {
        let (validator, prices, documents) = (Arc::new(validator), Arc::new(prices), Documents::new(trusted));
        let (budgets, attempts) = (Budgets::new(limits), Attempts::new(metrics));
        Self { validator, prices, limits, budgets, attempts, documents }
    }

    /// Checks a request before its execution: nothing of it is executed unless it passes. Its permission is in the data of
    /// its session, or in its own. A long request delays no other one.
    ///
    /// # Errors
    ///
    /// Every reason to refuse it.
    pub async fn pass(
        &self,
        request: Request,
        session: Option<Arc<Data>>,
        accepts: Accepts,
    ) -> Result<Checked, Refused> {
        if let Some(cpu) = self.takes_long(&request, session.as_deref()) {
            let checks = self.clone();
            // On the heap: otherwise each request would have room for it.
            return Box::pin(cpu.run(move || checks.check(request, session.as_deref(), accepts))).await;
        }
        self.check(request, session.as_deref(), accepts)
    }

    /// The share of threads of a request whose checks take long: it is long itself, or names a long document.
    fn takes_long(&self, request: &Request, session: Option<&Data>) -> Option<Cpu> {
        let is_named = || request.query.is_empty() && self.documents.find(request).is_ok_and(|found| found.is_long());
        let takes_long = request.data.contains_key(&TypeId::of::<Long>()) || is_long(request.query.len()) || is_named();
        takes_long.then(|| match session.and_then(Session::of) {
            Some(session) => session.admission.cpu(),
            None => Permit::cpu_of(&request.data),
        })
    }

    /// Charges a client for a request that is about to be executed.
    ///
    /// # Errors
    ///
    /// [`Code::RateLimited`](super::code::Code::RateLimited).
    pub fn charge(&self, client: Option<IpAddr>, running: &Running) -> Result<(), Refused> {
        let charged = self.budgets.charge(client, running.price);
        charged.map_err(|error| Refused { errors: vec![error], cost: running.cost })
    }

    /// What each event of a subscription costs its client.
    pub fn pace(&self, client: Option<IpAddr>, running: &Running) -> Pace {
        Pace::new(self.budgets.clone(), client, running.price)
    }

    fn check(&self, mut request: Request, session: Option<&Data>, accepts: Accepts) -> Result<Checked, Refused> {
        let begun = Instant::now();
        let is_cost_wanted = CostReport::is_wanted(&request);
        let refuse = |error: Error| vec![error.of_request()];
        let (document, new) = self.document(&mut request)?;
        let (mut variables, name) = (take(&mut request.variables), request.operation_name.clone());
        let parsed = document.plans.document();
        let found = operation::named(parsed, name.as_deref());
        let (name, place) = found.ok_or_else(|| refuse(operation::missing(parsed, name.as_deref())))?;
        let (operation, kind) = (&place.node, place.node.ty);
        // Only the name of an existing operation: clients can send any name.
        Span::current().record("operation", name.map(Name::as_str).filter(|name| name.len() <= MAX_NAME));
        accepts(kind).map_err(refuse)?;
        match kind {
            OperationType::Mutation => self.may_write(session, &request.data)?,
            OperationType::Subscription => operation::drop_undeclared(operation, &mut variables),
            OperationType::Query => {}
        }
        variables = with_defaults(operation, Cow::Owned(variables)).into_owned();
        let price = document.price(|document| price::price(document, &variables, &self.prices, self.limits));
        let maximum = self.limits.max_complexity;
        let cost = is_cost_wanted.then_some(CostReport { requested: price.cost, maximum });
        let refuse = |errors| Refused { errors, cost };
        price.check(self.limits).map_err(|error| refuse(vec![error.of_request()]))?;
        let after = position::of_request(&request).map_err(|error| refuse(vec![error.of_request()]))?;
        let needs_snapshot = kind == OperationType::Query && price.statements > 1;
        self.validator.types().check(parsed, document.nests_variables, operation, &variables).map_err(refuse)?;
        let may_plan = new.is_none() && kind == OperationType::Query;
        let planned = if may_plan { document.plans.query(place) } else { None };
        let mut request = request.variables(variables);
        let price = price.cost;
        let running = Running { begun, kind, price, needs_snapshot, after, planned, document, new, cost };
        if running.planned.is_none() {
            request = running.prepare(request);
        }
        Ok(Checked { request, running })
    }

    /// Refuses a mutation that may not write.
    fn may_write(&self, session: Option<&Data>, data: &Data) -> Result<(), Vec<ServerError>> {
        let permission = Permission::of(session.unwrap_or(data));
        if permission == Permission::WrongToken {
            let of_session = || session.and_then(Session::of).and_then(|session| session.admission.client());
            self.attempts.count(Permit::client_of(data).or_else(of_session)).map_err(|error| vec![error])?;
        }
        permission.check().map_err(|error| vec![error.of_request()])
    }

    /// The document of a request, and its hash if it is new.
    fn document(&self, request: &mut Request) -> Result<(Arc<Document>, Option<Hash>), Vec<ServerError>> {
        match self.documents.find(request).map_err(|error| vec![error])? {
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
