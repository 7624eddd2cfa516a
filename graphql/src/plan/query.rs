//! The plan of a query: its declared fields are read by plans, the other ones are resolved by async-graphql.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use async_graphql::futures_util::future::{BoxFuture, join};
use async_graphql::futures_util::stream::{self, StreamExt};
use async_graphql::parser::types::{ExecutableDocument, OperationDefinition};
use async_graphql::{PathSegment, Response, ServerError, Value, Variables};

use super::alone::Alone;
use super::collect::{Chain, collect};
use super::fields::PlannedFields;
use super::pause::pause;
use super::root::{PlannedRoot, RootValue};
use super::writer::{Null, Writer};
use super::{Planner, Run};
use crate::declare::declaration::Declaration;
use crate::declare::guard::Guard;
use crate::{Error, Reader, RequestData, json};

/// The number of fields that are resolved at a time.
const AT_ONCE: usize = 4;

/// The most bytes that a response is given room for before it is written.
const MAX_ROOM: usize = 64 << 10;

/// The plan of a query.
pub struct PlannedQuery {
    declaration: Arc<Declaration>,
    fields: PlannedFields<QueryField>,
    /// The length of the last response in bytes, at most [`MAX_ROOM`]: the next one is about as long.
    room: AtomicUsize,
}

/// A field of a query.
enum QueryField {
    /// `__typename`.
    TypeName,
    /// One of the declaration.
    Declared(Box<PlannedRoot>),
    /// A resolver of the application, or introspection.
    Resolved(Box<Alone>),
    /// One of the declaration that its guard does not allow.
    Refused(Error),
}

/// Resolves a document with a single field at its root, whose response key can repeat. The request has the variables, and
/// what resolvers of the schema expect in its data.
pub type Resolve<'a> = dyn Fn(ExecutableDocument) -> BoxFuture<'a, Response> + Send + Sync + 'a;

impl PlannedQuery {
    pub(super) fn of(
        query: &OperationDefinition,
        document: &ExecutableDocument,
        declaration: &Arc<Declaration>,
    ) -> Self {
        let set = vec![(Chain::default(), &query.selection_set.node)];
        let root = |name: &str| declaration.roots().iter().find(|root| root.name == name);
        let guard = |name: &str| root(name)?.guard.as_ref();
        let refused = |name: &str, _: &Guard| QueryField::Refused(Guard::refusal(name));
        let collected = collect(&set, &document.fragments, &|_| true);
        let fields = PlannedFields::guarded(&collected, guard, refused, |field| {
            Some(if field.name() == "__typename" {
                QueryField::TypeName
            } else {
                let mut planner = Planner::new(&document.fragments, declaration);
                match root(field.name()) {
                    Some(root) => QueryField::Declared(Box::new(PlannedRoot::new(root, field, &mut planner))),
                    None => QueryField::Resolved(Box::new(Alone::new(field, query, &document.fragments))),
                }
            })
        });
        Self { declaration: Arc::clone(declaration), fields, room: AtomicUsize::default() }
    }

    /// Whether async-graphql resolves a field of it.
    pub fn is_resolved(&self, variables: &Variables) -> bool {
        self.fields.selected(variables).any(|field| matches!(field, QueryField::Resolved(_)))
    }

    /// Executes the query. Resolved fields of objects find these data of the request. The data of the response are JSON, as [`json::write`] writes them.
    pub async fn execute(
        &self,
        reader: &Reader,
        variables: &Variables,
        data: &dyn RequestData,
        resolve: &Resolve<'_>,
    ) -> Response {
        let guarded = self.declaration.guarded(Cow::Borrowed(variables), data);
        let variables = &*guarded;
        let run = Run { reader, declaration: &self.declaration, variables, data, is_event: false };
        let run = run.of_whole_query(|| self.reads_once(&run));
        let (values, resolved) = if self.is_resolved(variables) {
            // On the heap: otherwise each query would have room for it.
            join(self.read(&run), Box::pin(self.resolve(variables, resolve))).await
        } else {
            (self.read(&run).await, Vec::new())
        };
        self.write(&run, &values, resolved)
    }

    /// Whether one statement reads all of it.
    fn reads_once(&self, run: &Run<'_>) -> bool {
        let mut fields = self.fields.selected(run.variables).filter(|field| !matches!(field, QueryField::TypeName));
        let (first, second) = (fields.next(), fields.next());
        second.is_none() && matches!(first, Some(QueryField::Declared(only)) if only.reads_once(run))
    }

    /// Reads the declared fields.
    async fn read(&self, run: &Run<'_>) -> Vec<RootValue<'_>> {
        let mut values: Vec<RootValue<'_>> = Vec::new();
        for field in self.fields.selected(run.variables) {
            if let QueryField::Declared(plan) = field {
                // Many fields are no long piece of work.
                if !values.is_empty() {
                    pause().await;
                }
                values.push(plan.read(run).await);
                if values.last().is_some_and(RootValue::fails_query) {
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
            if let QueryField::Resolved(field) = field {
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
    fn write(&self, run: &Run<'_>, values: &[RootValue<'_>], resolved: Vec<Response>) -> Response {
        let mut writer = Writer::with_room(run, self.room.load(Relaxed));
        let (mut values, mut resolved, mut others) = (values.iter(), resolved.into_iter(), Vec::new());
        let written = self.fields.write(&mut writer, |writer, field, position| match field {
            QueryField::TypeName => {
                writer.value(self.declaration.query_type());
                Ok(())
            }
            QueryField::Refused(error) => {
                writer.nullable(|writer| Err(writer.fail(error.clone(), position)));
                Ok(())
            }
            QueryField::Declared(_) => values.next().map_or(Ok(()), |value| value.write(position, writer)),
            QueryField::Resolved(_) => {
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
