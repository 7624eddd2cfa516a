//! Objects and edges whose rows are known, for the payloads of mutations and for subscriptions.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use async_graphql::parser::types::Field;
use async_graphql::registry::Registry;
use async_graphql::{ContextSelectionSet, OutputType, Pos, Positioned, ServerResult, Value};
use keyset::{Column, Key, Models, Order, Row, StoredValue, TableRow};

use crate::connection::edge_name;
use crate::declare::declaration::Declaration;
use crate::declare::names::noun;
use crate::error::code;
use crate::object::{Model, RowObject};
use crate::plan::collect::Collected;
use crate::plan::connection::{Connections, PlannedPage};
use crate::plan::object::{Boxed, Objects, Selection};
use crate::plan::resolved;
use crate::plan::writer::{Shown, Writer};
use crate::plan::{Planner, Run};
use crate::{Error, Result};

/// An object whose row is known. What is selected beside the row is read when it is shown.
pub struct Object<T: RowObject> {
    row: Model<T>,
    marker: PhantomData<fn() -> T>,
}

impl<T: RowObject> Object<T> {
    /// The object of a row.
    pub fn new(row: Model<T>) -> Self {
        Self { row, marker: PhantomData }
    }

    /// Its row.
    pub fn row(&self) -> &Model<T> {
        &self.row
    }

    fn table_row(&self) -> TableRow {
        Models::<T::Entity>::default().row_of(self.row.clone())
    }
}

/// An object whose row is known, and its position in a list.
pub struct Edge<T: RowObject> {
    order: Order,
    key: Key,
    object: Object<T>,
}

impl<T: RowObject> Edge<T> {
    /// The edge of a row that was read under an order.
    pub fn new(order: &Order, row: Row<Model<T>>) -> Self {
        Self { order: order.clone(), key: row.key, object: Object::new(row.item) }
    }

    /// The edge of a row that was not read through a list, under an order by columns of its table.
    ///
    /// # Errors
    ///
    /// `INTERNAL` for an order by other columns.
    pub fn of_row(order: &Order, row: Model<T>) -> Result<Self> {
        Ok(Self { order: order.clone(), key: Key::of(order, &row)?, object: Object::new(row) })
    }

    /// The object.
    pub fn object(&self) -> &Object<T> {
        &self.object
    }
}

/// A value of a known row.
pub(crate) trait KnownRow: OutputType {
    /// What is selected of it.
    type Plan: Send + Sync + 'static;

    fn plan(field: &Collected<'_>, planner: &mut Planner<'_>) -> Self::Plan;

    /// Reads and writes what is selected. The field has this position.
    fn show<'a>(&'a self, plan: &'a Self::Plan, run: &'a Run<'_>, position: Pos) -> Boxed<'a, Shown>;
}

/// What is selected of the object of this name: it is declared, because its type is in the schema.
pub(crate) fn select(name: &str, field: &Collected<'_>, planner: &mut Planner<'_>) -> Selection {
    let index = planner.declaration.index(name).unwrap_or_default();
    Selection::new(index, &field.sets(), None, planner)
}

impl<T: RowObject> KnownRow for Object<T> {
    type Plan = Selection;

    fn plan(field: &Collected<'_>, planner: &mut Planner<'_>) -> Selection {
        select(T::NAME, field, planner)
    }

    fn show<'a>(&'a self, plan: &'a Selection, run: &'a Run<'_>, position: Pos) -> Boxed<'a, Shown> {
        Box::pin(async move {
            let (row, mut writer) = (self.table_row(), Writer::new(run));
            let objects = match check(T::NAME, &row, run).await {
                Ok(()) => read(plan, row, run).await,
                Err(error) => Err(error),
            };
            let written = match objects {
                Ok(objects) => objects.write(0, &mut writer),
                Err(error) => Err(writer.fail(error, position)),
            };
            writer.finish(written)
        })
    }
}

impl<T: RowObject> KnownRow for Edge<T> {
    type Plan = PlannedPage;

    fn plan(edge: &Collected<'_>, planner: &mut Planner<'_>) -> PlannedPage {
        PlannedPage::edge(T::NAME, edge, planner)
    }

    fn show<'a>(&'a self, plan: &'a PlannedPage, run: &'a Run<'_>, position: Pos) -> Boxed<'a, Shown> {
        Box::pin(async move {
            let mut writer = Writer::new(run);
            let row = || self.object.table_row();
            let written = match read_edge(plan, &self.order, &self.key, row, run).await {
                Ok(edge) => edge.write_edge(&mut writer),
                Err(error) => Err(writer.fail(error, position)),
            };
            writer.finish(written)
        })
    }
}

/// Reads what is selected of an edge beside its row. Each selection takes a row of its own.
pub(crate) async fn read_edge<'p>(
    plan: &'p PlannedPage,
    order: &Order,
    key: &Key,
    row: impl Fn() -> TableRow,
    run: &Run<'_>,
) -> Result<Connections<'p>> {
    check(plan.object(run), &row(), run).await?;
    let mut objects = Vec::new();
    for selection in plan.selections(run.variables) {
        objects.push(match selection {
            Some(selection) => Some(read(selection, row(), run).await?),
            None => None,
        });
    }
    Ok(plan.of_row(order, key, objects))
}

/// Refuses to show the row of an object of this name that its viewer may not see. Events were checked before.
async fn check(name: &str, row: &TableRow, run: &Run<'_>) -> Result<()> {
    let Some(object) = run.declaration.ruled(name).filter(|_| !run.is_event) else { return Ok(()) };
    let (table, failed) = (object.table_for(run.data), |error| run.reader.error(error));
    let value = |column: &Column| match row.get(column.number()) {
        StoredValue::Null => Ok(column.kind().null()),
        _ => row.value(column.number(), column.kind()),
    };
    let values: std::result::Result<Vec<_>, _> = table.columns().iter().map(value).collect();
    if keyset::has_row(run.reader, &table, &values.map_err(failed)?).await.map_err(failed)? {
        return Ok(());
    }
    Err(Error::client(code::FORBIDDEN, format!("you may not see this {}", noun(name))))
}

/// Reads what is selected of an object beside its row.
async fn read<'p>(selection: &'p Selection, row: TableRow, run: &Run<'_>) -> Result<Objects<'p>> {
    let failed = |error| run.reader.error(error);
    let mut objects = Objects::new(selection, run);
    let mut joins = Vec::new();
    selection.joins(run, &mut joins);
    let related = if joins.is_empty() {
        None
    } else {
        let references = selection.references(&row, run.variables).map_err(failed)?;
        Some(keyset::find_related(run, references, &joins).await.map_err(failed)?)
    };
    objects.push(row, related.as_ref()).map_err(failed)?;
    objects.load(run).await;
    Ok(objects)
}

/// The value of a field that an application resolves.
async fn resolve<K: KnownRow>(
    known: &K,
    context: &ContextSelectionSet<'_>,
    field: &Positioned<Field>,
) -> ServerResult<Value> {
    let show = async |plan: &K::Plan, run: &Run<'_>, writer: &mut Writer<'_>| {
        let shown = known.show(plan, run, field.pos).await;
        Ok(writer.append(shown))
    };
    resolved::resolve(context, field, K::plan, show).await
}

/// Registers the types of declared objects.
///
/// # Panics
///
/// Panics if no object of this name is declared.
pub(crate) fn register(name: &str, registry: &mut Registry) {
    let declaration = Declaration::building();
    assert!(declaration.index(name).is_some(), "the schema has the object `{name}`, which is not declared");
    declaration.register(registry);
}

impl<T: RowObject> OutputType for Object<T> {
    fn type_name() -> Cow<'static, str> {
        T::NAME.into()
    }

    fn create_type_info(registry: &mut Registry) -> String {
        register(T::NAME, registry);
        Self::qualified_type_name()
    }

    async fn resolve(&self, context: &ContextSelectionSet<'_>, field: &Positioned<Field>) -> ServerResult<Value> {
        resolve(self, context, field).await
    }
}

impl<T: RowObject> OutputType for Edge<T> {
    fn type_name() -> Cow<'static, str> {
        edge_name(T::NAME).into()
    }

    fn create_type_info(registry: &mut Registry) -> String {
        register(T::NAME, registry);
        Self::qualified_type_name()
    }

    async fn resolve(&self, context: &ContextSelectionSet<'_>, field: &Positioned<Field>) -> ServerResult<Value> {
        resolve(self, context, field).await
    }
}

impl<T: RowObject> fmt::Debug for Object<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct(T::NAME).field("row", &self.row).finish_non_exhaustive()
    }
}
