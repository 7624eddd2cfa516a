//! Declared subscriptions: from the rows of events to responses.
//!
//! The server gives the events: it puts a [`RowEvents`] into the data of the schema.

use std::borrow::Cow;
use std::fmt;
use std::pin::Pin;
use std::sync::Arc;

use async_graphql::context::{QueryEnv, QueryPathNode, QueryPathSegment};
use async_graphql::futures_util::future::BoxFuture;
use async_graphql::futures_util::stream::{self, BoxStream, Stream, StreamExt};
use async_graphql::indexmap::IndexMap;
use async_graphql::parser::types::Field;
use async_graphql::{
    Context, ContextSelectionSet, Data, Positioned, Response, SchemaEnv, ServerError, ServerResult, Value as Json,
};
use keyset::{Column, Key, KeyError, Order, RowLayout};
use sea_orm::Value;

use crate::arguments::Given;
use crate::context::ContextExt;
use crate::declare::declaration::Declaration;
use crate::declare::event::EventField;
use crate::declare::guard;
use crate::declare::write::WriteKind;
use crate::error::code;
use crate::order::permitted;
use crate::plan::collect::{Collected, collect};
use crate::plan::connection::PlannedPage;
use crate::plan::fields::PlannedFields;
use crate::plan::variables::with_defaults;
use crate::plan::writer::{Writer, Written};
use crate::plan::{Planner, Run, resolved};
use crate::row_key::RowKey;
use crate::{Error, Result, value};

use shown::LastShown;

mod declared;
mod shown;

pub use declared::DeclaredSubscription;

/// The row of an event: its values, in the order of the columns of its table. Of a deleted object, those that
/// [`EventField::telling`] names; the others are NULL.
pub type EventRow = Arc<[Value]>;

/// Whether a subscriber asked for an event.
pub type Chooses = Box<dyn Fn(&EventRow) -> bool + Send>;

/// The events of a database.
pub trait RowEvents: Send + Sync {
    /// The rows of the events of this name that a subscriber chooses, from now on. An error ends them.
    fn subscribe<'a>(
        &'a self,
        context: &'a Context<'_>,
        event: &'a str,
        chooses: Chooses,
    ) -> BoxFuture<'a, Result<BoxStream<'static, Result<EventRow>>>>;
}

/// A subscription whose arguments were read.
struct Subscribed {
    declaration: Arc<Declaration>,
    /// Its number among the declared ones.
    number: usize,
    order: Order,
    layout: RowLayout,
    field: Positioned<Field>,
    query: QueryEnv,
    schema: SchemaEnv,
}

/// What is selected of an event.
enum Selected {
    Edge(Box<PlannedPage>, LastShown),
    Deleted(PlannedFields<Deleted>),
}

#[derive(Clone, Copy)]
enum Deleted {
    TypeName,
    Id,
}

/// The responses of a field of the subscription.
fn responses<'a>(context: &'a Context<'_>, number: usize) -> impl Stream<Item = Response> + Send + 'a {
    let begun = stream::once(async move {
        match subscribe(context, number).await {
            Ok(responses) => responses,
            Err(error) => {
                let error = async_graphql::Error::from(error).into_server_error(context.item.pos);
                let failed = Response::from_errors(vec![context.set_error_path(error)]);
                stream::once(std::future::ready(failed)).boxed()
            }
        }
    });
    begun.flatten()
}

async fn subscribe(context: &Context<'_>, number: usize) -> Result<BoxStream<'static, Response>> {
    let declaration = Arc::clone(context.declaration());
    let event = &declaration.events()[number];
    let query = context.query_env.clone();
    let environment = (query.clone(), context.schema_env.clone());
    if let Some(guard) = &event.guard {
        guard.check(&event.name, &environment)?;
    }
    let variables = with_defaults(&query.operation.node, Cow::Borrowed(&query.variables));
    let given = Given::of(&context.item.node);
    let arguments = given.bind(&variables);
    // A key and what refers to it can be integers of different widths.
    let key = |(column, value): (Column, Value)| (column, RowKey::of(&[value]));
    let object = declaration.object(event.object.index);
    let guarded = declaration.guarded(Cow::Borrowed(&variables), &environment);
    for reference in event.references.iter().filter(|reference| arguments.have_any(&[&reference.name])) {
        let guard = object.field(&reference.field).and_then(|field| field.guard.as_ref());
        guard::check(&reference.field, guard, &guarded)?;
    }
    let chosen: Vec<(Column, RowKey)> = event.chosen(&declaration, &arguments)?.into_iter().map(key).collect();
    let order = object.order(&permitted(object, arguments.value("orderBy").as_ref(), &guarded)?)?;
    let nulls: Vec<Value> = object.table.columns().iter().map(|column| column.kind().null()).collect();
    if let Err(KeyError::NotAColumn(_)) = Key::of_row(&order, &object.table, &nulls) {
        let message = "an event has the columns of its object alone: expected a sort order by these";
        return Err(Error::client(code::ORDER_NOT_OFFERED, message));
    }
    let chooses = Box::new(move |row: &EventRow| {
        let has = |(column, key): &(Column, RowKey)| {
            row.get(column.number()).is_some_and(|value| RowKey::of(std::slice::from_ref(value)) == *key)
        };
        chosen.iter().all(has)
    });
    let events = context.data_unchecked::<Arc<dyn RowEvents>>();
    let rows = events.subscribe(context, event.event_name(), chooses).await?;
    let subscribed = Arc::new(Subscribed {
        number,
        order,
        layout: RowLayout::of(&object.table),
        field: context.item.clone(),
        query,
        schema: context.schema_env.clone(),
        declaration: Arc::clone(&declaration),
    });
    Ok(rows.then(move |row| Arc::clone(&subscribed).respond(row)).boxed())
}

impl Subscribed {
    fn event(&self) -> &EventField {
        &self.declaration.events()[self.number]
    }

    async fn respond(self: Arc<Self>, row: Result<EventRow>) -> Response {
        let query = self.query.clone();
        let execute = |data: Option<Data>| {
            let this = Arc::clone(&self);
            async move { this.response(row, data.as_ref()).await }
        };
        query.extensions.execute(query.operation_name.as_deref(), execute).await
    }

    async fn response(&self, row: Result<EventRow>, data: Option<&Data>) -> Response {
        let name = &self.field.node.response_key().node;
        let path = QueryPathNode { parent: None, segment: QueryPathSegment::Name(name) };
        let context = self.query.create_context(&self.schema, Some(path), &self.field.node.selection_set, data);
        let resolved = match row {
            Ok(row) => self.resolve(&row, &context).await,
            Err(error) => {
                let error: ServerError = async_graphql::Error::from(error).into_server_error(self.field.pos);
                Err(context.set_error_path(error))
            }
        };
        let mut response = match resolved {
            Ok(value) => Response::new(Json::Object(IndexMap::from([(name.clone(), value)]))),
            Err(error) => Response::from_errors(vec![error]),
        };
        if let Ok(mut errors) = self.query.errors.lock() {
            response.errors.append(&mut errors);
        }
        response
    }

    /// The value of the field for an event.
    async fn resolve(&self, row: &EventRow, context: &ContextSelectionSet<'_>) -> ServerResult<Json> {
        let event = self.event();
        let plan = |field: &Collected<'_>, planner: &mut Planner<'_>| match event.kind {
            WriteKind::Create | WriteKind::Update => {
                Selected::Edge(Box::new(PlannedPage::edge(&event.object.name, field, planner)), LastShown::default())
            }
            WriteKind::Delete => {
                let fields = collect(&field.sets(), planner.fragments, &|on| on == event.ty());
                Selected::Deleted(PlannedFields::new(&fields, |field| match field.name() {
                    "__typename" => Some(Deleted::TypeName),
                    "deletedId" => Some(Deleted::Id),
                    _ => None,
                }))
            }
        };
        let show = async |plan: &Selected, run: &Run<'_>, writer: &mut Writer<'_>| match plan {
            Selected::Edge(plan, last) => {
                let is_for_all = is_for_all(plan, run);
                if is_for_all && let Some(json) = last.get(row, run.variables) {
                    writer.json.extend_from_slice(&json);
                    return Ok(Ok(()));
                }
                let key = Key::of_row(&self.order, self.layout.table(), row)?;
                let values = || self.layout.row_of_values(row.iter().cloned());
                let written = value::read_edge(plan, &self.order, &key, values, run).await?.write_edge(writer);
                if is_for_all && written.is_ok() && writer.errors.is_empty() {
                    last.put(row, run.variables, &writer.json);
                }
                Ok(written)
            }
            Selected::Deleted(fields) => Ok(self.write_deleted(fields, row, writer)),
        };
        resolved::resolve(context, &self.field, plan, show).await
    }

    fn write_deleted(&self, fields: &PlannedFields<Deleted>, row: &EventRow, writer: &mut Writer<'_>) -> Written {
        let event = self.event();
        fields.write(writer, |writer, field, position| {
            match field {
                Deleted::TypeName => writer.value(&event.ty()),
                Deleted::Id => {
                    let key = self.layout.table().key().filter_map(|column| row.get(column.number()).cloned());
                    match self.declaration.id(&event.object.name, &key.collect::<Vec<_>>()) {
                        Some(id) => writer.value(&id.0),
                        None => return Err(writer.fail(Error::internal(&fmt::Error), position)),
                    }
                }
            }
            Ok(())
        })
    }
}

/// Whether all who ask for the same see the same: nothing is hidden from anybody, and no code of the application says what is shown.
fn is_for_all(plan: &PlannedPage, run: &Run<'_>) -> bool {
    !run.declaration.has_rules() && !run.reader.hides_rows() && !plan.reads_more(run.variables)
}

/// A stream of responses in a box.
type Responses<'a> = Pin<Box<dyn Stream<Item = Response> + Send + 'a>>;
