//! The plan of a query: its declared fields are read by plans, the other ones are resolved by async-graphql.

use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use async_graphql::futures_util::future::{BoxFuture, join};
use async_graphql::futures_util::stream::{self, StreamExt};
use async_graphql::parser::types::{ExecutableDocument, OperationDefinition};
use async_graphql::{PathSegment, Response, ServerError, Value, Variables};

use super::alone::Alone;
use super::collect::{Chain, collect};
use super::fields::PlannedFields;
use super::pause::pause;
use super::writer::{Null, Writer};
use super::{Planner, Run};
use crate::root::{Declaration, ReadRoot, RootValue};
use crate::{Reader, json};

/// The number of fields that are resolved at a time.
const AT_ONCE: usize = 4;

/// The most bytes that a response is given room for before it is written.
const MAX_ROOM: usize = 64 << 10;

/// The plan of a query.
pub struct PlannedQuery {
    fields: PlannedFields<RootField>,
    /// The length of the last response in bytes, at most [`MAX_ROOM`]: the next one is about as long.
    room: AtomicUsize,
}

/// A field of a query.
enum RootField {
    /// `__typename`.
    TypeName(&'static str),
    /// One of the declaration.
    Declared(Box<dyn ReadRoot>),
    /// A resolver of the application, or introspection.
    Resolved(Box<Alone>),
}

/// Resolves a document with a single field at its root, whose response key can repeat. The request has the variables, and
/// what resolvers of the schema expect in its data.
pub type Resolve<'a> = dyn Fn(ExecutableDocument) -> BoxFuture<'a, Response> + Send + Sync + 'a;

impl PlannedQuery {
    pub(super) fn of(query: &OperationDefinition, document: &ExecutableDocument, declared: &Declaration) -> Self {
        let set = vec![(Chain::default(), &query.selection_set.node)];
        let fields = PlannedFields::new(&collect(&set, &document.fragments, &|_| true), |field| {
            Some(if field.name() == "__typename" {
                RootField::TypeName(declared.query_type())
            } else {
                let mut planner = Planner::new(&document.fragments, declared.types());
                match declared.plan(field, &mut planner) {
                    Some(plan) => RootField::Declared(plan),
                    None => RootField::Resolved(Box::new(Alone::new(field, query, &document.fragments))),
                }
            })
        });
        Self { fields, room: AtomicUsize::default() }
    }

    /// Whether async-graphql resolves a field of it.
    pub fn is_resolved(&self, variables: &Variables) -> bool {
        self.fields.selected(variables).any(|field| matches!(field, RootField::Resolved(_)))
    }

    /// Executes the query. The data of the response are JSON, as [`json::write`] writes them.
    pub async fn execute(&self, reader: &Reader, variables: &Variables, resolve: &Resolve<'_>) -> Response {
        let run = Run { reader, variables, is_event: false };
        let run = run.of_whole_query(|| self.reads_once(variables));
        let (values, resolved) = if self.is_resolved(variables) {
            // On the heap: otherwise each query would have room for it.
            join(self.read(&run), Box::pin(self.resolve(variables, resolve))).await
        } else {
            (self.read(&run).await, Vec::new())
        };
        self.write(&run, &values, resolved)
    }

    /// Whether one statement reads all of it.
    fn reads_once(&self, variables: &Variables) -> bool {
        let mut fields = self.fields.selected(variables).filter(|field| !matches!(field, RootField::TypeName(_)));
        let (first, second) = (fields.next(), fields.next());
        second.is_none() && matches!(first, Some(RootField::Declared(only)) if only.reads_once(variables))
    }

    /// Reads the declared fields.
    async fn read<'p>(&'p self, run: &Run<'_>) -> Vec<Box<dyn RootValue + 'p>> {
        let mut values: Vec<Box<dyn RootValue + 'p>> = Vec::new();
        for field in self.fields.selected(run.variables) {
            if let RootField::Declared(plan) = field {
                // Many fields are no long piece of work.
                if !values.is_empty() {
                    pause().await;
                }
                values.push(plan.read(run).await);
                if values.last().is_some_and(|value| value.fails_query()) {
                    break;
                }
            }
        }
        values
    }

    /// Resolves the other fields, a few at a time.
    async fn resolve(&self, variables: &Variables, resolve: &Resolve<'_>) -> Vec<Response> {
        let mut documents = Vec::new();
        for field in self.fields.selected(variables) {
            if let RootField::Resolved(field) = field {
                documents.push(field.document(variables));
            }
        }
        let mut responses = Vec::new();
        let mut resolved = stream::iter(documents).map(resolve).buffered(AT_ONCE);
        while let Some(response) = resolved.next().await {
            responses.push(response);
            pause().await;
        }
        responses
    }

    /// Writes the response. Both have the values of their fields in order.
    fn write(&self, run: &Run<'_>, values: &[Box<dyn RootValue + '_>], resolved: Vec<Response>) -> Response {
        let mut writer = Writer::with_room(run, self.room.load(Relaxed));
        let (mut values, mut resolved, mut others) = (values.iter(), resolved.into_iter(), Vec::new());
        let written = self.fields.write(&mut writer, |writer, field, position| match field {
            RootField::TypeName(name) => {
                writer.value(*name);
                Ok(())
            }
            RootField::Declared(_) => values.next().map_or(Ok(()), |value| value.write(position, writer)),
            RootField::Resolved(_) => {
                let Response { data, errors, .. } = resolved.next().unwrap_or_default();
                others.extend(errors);
                let Value::Object(members) = data else { return Err(Null) };
                members.values().for_each(|value| json::write(value, &mut writer.json));
                Ok(())
            }
        });
        let Writer { json, mut errors, .. } = writer;
        self.room.store(json.len().min(MAX_ROOM), Relaxed);
        let data = if written.is_ok() {
            Value::Binary(json.into())
        } else {
            // As in the library, the error that fails the query is the first. A resolved field has its own.
            let last = errors.len().min(1);
            errors.rotate_right(last);
            Value::Null
        };
        let none: &[PathSegment] = &[];
        let errors: Vec<ServerError> = errors.into_iter().map(|failure| failure.under(none)).chain(others).collect();
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
