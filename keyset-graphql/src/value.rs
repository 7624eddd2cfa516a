//! Objects and edges whose rows are known, for the payloads of mutations and for subscriptions.

use std::borrow::Cow;
use std::marker::PhantomData;

use async_graphql::parser::types::Field;
use async_graphql::registry::Registry;
use async_graphql::{ContextSelectionSet, OutputType, Pos, Positioned, ServerResult, Value};
use keyset::{Key, Order, Row};

use crate::connection::{self, edge_name};
use crate::object::{Fields, Model, RowObject};
use crate::plan::collect::{Collected, collect};
use crate::plan::fields::PlannedFields;
use crate::plan::object::{Objects, Selection};
use crate::plan::resolved::ResolvedField;
use crate::plan::writer::{Writer, Written};
use crate::plan::{Planner, Run};
use crate::{Reader, Result};

/// An object whose row is known. What is selected beside the row is read when it is shown.
pub struct Object<T: RowObject> {
    row: Model<T>,
    reader: Option<Reader>,
    marker: PhantomData<fn() -> T>,
}

impl<T: RowObject> Object<T> {
    /// The object of a row.
    pub fn new(row: Model<T>) -> Self {
        Self { row, reader: None, marker: PhantomData }
    }

    /// Reads through this connection, such as the transaction that the row was written in, instead of through that of
    /// the request.
    #[must_use]
    pub fn through(self, reader: &Reader) -> Self {
        Self { reader: Some(reader.clone()), ..self }
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

    /// As [`Object::through`].
    #[must_use]
    pub fn through(self, reader: &Reader) -> Self {
        Self { object: self.object.through(reader), ..self }
    }

    /// The object.
    pub fn object(&self) -> &Object<T> {
        &self.object
    }
}

/// What is selected of an edge.
enum EdgeField<T: RowObject> {
    TypeName,
    Cursor,
    Node(Box<Selection<T>>),
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

impl<T: RowObject> OutputType for Object<T> {
    fn type_name() -> Cow<'static, str> {
        T::NAME.into()
    }

    fn create_type_info(registry: &mut Registry) -> String {
        Fields::<T>::register(registry)
    }

    async fn resolve(&self, context: &ContextSelectionSet<'_>, field: &Positioned<Field>) -> ServerResult<Value> {
        let plan = |field: &Collected<'_>, planner: &mut Planner<'_>| Selection::new(&field.sets(), None, planner);
        let show = async |plan: &Selection<T>, run: &Run<'_>, writer: &mut Writer<'_>| {
            Ok(read(plan, &self.row, run).await?.write(0, writer))
        };
        ResolvedField::of(context, field).resolve(self.reader.as_ref(), plan, show).await
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
        let show = async |plan: &PlannedFields<EdgeField<T>>, run: &Run<'_>, writer: &mut Writer<'_>| {
            let mut objects = Vec::new();
            for planned in plan.selected(run.variables) {
                if let EdgeField::Node(selection) = planned {
                    objects.push((&**selection, read(selection, &self.object.row, run).await));
                }
            }
            Ok(self.write(plan, &objects, writer))
        };
        ResolvedField::of(context, field).resolve(self.object.reader.as_ref(), plan_edge::<T>, show).await
    }
}

fn plan_edge<T: RowObject>(edge: &Collected<'_>, planner: &mut Planner<'_>) -> PlannedFields<EdgeField<T>> {
    let name = edge_name(T::NAME);
    PlannedFields::new(&collect(&edge.sets(), planner.fragments, &|on| on == name), |field| {
        Some(match field.name() {
            "__typename" => EdgeField::TypeName,
            "cursor" => EdgeField::Cursor,
            "node" => EdgeField::Node(Box::new(Selection::new(&field.sets(), None, planner))),
            _ => return None,
        })
    })
}

impl<T: RowObject> Edge<T> {
    fn write(
        &self,
        plan: &PlannedFields<EdgeField<T>>,
        objects: &[(&Selection<T>, Result<Objects<'_, T>>)],
        writer: &mut Writer<'_>,
    ) -> Written {
        plan.write(writer, |writer, field, position: Pos| {
            let result = match field {
                EdgeField::TypeName => {
                    writer.value(&edge_name(T::NAME));
                    Ok(())
                }
                EdgeField::Cursor => {
                    self.order.seal(&self.key).map(|cursor| writer.value(&cursor.as_str())).map_err(Into::into)
                }
                EdgeField::Node(selection) => {
                    match objects
                        .iter()
                        .find(|(known, _)| std::ptr::eq(*known, selection.as_ref()))
                        .map(|(_, objects)| objects)
                    {
                        Some(Ok(objects)) => return objects.write(0, writer),
                        Some(Err(error)) => Err(error.clone()),
                        None => Ok(()),
                    }
                }
            };
            result.map_err(|error| writer.fail(error, position))
        })
    }
}

impl<T: RowObject> std::fmt::Debug for Object<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct(T::NAME).field("row", &self.row).finish_non_exhaustive()
    }
}
