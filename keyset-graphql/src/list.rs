//! Lists: their arguments, their rows and their order.

use std::collections::HashMap;
use std::marker::PhantomData;
use std::sync::{Arc, OnceLock};

use async_graphql::{ID, OutputType, Pos, Variables};
use keyset::{Around, ColumnSet, EntityRow, Kept, Lists, Order, Page, ReadRows as _};
use sea_orm::{Condition, DbErr, QueryTrait as _, Select};

use crate::arguments::{Arguments, Given};
use crate::connection::Connection as ConnectionType;
use crate::error::code;
use crate::filter::Scope;
use crate::input::InputFields;
use crate::keyed::{KeyOf, Keyed};
use crate::object::{Column, Fields, Identity, RowObject};
use crate::plan::collect::Collected;
use crate::plan::connection::{Asked, Connection, Connections, Counting};
use crate::plan::object::Boxed;
use crate::plan::writer::{Writer, Written};
use crate::plan::{Planner, Run};
use crate::registry::ObjectFields;
use crate::root::{ReadRoot, RootValue};
use crate::{Error, Result};

mod args;
mod scan;

pub use args::FieldArgs;
pub use scan::{ListField, Scan};

/// An object that there are lists of.
pub trait Listed: RowObject {
    /// The arguments of its lists, besides `first`, `after`, `last` and `before`.
    type Args: FieldArgs;

    /// Whether [`rows`](Self::rows) depends on nothing but the arguments. Where no variable decides them, the plan of a document
    /// then keeps the rows and their order, for all requests, which saves time.
    ///
    /// Leave it as it is where a tenant, a viewer, a setting or the time decides. In a debug build, rows that differ from those
    /// that were kept are an error of the list.
    const FOLLOWS_FROM_ARGS: bool = false;

    /// The rows of the list and their order. It is called for each request, in its task. The query selects all columns of the
    /// table: those that a request does not need are left out of it.
    ///
    /// # Errors
    ///
    /// Any error; the list is then null beside it.
    fn rows(args: &Self::Args, scope: &mut Scope) -> Result<(Select<Self::Entity>, Order)>;
}

/// A declared list of the objects of each `T`.
pub(crate) trait NestedList<T: RowObject>: Send + Sync {
    fn register(&self, fields: &mut ObjectFields<'_>, name: &'static str, description: &'static str);
    /// The list as a document selects it. `kept` says where its count is kept.
    fn plan(&self, kept: Option<Kept>, field: &Collected<'_>, planner: &mut Planner<'_>) -> Box<dyn PlannedList<T>>;
}

/// A list in a plan.
pub(crate) trait PlannedList<T: RowObject>: Send + Sync {
    /// What it reads of each row.
    fn columns(&self) -> ColumnSet;

    /// Reads the list of each of these rows.
    fn read<'a, 'p: 'a>(
        &'p self,
        run: &'a Run<'_>,
        rows: &'a [EntityRow<T::Entity>],
    ) -> Boxed<'a, Box<dyn ListRows + 'p>>;
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

        fn plan(
            &self,
            kept: Option<Kept>,
            field: &Collected<'_>,
            planner: &mut Planner<'_>,
        ) -> Box<dyn PlannedList<T>> {
            let plan = Plan::<U>::new(T::NAME, self.0, kept, field, planner);
            let plan = Plan { parent: Some(self.1), ..plan };
            Box::new(PerParent { plan, column: self.1, key: KeyOf::<T>::new() })
        }
    }

    struct PerParent<T, U: Listed> {
        plan: Plan<U>,
        column: Column<U>,
        key: KeyOf<T>,
    }

    impl<T: Keyed, U: Listed> PerParent<T, U> {
        /// The keys of these rows, and the number of each row's key. One object can stand at several places. Its list is read
        /// once.
        fn keys(&self, rows: &[EntityRow<T::Entity>]) -> std::result::Result<(Vec<sea_orm::Value>, Vec<usize>), DbErr> {
            let (mut keys, mut known) = (Vec::new(), HashMap::new());
            let mut number = |key: T::Key| {
                *known.entry(key).or_insert_with(|| {
                    keys.push(key.into());
                    keys.len() - 1
                })
            };
            let mut numbers = Vec::with_capacity(rows.len());
            for row in rows {
                numbers.push(number(self.key.of(row)?));
            }
            Ok((keys, numbers))
        }
    }

    impl<T: Keyed, U: Listed> PlannedList<T> for PerParent<T, U> {
        fn columns(&self) -> ColumnSet {
            self.key.columns()
        }

        fn read<'a, 'p: 'a>(
            &'p self,
            run: &'a Run<'_>,
            rows: &'a [EntityRow<T::Entity>],
        ) -> Boxed<'a, Box<dyn ListRows + 'p>> {
            Box::pin(async move {
                let read = match self.keys(rows) {
                    Ok((keys, numbers)) => {
                        let lists = |rows| Lists::per_parent(rows, self.column, keys);
                        Rows { numbers, ..self.plan.read(run, lists).await }
                    }
                    Err(error) => Rows::failed(run.reader.error(error)),
                };
                Box::new(read) as Box<dyn ListRows>
            })
        }
    }

    Arc::new(OfParent::<T, U>(name, column, PhantomData))
}

/// Plans the list of all objects, a field of the query with this name.
pub(crate) fn plan_root<U: Listed>(
    query: &str,
    name: &str,
    kept: Option<Kept>,
    field: &Collected<'_>,
    planner: &mut Planner<'_>,
) -> Box<dyn ReadRoot> {
    Box::new(Plan::<U>::new(query, name, kept, field, planner))
}

impl<U: Listed> ReadRoot for Plan<U> {
    fn reads_once(&self, variables: &Variables) -> bool {
        self.connection.reads_once(variables) && !self.arguments.bind(variables).have_any(&["offset", "around"])
    }

    fn read<'a, 'p: 'a>(&'p self, run: &'a Run<'_>) -> Boxed<'a, Box<dyn RootValue + 'p>> {
        Box::pin(async move { Box::new(self.read(run, Lists::one).await) as Box<dyn RootValue> })
    }
}

pub(crate) fn register<U: Listed>(fields: &mut ObjectFields<'_>, name: &'static str, description: &'static str) {
    let ty = ConnectionType::<U>::create_type_info(fields.registry).trim_end_matches('!').to_owned();
    let mut arguments = InputFields::new(fields.registry);
    arguments
        .field::<Option<i32>>(
            "first",
            "Returns at most this many objects from the start. The value is from 0 to the maximum of the server, which is 100 by \
             default. Without `first` and `last`, a page has at most 20 objects.",
        )
        .field::<Option<String>>("after", "Returns only objects after this cursor.")
        .field::<Option<i32>>(
            "last",
            "Returns at most this many objects from the end, in the order of the list. The value has the same limits as `first`. \
             Not allowed with `first`.",
        )
        .field::<Option<String>>("before", "Returns only objects before this cursor.")
        .field::<Option<i32>>(
            "offset",
            "Skips this many objects from the start, or with `last` from the end. The value is from 0 to the maximum of the \
             server, which is 1,000,000 by default. Not allowed with a cursor or `around`. The database reads the keys of all skipped objects: use cursors \
             for the next pages.",
        );
    if Fields::<U>::of().identity.is_some() {
        arguments.field::<Option<ID>>(
            "around",
            "Returns the page of `first` objects around the object with this global id. The object is in the middle, unless an \
             end of the list is near. Not allowed with `last`, `offset` or a cursor. Fails with `NOT_FOUND` if the list does \
             not contain the object.",
        );
    }
    U::Args::describe(&mut arguments);
    let arguments = arguments.finish();
    fields.null_beside_error(name, description, ty, arguments);
}

/// A list field of a document.
struct Plan<U: Listed> {
    /// The type and the field, for traces and metrics.
    name: String,
    /// Where the number of objects without a filter is kept.
    kept: Option<Kept>,
    /// What refers to the parent, in a nested list.
    parent: Option<Column<U>>,
    arguments: Given,
    /// What is read, where no variable decides the rows and their order.
    fixed: Option<OnceLock<Fixed<U>>>,
    identity: Option<Identity>,
    connection: Connection<U>,
}

/// The rows of a list with the columns that a request selected of them, and their order.
struct Fixed<U: Listed> {
    columns: ColumnSet,
    rows: Select<U::Entity>,
    order: Order,
}

impl<U: Listed> Plan<U> {
    fn new(parent: &str, name: &str, kept: Option<Kept>, field: &Collected<'_>, planner: &mut Planner<'_>) -> Self {
        let arguments = Given::of(&field.field().node);
        Self {
            name: format!("{parent}.{name}"),
            kept,
            parent: None,
            fixed: (U::FOLLOWS_FROM_ARGS && arguments.are_fixed(scan::decides_rows)).then(OnceLock::new),
            arguments,
            identity: planner.declared::<U>().identity.clone(),
            // Another statement: its joins are named from the beginning.
            connection: Connection::new(&field.sets(), &mut planner.of_statement()),
        }
    }

    async fn read<'p>(
        &'p self,
        run: &Run<'_>,
        lists: impl FnOnce(Select<U::Entity>) -> Lists<Select<U::Entity>> + Send,
    ) -> Rows<'p, U> {
        let connections = match self.asked(run) {
            Ok((rows, asked)) => {
                let arguments = self.arguments.bind(run.variables);
                let kept = self.kept.as_ref().filter(|_| !scan::is_filtered(&arguments));
                let expected =
                    |statistics| scan::expected::<U>(&arguments, self.parent, run.reader.backend(), statistics);
                let counting = Counting { kept, expected: &expected };
                Ok(self.connection.read(&self.name, lists(rows), counting, asked, run).await)
            }
            Err(error) => Err(error),
        };
        let starts = connections.as_ref().map(Connections::starts).unwrap_or_default();
        Rows { connections, starts, numbers: Vec::new() }
    }

    /// The rows, and what the arguments ask of them.
    fn asked(&self, run: &Run<'_>) -> Result<(Select<U::Entity>, Asked)> {
        let arguments = self.arguments.bind(run.variables);
        let (rows, order) = self.rows(&arguments, run)?;
        let asked = match self.around(&arguments)? {
            Some(row) => Asked::Around(Around::new(&arguments.page()?, &order, run.reader.limits(), row)?),
            None => Asked::Page(Page::new(&arguments.page()?, &order, run.reader.limits())?.on(run.reader.backend())?),
        };
        Ok((rows, asked))
    }

    /// The rows with the columns that are selected, and their order.
    fn rows(&self, arguments: &Arguments<'_>, run: &Run<'_>) -> Result<(Select<U::Entity>, Order)> {
        let columns = self.connection.columns(run.variables);
        let known = self.fixed.as_ref().and_then(OnceLock::get).filter(|known| known.columns == columns);
        if let Some(known) = known {
            if cfg!(debug_assertions) {
                self.check(known, arguments, run)?;
            }
            return Ok((known.rows.clone(), known.order.clone()));
        }
        let (rows, order) = self.of_request(columns, arguments, run)?;
        if let Some(fixed) = &self.fixed {
            // Kept is what the first request selects. Where directives select other columns, it is made again.
            let _ = fixed.set(Fixed { columns, rows: rows.clone(), order: order.clone() });
        }
        Ok((rows, order))
    }

    fn of_request(
        &self,
        columns: ColumnSet,
        arguments: &Arguments<'_>,
        run: &Run<'_>,
    ) -> Result<(Select<U::Entity>, Order)> {
        let mut scope = Scope::new(run.reader);
        if let Some(column) = &self.parent {
            scope.of_parent(column);
        }
        let (rows, order) = U::rows(&U::Args::read(arguments)?, &mut scope)?;
        Ok((keyset::selected(rows, columns), order))
    }

    /// Checks that this request has the rows that are kept.
    fn check(&self, known: &Fixed<U>, arguments: &Arguments<'_>, run: &Run<'_>) -> Result<()> {
        let (rows, order) = self.of_request(known.columns, arguments, run)?;
        if (rows.as_query(), &order) == (known.rows.as_query(), &known.order) {
            return Ok(());
        }
        let message = format!("the rows of {} do not follow from its arguments: FOLLOWS_FROM_ARGS is wrong", U::NAME);
        Err(Error::internal(&DbErr::Custom(message)))
    }

    /// The object that the page is to be around.
    fn around(&self, arguments: &Arguments<'_>) -> Result<Option<Condition>> {
        let Some(identity) = &self.identity else { return Ok(None) };
        arguments.get::<Option<ID>>("around")?.map(|id| identity(&id)).transpose()
    }
}

/// A list is null beside its error, and fails nothing around it.
impl<U: Listed> RootValue for Rows<'_, U> {
    fn write(&self, position: Pos, writer: &mut Writer<'_>) -> Written {
        ListRows::write(self, 0, position, writer);
        Ok(())
    }
}

struct Rows<'p, U: Listed> {
    connections: Result<Connections<'p, U>>,
    /// The number of the first object of each list.
    starts: Vec<usize>,
    /// The list of each parent, by its number; of a single list, nothing.
    numbers: Vec<usize>,
}

impl<U: Listed> Rows<'_, U> {
    fn failed(error: Error) -> Self {
        Self { connections: Err(error), starts: Vec::new(), numbers: Vec::new() }
    }
}

impl<U: Listed> ListRows for Rows<'_, U> {
    fn write(&self, parent: usize, position: Pos, writer: &mut Writer<'_>) {
        writer.nullable(|writer| match &self.connections {
            Ok(connections) => {
                let list = self.numbers.get(parent).copied().unwrap_or_default();
                if connections.lacks_object(list) {
                    let message = "the list does not contain the object of `around`: it was deleted, or does not match";
                    return Err(writer.fail(Error::client(code::NOT_FOUND, message), position));
                }
                connections.write(list, self.starts.get(list).copied().unwrap_or_default(), writer)
            }
            Err(error) => Err(writer.fail(error.clone(), position)),
        });
    }
}
