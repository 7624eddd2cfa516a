//! A request that passed the checks, until its response.

use std::any::TypeId;
use std::sync::Arc;
use std::time::Instant;

use async_graphql::parser::types::{ExecutableDocument, OperationType};
use async_graphql::{Name, Request, Response, ServerError};
use keyset_graphql::json::Verbatim;
use keyset_graphql::{PlannedQuery, RootValues};
use tracing::Span;

use super::checks::MAX_NAME;
use super::code::Code;
use super::cost::CostReport;
use super::documents::{Document, Hash};
use super::operation;
use crate::db::{CONNECT_TIMEOUT, Position};
use crate::telemetry::trace::{self, Operation};

/// A request that passed the checks.
pub struct Checked {
    pub request: Request,
    pub running: Running,
}

/// The state of a request between its checks and its first response.
pub struct Running {
    pub begun: Instant,
    /// The kind of its operation.
    pub kind: OperationType,
    /// The cost of the request.
    pub price: usize,
    /// Whether it is a query of several statements, which must see one state of the database.
    pub needs_snapshot: bool,
    /// What the state that a query reads must include.
    pub after: Option<Position>,
    /// The plan of the operation, if it needs nothing else.
    pub planned: Option<Arc<PlannedQuery>>,
    /// Its document.
    pub document: Arc<Document>,
    /// The hash of a new document, which will be cached.
    pub new: Option<Hash>,
    /// The cost, if its first response must have it.
    pub cost: Option<CostReport>,
}

impl Running {
    /// Whether the connection was lost, and another attempt can succeed. After a wait for a free connection, it would add
    /// to the overload.
    pub fn may_retry(&self, response: &Response) -> bool {
        let is_lost = |error: &ServerError| Code::of(error) == Some(Code::Unavailable);
        response.errors.iter().any(is_lost) && self.begun.elapsed() < CONNECT_TIMEOUT
    }

    /// Whether it is a query that asks for the state of the primary. Its client needs a position that replicas reach.
    pub fn reads_the_primary(&self) -> bool {
        self.after == Some(Position::END) && self.kind == OperationType::Query
    }

    /// The span of its execution, if it is part of a trace.
    pub fn span(&self, request: &Request) -> Span {
        trace::operation(|| {
            let named = operation::named(self.document.plans.document(), request.operation_name.as_deref());
            let name = named.and_then(|(name, _)| name).map(Name::as_str).filter(|name| name.len() <= MAX_NAME);
            Operation { kind: name_of(self.kind), name, is_known: self.document.is_trusted }
        })
    }

    /// Gives a request its document, and the plans of it.
    pub fn prepare(&self, mut request: Request) -> Request {
        request.set_parsed_query(self.executed(&request));
        request.data(RootValues::default()).data(self.document.plans.clone())
    }

    /// A query that was prepared, for another attempt. Prepare it again: what its execution keeps is of one attempt.
    pub fn again(request: &Request) -> Request {
        let mut again = Request::new("").variables(request.variables.clone());
        again.operation_name.clone_from(&request.operation_name);
        if is_verbatim(request) { again.data(Verbatim) } else { again }
    }

    /// The document that the library executes for a request.
    fn executed(&self, request: &Request) -> ExecutableDocument {
        let document = self.document.plans.document();
        let place = operation::find(document, request.operation_name.as_deref());
        let pruned = place.and_then(|place| operation::without_absent(document, &place.node, &request.variables));
        pruned.unwrap_or_else(|| document.clone())
    }
}

/// The name of a kind of operations, in metrics and traces.
pub fn name_of(kind: OperationType) -> &'static str {
    match kind {
        OperationType::Query => "query",
        OperationType::Mutation => "mutation",
        OperationType::Subscription => "subscription",
    }
}

/// Whether the response to a request is written as it is.
pub fn is_verbatim(request: &Request) -> bool {
    request.data.contains_key(&TypeId::of::<Verbatim>())
}
