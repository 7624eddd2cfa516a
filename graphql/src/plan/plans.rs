//! The plans of a document.

use std::any::Any;
use std::collections::HashMap;
use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_graphql::parser::types::{ExecutableDocument, OperationDefinition};
use async_graphql::{Pos, Positioned};

use super::document::Document;
use super::query::PlannedQuery;
use crate::declare::declaration::Declaration;

/// A valid document, and its plans: each is made when it is first needed, and kept.
///
/// The variables of the requests that execute it must hold the defaults of absent ones: see
/// [`with_defaults`](crate::with_defaults).
#[derive(Clone)]
pub struct Plans(Arc<Planning>);

struct Planning {
    document: Document,
    declaration: Arc<Declaration>,
    state: Mutex<State>,
    made: AtomicUsize,
}

#[derive(Default)]
struct State {
    /// By the places of operations.
    queries: HashMap<Pos, Arc<PlannedQuery>>,
    /// Fields that async-graphql resolves, by their places. In a fragment, a field can be of several types.
    fields: HashMap<Pos, Vec<Arc<dyn Any + Send + Sync>>>,
}

impl Plans {
    /// No plans yet. The schema has this declaration.
    pub fn of(document: ExecutableDocument, declaration: Arc<Declaration>) -> Self {
        let document = Document::new(document);
        Self(Arc::new(Planning { document, declaration, state: Mutex::default(), made: AtomicUsize::default() }))
    }

    /// The document.
    pub fn document(&self) -> &ExecutableDocument {
        &self.0.document.parsed
    }

    /// The same with its parts.
    pub(super) fn parts(&self) -> &Document {
        &self.0.document
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The number of plans that were made so far.
    pub fn made(&self) -> usize {
        self.0.made.load(Relaxed)
    }

    /// The plan of this query of the document.
    pub fn query(&self, operation: &Positioned<OperationDefinition>) -> Arc<PlannedQuery> {
        let plan = || {
            self.0.made.fetch_add(1, Relaxed);
            Arc::new(PlannedQuery::of(&operation.node, self.document(), &self.0.declaration))
        };
        Arc::clone(self.state().queries.entry(operation.pos).or_insert_with(plan))
    }

    /// The plan of the field at this place, which async-graphql resolves. `plan` makes it unless it is known.
    pub(super) fn field<P: Send + Sync + 'static>(&self, place: Pos, plan: impl FnOnce() -> P) -> Arc<P> {
        let mut state = self.state();
        let known = state.fields.entry(place).or_default();
        if let Some(known) = known.iter().find_map(|known| Arc::clone(known).downcast().ok()) {
            return known;
        }
        self.0.made.fetch_add(1, Relaxed);
        let planned = Arc::new(plan());
        known.push(Arc::<P>::clone(&planned));
        planned
    }
}

impl fmt::Debug for Plans {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Plans").finish_non_exhaustive()
    }
}
