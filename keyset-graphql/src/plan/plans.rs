//! The plans of a document, and the queries that need nothing else.

use std::any::Any;
use std::collections::HashMap;
use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_graphql::context::QueryEnvInner;
use async_graphql::parser::types::{DocumentOperations, ExecutableDocument, OperationDefinition};
use async_graphql::{Name, PathSegment, Pos, Positioned, Response, ServerError, Value, Variables};
use keyset::Limits;

use super::Run;
use super::collect::{Chain, collect};
use super::document::Document;
use super::fields::PlannedFields;
use super::pause::pause;
use super::resolved::RootPlan;
use super::writer::Writer;
use crate::Reader;
use crate::root::{PlannedRoot, RootValue};

/// The plans of a document. Put it into the data of each request that executes the document: then it is planned once.
///
/// The variables of these requests must hold the defaults of absent ones: see
/// [`with_defaults`](crate::with_defaults).
#[derive(Clone)]
pub struct Plans(Arc<Planning>);

/// The document, and its plans so far.
struct Planning {
    document: Document,
    /// The name of the query type.
    query_type: Arc<str>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    fields: HashMap<Place, Vec<Arc<dyn Any + Send + Sync>>>,
    queries: HashMap<Pos, Option<Arc<PlannedQuery>>>,
}

/// What a plan is for.
#[derive(PartialEq, Eq, Hash)]
pub(super) enum Place {
    /// The field of a query with this response key, by the place of the operation.
    OfQuery(Pos, Name),
    /// The field at this place, such as one of a payload. In a fragment, it can be of several types.
    Field(Pos),
}

/// A declared field of a query.
type DeclaredRoot = RootPlan<PlannedRoot>;

/// A field of a query.
enum RootField {
    TypeName(Arc<str>),
    Declared(Arc<DeclaredRoot>),
}

impl Plans {
    /// No plans yet. This is the whole document: before it executes one, the library removes what `@skip` and `@include`
    /// exclude in one request. The query type of the schema has this name.
    pub fn of(document: ExecutableDocument, query_type: &str) -> Self {
        let document = Document::new(document);
        Self(Arc::new(Planning { document, query_type: query_type.into(), state: Mutex::default() }))
    }

    /// No plans of what this request executes.
    pub(super) fn of_request(request: &QueryEnvInner) -> Self {
        let operations = DocumentOperations::Single(request.operation.clone());
        Self::of(ExecutableDocument { operations, fragments: request.fragments.clone() }, "")
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

    /// The plan for this place, which `plan` makes unless it is known.
    pub(super) fn get<P: Send + Sync + 'static>(&self, place: Place, plan: impl FnOnce() -> P) -> Arc<P> {
        let mut state = self.state();
        let known = state.fields.entry(place).or_default();
        if let Some(known) = known.iter().find_map(|known| Arc::clone(known).downcast().ok()) {
            return known;
        }
        let planned = Arc::new(plan());
        known.push(Arc::<P>::clone(&planned));
        planned
    }

    /// The plan of a whole query of the document: if all of its fields are declared by [`RootFields`](crate::RootFields)
    /// or `__typename`, and a request has executed the document with these plans.
    pub fn query(&self, operation: &Positioned<OperationDefinition>) -> Option<Arc<PlannedQuery>> {
        let mut state = self.state();
        if let Some(query) = state.queries.get(&operation.pos) {
            return query.clone();
        }
        let set = vec![(Chain::default(), &operation.node.selection_set.node)];
        let collected = collect(&set, &self.document().fragments, &|_| true);
        let (mut is_planned, mut is_declared) = (true, true);
        let fields = PlannedFields::new(&collected, |field| {
            if field.name() == "__typename" {
                return Some(RootField::TypeName(Arc::clone(&self.0.query_type)));
            }
            let plans = state.fields.get(&Place::OfQuery(operation.pos, field.key.clone()));
            let plans = plans.map(Vec::as_slice).unwrap_or_default();
            let declared = plans.iter().find_map(|plan| Arc::clone(plan).downcast::<DeclaredRoot>().ok());
            is_planned &= !plans.is_empty();
            is_declared &= if plans.is_empty() { !field.name().starts_with("__") } else { declared.is_some() };
            declared.map(RootField::Declared)
        });
        // A field that is not planned yet may be, by a request that selects it.
        if is_declared && !is_planned {
            return None;
        }
        let query = is_declared.then(|| Arc::new(PlannedQuery { fields, room: AtomicUsize::default() }));
        state.queries.insert(operation.pos, query.clone());
        query
    }
}

impl fmt::Debug for Plans {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Plans").finish_non_exhaustive()
    }
}

/// The plan of a query. It is executed without async-graphql.
pub struct PlannedQuery {
    fields: PlannedFields<RootField>,
    /// The length of the last response in bytes, at most [`MAX_ROOM`]: the next one is about as long.
    room: AtomicUsize,
}

/// The most bytes that a response is given room for before it is written.
const MAX_ROOM: usize = 64 << 10;

impl PlannedQuery {
    /// Executes the query. The data are JSON, as [`Verbatim`](crate::json::Verbatim) says.
    pub async fn execute(&self, reader: &Reader, limits: Limits, variables: &Variables) -> Response {
        let run = Run { reader, limits, variables, is_event: false };
        let run = run.of_whole_query(|| {
            let mut fields = self.fields.selected(variables).filter(|field| matches!(field, RootField::Declared(_)));
            let (first, second) = (fields.next(), fields.next());
            second.is_none() && matches!(first, Some(RootField::Declared(only)) if only.0.reads_once(variables))
        });
        let mut values: Vec<Box<dyn RootValue + '_>> = Vec::new();
        for field in self.fields.selected(variables) {
            if let RootField::Declared(plan) = field {
                // Many fields are no long piece of work.
                if !values.is_empty() {
                    pause().await;
                }
                values.push(plan.0.read(&run).await);
                if values.last().is_some_and(|value| value.fails_query()) {
                    break;
                }
            }
        }
        let (mut writer, mut values) = (Writer::with_room(&run, self.room.load(Relaxed)), values.iter());
        let written = self.fields.write(&mut writer, |writer, field, position| match field {
            RootField::TypeName(name) => {
                writer.value(&**name);
                Ok(())
            }
            RootField::Declared(_) => values.next().map_or(Ok(()), |value| value.write(position, writer)),
        });
        let Writer { json, mut errors, .. } = writer;
        self.room.store(json.len().min(MAX_ROOM), Relaxed);
        let data = if written.is_ok() {
            Value::Binary(json.into())
        } else {
            // As in the library, the error that fails the query is the first.
            errors.rotate_right(1);
            Value::Null
        };
        let none: &[PathSegment] = &[];
        let errors: Vec<ServerError> = errors.into_iter().map(|failure| failure.under(none)).collect();
        let mut response = Response::new(data);
        response.errors = errors;
        response
    }
}

impl fmt::Debug for PlannedQuery {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PlannedQuery").finish_non_exhaustive()
    }
}
