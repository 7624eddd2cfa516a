//! A request that passed the checks, until its response.

use std::sync::Arc;
use std::time::Instant;

use async_graphql::parser::types::{DocumentOperations, ExecutableDocument, OperationType};
use async_graphql::{Name, Request, Response, ServerError, Variables};
use bookends_graphql::{Execution, PlannedQuery, Reader};
use tracing::Span;

use super::code::Code;
use super::context::RequestContext;
use super::cost_report::CostReport;
use super::documents::{Document, Hash};
use super::operation;
use crate::db::{CONNECT_TIMEOUT, Position};
use crate::telemetry::trace::{self, Operation};

/// The longest name of an operation in logs and traces, in bytes.
pub const MAX_NAME: usize = 100;

/// The state of a request between its checks and its first response.
pub struct Running {
    pub begun: Instant,
    pub context: RequestContext,
    /// The name of its operation, if the document has several.
    pub operation: Option<String>,
    /// The kind of its operation.
    pub kind: OperationType,
    pub variables: Variables,
    /// The cost of the request.
    pub cost: usize,
    /// Whether it introspects a schema that is larger than any other response.
    pub is_large: bool,
    /// Whether it is a query of several statements, which must see one state of the database.
    pub needs_snapshot: bool,
    /// What the state that a query reads must include.
    pub after: Option<Position>,
    /// The plan of a query.
    pub planned: Option<Arc<PlannedQuery>>,
    /// Its document.
    pub document: Arc<Document>,
    /// The hash of a new document, which will be cached.
    pub new: Option<Hash>,
    /// The cost, if its first response must have it.
    pub report: Option<CostReport>,
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
    pub fn span(&self) -> Span {
        trace::operation(|| {
            let named = operation::named(self.document.plans.document(), self.operation.as_deref());
            let name = named.and_then(|(name, _)| name).map(Name::as_str).filter(|name| name.len() <= MAX_NAME);
            Operation { kind: name_of(self.kind), name, is_known: self.document.is_trusted }
        })
    }

    /// The request for async-graphql, which reads through this connection: of its document, or of a part of it.
    pub fn request(&self, document: ExecutableDocument, reader: Reader) -> Request {
        let mut request = Request::new("").variables(self.variables.clone());
        // A part of the document has one operation, without its name.
        if matches!(document.operations, DocumentOperations::Multiple(_)) {
            request.operation_name.clone_from(&self.operation);
        }
        let place = operation::find(&document, request.operation_name.as_deref());
        let pruned = place.and_then(|place| operation::without_absent(&document, &place.node, &self.variables));
        request.set_parsed_query(pruned.unwrap_or(document));
        let execution = Execution { reader, plans: self.document.plans.clone() };
        request.data(execution).data(self.context.clone())
    }

    /// The whole document.
    pub fn document(&self) -> ExecutableDocument {
        self.document.plans.document().clone()
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
