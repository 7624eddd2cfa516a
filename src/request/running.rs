//! A request that passed the checks, until its response.

use std::sync::Arc;
use std::time::Instant;

use async_graphql::parser::types::{ExecutableDocument, OperationType};
use async_graphql::{Request, Response, ServerError, Variables};
use keyset_graphql::{PlannedQuery, RootValues};

use super::code::Code;
use super::documents::{Document, Hash};
use super::operation;
use crate::db::CONNECT_TIMEOUT;

/// A request that passed the checks.
pub struct Checked {
    pub request: Request,
    pub running: Running,
}

/// The state of a request between its checks and its first response.
pub struct Running {
    pub begun: Instant,
    /// Whether its document is known to be valid.
    pub is_known: bool,
    /// The kind of its operation, if it has one.
    pub kind: Option<OperationType>,
    /// Whether it is a query of several statements, which must see one state of the database.
    pub needs_snapshot: bool,
    /// The plan of the operation, if it needs nothing else.
    pub planned: Option<Arc<PlannedQuery>>,
    /// The document without absent variables, for a second attempt.
    pub pruned: Option<ExecutableDocument>,
    /// The document to cache once it proves to be valid.
    pub new: Option<(Hash, Document)>,
}

impl Running {
    /// Whether the connection was lost, and another attempt can succeed. After a wait for a free connection, it would add
    /// to the overload.
    pub fn may_retry(&self, response: &Response) -> bool {
        let is_lost = |error: &ServerError| Code::of(error) == Some(Code::Unavailable);
        response.errors.iter().any(is_lost) && self.begun.elapsed() < CONNECT_TIMEOUT
    }

    /// Gives a request its document, and the plans of it.
    pub fn prepare(
        &mut self,
        mut request: Request,
        hash: Hash,
        known: Option<Arc<Document>>,
        variables: &Variables,
        selections: usize,
    ) -> Request {
        if let Some(known) = &known {
            request.query.clone_from(&known.text);
            request.set_parsed_query(known.plans.document().clone());
        }
        let plans = if let Some(known) = known.filter(|known| known.is_valid) {
            Some(known.plans.clone())
        } else {
            self.new = Document::of(&mut request, selections).map(|document| (hash, document));
            self.new.as_ref().map(|(_, document)| document.plans.clone())
        };
        let pruned = request.parsed_query().ok().and_then(|document| operation::without_absent(document, variables));
        if let Some(pruned) = pruned {
            // The executed document is only a part of the one that was sent.
            if let Some((_, document)) = &mut self.new {
                document.is_valid = false;
            }
            self.pruned = self.needs_snapshot.then(|| pruned.clone());
            request.set_parsed_query(pruned);
        }
        let request = request.data(RootValues::default());
        match plans {
            Some(plans) => request.data(plans),
            None => request,
        }
    }
}
