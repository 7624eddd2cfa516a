//! Objects and edges whose rows are known, for the payloads of mutations and for subscriptions.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use async_graphql::parser::types::Field;
use async_graphql::registry::Registry;
use async_graphql::{ContextSelectionSet, OutputType, Pos, Positioned, ServerResult, Value};
use keyset::{Key, Order, Row};

use crate::Result;
use crate::connection::{self, edge_name};
use crate::object::{Fields, Model, RowObject};
use crate::plan::collect::{Collected, collect};
use crate::plan::fields::PlannedFields;
use crate::plan::object::{Boxed, Objects, Selection};
use crate::plan::resolved;
use crate::plan::writer::{Shown, Writer, Written};
use crate::plan::{Planner, Run};

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

impl<T: RowObject> KnownRow for Object<T> {
    type Plan = Selection<T>;

    fn plan(field: &Collected<'_>, planner: &mut Planner<'_>) -> Selection<T> {
        Selection::new(&field.sets(), None, planner)
    }

    fn show<'a>(&'a self, plan: &'a Selection<T>, run: &'a Run<'_>, position: Pos) -> Boxed<'a, Shown> {
        Box::pin(async move {
            let (objects, mut writer) = (read(plan, &self.row, run).await, Writer::new(run));
            let written = match objects {
                Ok(objects) => objects.write(0, &mut writer),
                Err(error) => Err(writer.fail(error, position)),
            };
            writer.finish(written)
        })
    }
}

/// What is selected of an edge.
pub(crate) enum EdgeField<T: RowObject> {
    TypeName,
    Cursor,
    Node(Box<Selection<T>>),
}

impl<T: RowObject> KnownRow for Edge<T> {
    type Plan = PlannedFields<EdgeField<T>>;

    fn plan(edge: &Collected<'_>, planner: &mut Planner<'_>) -> Self::Plan {
        let name = edge_name(T::NAME);
        PlannedFields::new(&collect(&edge.sets(), planner.fragments, &|on| on == name), |field| {
            Some(match field.name() {
                "__typename" => EdgeField::TypeName,
                "cursor" => EdgeField::Cursor,
                "node" => EdgeField::Node(Box::new(Object::plan(field, planner))),
                _ => return None,
            })
        })
    }

    fn show<'a>(&'a self, plan: &'a Self::Plan, run: &'a Run<'_>, _: Pos) -> Boxed<'a, Shown> {
        Box::pin(async move {
            let mut objects = Vec::new();
            for field in plan.selected(run.variables) {
                if let EdgeField::Node(selection) = field {
                    objects.push(read(selection, &self.object.row, run).await);
                }
            }
            let (mut writer, mut objects) = (Writer::new(run), objects.into_iter());
            let written =
                plan.write(&mut writer, |writer, field, position| self.write(field, &mut objects, writer, position));
            writer.finish(written)
        })
    }
}

impl<T: RowObject> Edge<T> {
    /// Writes a field. The objects are those of the next fields.
    fn write<'p>(
        &self,
        field: &EdgeField<T>,
        objects: &mut impl Iterator<Item = Result<Objects<'p, T>>>,
        writer: &mut Writer<'_>,
        position: Pos,
    ) -> Written {
        let result = match field {
            EdgeField::TypeName => {
                writer.value(&edge_name(T::NAME));
                Ok(())
            }
            EdgeField::Cursor => {
                self.order.seal(&self.key).map(|cursor| writer.value(&cursor.as_str())).map_err(Into::into)
            }
            EdgeField::Node(_) => match objects.next() {
                Some(Ok(objects)) => return objects.write(0, writer),
                Some(Err(error)) => Err(error),
                None => Ok(()),
            },
        };
        result.map_err(|error| writer.fail(error, position))
    }
}

/// Reads what is selected of an object beside its row.
async fn read<'p, T: RowObject>(selection: &'p Selection<T>, row: &Model<T>, run: &Run<'_>) -> Result<Objects<'p, T>> {
    let mut objects = Objects::new(selection, run);
    let mut joins = Vec::new();
    selection.joins(run, &mut joins);
    let related = if joins.is_empty() {
        None
    } else {
        let references = selection.references(row, run.variables);
        let related = keyset::find_related(run.reader, references, &joins).await;
        Some(related.map_err(|error| run.reader.error(error))?)
    };
    let pushed = objects.push_known(row.clone(), related.as_ref());
    pushed.map_err(|error| run.reader.error(error))?;
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

impl<T: RowObject> OutputType for Object<T> {
    fn type_name() -> Cow<'static, str> {
        T::NAME.into()
    }

    fn create_type_info(registry: &mut Registry) -> String {
        Fields::<T>::register(registry)
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
        connection::register_edge::<T>(registry)
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
