//! The plans of a document, and the queries that need nothing else.

use std::any::Any;
use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_graphql::parser::types::{ExecutableDocument, OperationDefinition};
use async_graphql::{Name, PathSegment, Pos, Positioned, Response, ServerError, Value, Variables};
use keyset::Limits;

use super::Run;
use super::collect::{Chain, collect};
use super::fields::PlannedFields;
use super::resolved::RootPlan;
use super::writer::Writer;
use crate::Reader;
use crate::list::PlannedRoot;

/// The plans of a document. Put it into the data of each request that executes the document: then it is planned once.
///
/// The variables of these requests must hold the defaults of absent ones: see
/// [`with_defaults`](crate::with_defaults).
#[derive(Clone)]
pub struct Plans(Arc<Planning>);

/// The document, and its plans so far.
struct Planning {
    document: ExecutableDocument,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// By the operation, and the field in the response.
    fields: Vec<(Pos, Name, Arc<dyn Any + Send + Sync>)>,
    queries: Vec<(Pos, Option<Arc<PlannedQuery>>)>,
}

/// A list at the root of a query.
type RootList = RootPlan<PlannedRoot>;

impl Plans {
    /// No plans yet. This is the whole document: before it executes one, the library removes what `@skip` and `@include`
    /// exclude in one request.
    pub fn of(document: ExecutableDocument) -> Self {
        Self(Arc::new(Planning { document, state: Mutex::default() }))
    }

    /// The document.
    pub fn document(&self) -> &ExecutableDocument {
        &self.0.document
    }

    /// The operation at this place of the document.
    pub(super) fn operation(&self, place: Pos) -> Option<&OperationDefinition> {
        let mut operations = self.document().operations.iter().map(|(_, operation)| operation);
        operations.find(|operation| operation.pos == place).map(|operation| &operation.node)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn get<P: Send + Sync + 'static>(
        &self,
        operation: Pos,
        field: &Name,
        plan: impl FnOnce() -> P,
    ) -> Arc<P> {
        let mut state = self.state();
        let known = state.fields.iter().find(|(place, name, _)| *place == operation && name == field);
        if let Some(Ok(known)) = known.map(|(_, _, known)| Arc::clone(known).downcast()) {
            return known;
        }
        let planned = Arc::new(plan());
        state.fields.push((operation, field.clone(), Arc::<P>::clone(&planned)));
        planned
    }

    /// The plan of a whole query of the document: if all of its fields are lists, and a request has executed the document
    /// with these plans.
    pub fn query(&self, operation: &Positioned<OperationDefinition>) -> Option<Arc<PlannedQuery>> {
        let mut state = self.state();
        if let Some((_, query)) = state.queries.iter().find(|(place, _)| *place == operation.pos) {
            return query.clone();
        }
        let set = vec![(Chain::default(), &operation.node.selection_set.node)];
        let collected = collect(&set, &self.document().fragments, &|_| true);
        let (mut is_planned, mut is_lists) = (true, true);
        let fields = PlannedFields::new(&collected, |field| {
            let plan = state.fields.iter().find(|(place, name, _)| *place == operation.pos && name == field.key);
            let list = plan.and_then(|(_, _, plan)| Arc::clone(plan).downcast::<RootList>().ok());
            is_planned &= plan.is_some();
            is_lists &= if plan.is_some() { list.is_some() } else { !field.name().starts_with("__") };
            list
        });
        // A field that is not planned yet may be, by a request that selects it.
        if is_lists && !is_planned {
            return None;
        }
        let query = is_lists.then(|| Arc::new(PlannedQuery { lists: fields, room: AtomicUsize::default() }));
        state.queries.push((operation.pos, query.clone()));
        query
    }
}

impl fmt::Debug for Plans {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Plans").finish_non_exhaustive()
    }
}

/// The plan of a query of lists. It is executed without async-graphql.
pub struct PlannedQuery {
    lists: PlannedFields<Arc<RootList>>,
    /// The length of the last response in bytes, at most [`MAX_ROOM`]: the next one is about as long.
    room: AtomicUsize,
}

/// The most bytes that a response is given room for before it is written.
const MAX_ROOM: usize = 64 << 10;

impl PlannedQuery {
    /// Executes the query. The response is JSON, as [`Verbatim`](crate::json::Verbatim) says.
    pub async fn execute(&self, reader: &Reader, limits: Limits, variables: &Variables) -> Response {
        let run = Run { reader, limits, variables, is_event: false };
        let mut lists = Vec::new();
        for plan in self.lists.selected(variables) {
            lists.push(plan.0.read(&run).await);
        }
        let (mut writer, mut lists) = (Writer::with_room(&run, self.room.load(Relaxed)), lists.iter());
        // A list is null beside its errors: the query itself does not fail.
        let _ = self.lists.write(&mut writer, |writer, _, position| {
            if let Some(list) = lists.next() {
                list.write(0, position, writer);
            }
            Ok(())
        });
        self.room.store(writer.json.len().min(MAX_ROOM), Relaxed);
        let none: &[PathSegment] = &[];
        let errors: Vec<ServerError> = writer.errors.into_iter().map(|failure| failure.under(none)).collect();
        let mut response = Response::new(Value::Binary(writer.json.into()));
        response.errors = errors;
        response
    }
}

impl fmt::Debug for PlannedQuery {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PlannedQuery").finish_non_exhaustive()
    }
}
