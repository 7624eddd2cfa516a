//! Lists: their arguments, their rows and their order.

use std::collections::HashMap;
use std::marker::PhantomData;
use std::sync::Arc;

use async_graphql::{OutputType, Pos};
use keyset::{Lists, Order, Page};
use sea_orm::Select;

use crate::Result;
use crate::arguments::Given;
use crate::connection::Connection as ConnectionType;
use crate::filter::Scope;
use crate::input::InputFields;
use crate::keyed::Keyed;
use crate::object::{Column, Model, RowObject};
use crate::plan::collect::Collected;
use crate::plan::connection::{Connection, Connections};
use crate::plan::object::Boxed;
use crate::plan::writer::Writer;
use crate::plan::{Planner, Run};
use crate::registry::ObjectFields;

mod args;
mod root;
mod scan;

pub use args::{ListArgs, Matching, OrderBy};
pub(crate) use root::PlannedRoot;
pub use root::{RootLists, RootObject, Roots, costs};
pub use scan::Scan;

/// An object that there are lists of.
pub trait Listed: RowObject {
    /// The arguments of its lists, besides `first`, `after`, `last` and `before`.
    type Args: ListArgs;

    /// The rows of the list and their order.
    ///
    /// # Errors
    ///
    /// Any error; the list is then null beside it.
    fn rows(args: &Self::Args, scope: &mut Scope) -> Result<(Select<Self::Entity>, Order)>;
}

/// A declared list of the objects of each `T`.
pub(crate) trait NestedList<T: RowObject>: Send + Sync {
    fn register(&self, fields: &mut ObjectFields<'_>, name: &'static str, description: &'static str);
    fn plan(&self, field: &Collected<'_>, planner: &mut Planner<'_>) -> Box<dyn PlannedList<T>>;
}

/// A list in a plan.
pub(crate) trait PlannedList<T: RowObject>: Send + Sync {
    /// Reads the list of each of these rows.
    fn read<'a, 'p: 'a>(&'p self, run: &'a Run<'_>, rows: &'a [Model<T>]) -> Boxed<'a, Box<dyn ListRows + 'p>>;
}

/// Lists that were read together.
pub(crate) trait ListRows: Send + Sync {
    /// Writes the list of the object with this number; null beside an error if it failed. The field has this position.
    fn write(&self, number: usize, position: Pos, writer: &mut Writer<'_>);
}

/// The list of `U` under each `T`.
pub(crate) fn list_of<T: Keyed, U: Listed>(name: &'static str, column: Column<U>) -> Arc<dyn NestedList<T>> {
    struct OfParent<T, U: Listed>(&'static str, Column<U>, PhantomData<fn() -> T>);

    impl<T: Keyed, U: Listed> NestedList<T> for OfParent<T, U> {
        fn register(&self, fields: &mut ObjectFields<'_>, name: &'static str, description: &'static str) {
            register::<U>(fields, name, description);
        }

        fn plan(&self, field: &Collected<'_>, planner: &mut Planner<'_>) -> Box<dyn PlannedList<T>> {
            Box::new(PerParent { plan: Plan::<U>::new(T::NAME, self.0, field, planner), column: self.1 })
        }
    }

    struct PerParent<U: Listed> {
        plan: Plan<U>,
        column: Column<U>,
    }

    impl<T: Keyed, U: Listed> PlannedList<T> for PerParent<U> {
        fn read<'a, 'p: 'a>(&'p self, run: &'a Run<'_>, rows: &'a [Model<T>]) -> Boxed<'a, Box<dyn ListRows + 'p>> {
            // One object can stand at several places. Its list is read once.
            let (mut keys, mut known) = (Vec::<sea_orm::Value>::new(), HashMap::new());
            let mut number = |key: T::Key| {
                *known.entry(key).or_insert_with(|| {
                    keys.push(key.into());
                    keys.len() - 1
                })
            };
            let numbers = rows.iter().map(|row| number(T::key(row))).collect();
            Box::pin(async move {
                let read = self.plan.read(run, |rows| Lists::per_parent(rows, self.column, keys)).await;
                Box::new(Rows { numbers, ..read }) as Box<dyn ListRows>
            })
        }
    }

    Arc::new(OfParent::<T, U>(name, column, PhantomData))
}

fn register<U: Listed>(fields: &mut ObjectFields<'_>, name: &'static str, description: &'static str) {
    let ty = ConnectionType::<U>::create_type_info(fields.registry).trim_end_matches('!').to_owned();
    let mut arguments = InputFields::new(fields.registry);
    arguments
        .field::<Option<i32>>(
            "first",
            "At most this many, from the front: from 0 to the server's cap, which is 100 unless configured; 20 where \
             neither end is named.",
        )
        .field::<Option<String>>("after", "Only objects after this cursor.")
        .field::<Option<i32>>(
            "last",
            "At most this many, from the back, in the order of the list. Not together with `first`.",
        )
        .field::<Option<String>>("before", "Only objects before this cursor.");
    U::Args::describe(&mut arguments);
    let arguments = arguments.finish();
    fields.field_of(name, description, ty, arguments);
}

/// A list field of a document.
struct Plan<U: Listed> {
    /// The type and the field, for traces and metrics.
    name: String,
    arguments: Given,
    connection: Connection<U>,
}

impl<U: Listed> Plan<U> {
    fn new(parent: &str, name: &str, field: &Collected<'_>, planner: &mut Planner<'_>) -> Self {
        Self {
            name: format!("{parent}.{name}"),
            arguments: Given::of(&field.field().node),
            // Another statement: its joins are named from the beginning.
            connection: Connection::new(&field.sets(), &mut planner.of_statement()),
        }
    }

    async fn read<'p>(
        &'p self,
        run: &Run<'_>,
        lists: impl FnOnce(Select<U::Entity>) -> Lists<Select<U::Entity>> + Send,
    ) -> Rows<'p, U> {
        let connections = match self.page(run) {
            Ok((rows, page)) => Ok(self.connection.read(&self.name, lists(rows), page, run).await),
            Err(error) => Err(error),
        };
        let starts = connections.as_ref().map(Connections::starts).unwrap_or_default();
        Rows { connections, starts, numbers: Vec::new() }
    }

    /// The rows and the page that the arguments name.
    fn page(&self, run: &Run<'_>) -> Result<(Select<U::Entity>, Page)> {
        let arguments = self.arguments.bind(run.variables);
        let mut scope = Scope::new(run.reader);
        let (rows, order) = U::rows(&U::Args::read(&arguments)?, &mut scope)?;
        Ok((rows, Page::new(&arguments.page()?, &order, run.limits)?.on(scope.backend)?))
    }
}

struct Rows<'p, U: Listed> {
    connections: Result<Connections<'p, U>>,
    /// The number of the first object of each list.
    starts: Vec<usize>,
    /// The list of each parent, by its number; of a single list, nothing.
    numbers: Vec<usize>,
}

impl<U: Listed> ListRows for Rows<'_, U> {
    fn write(&self, parent: usize, position: Pos, writer: &mut Writer<'_>) {
        writer.nullable(|writer| match &self.connections {
            Ok(connections) => {
                let list = self.numbers.get(parent).copied().unwrap_or_default();
                connections.write(list, self.starts.get(list).copied().unwrap_or_default(), writer)
            }
            Err(error) => Err(writer.fail(error.clone(), position)),
        });
    }
}
