//! A list of a document: the list of all objects, or that of each parent.

use std::sync::OnceLock;

use async_graphql::{ID, Pos, Variables};
use keyset::{Around, Column, ColumnSet, Kept, Lists as Source, Order, Page, ReadRows as _, TableRow, TableRows};
use sea_orm::sea_query::ExprTrait as _;
use sea_orm::{Condition, Value};

use super::ahead::{Ahead, Nesting, Owners, Pages, ReadAhead, first_of_each};
use super::collect::Collected;
use super::connection::{Asked, Connection, Connections, Counting};
use super::writer::Writer;
use super::{Planner, Run};
use crate::arguments::{Arguments, Given};
use crate::declare::declaration::Declaration;
use crate::declare::nested::NestedList;
use crate::declare::object::ObjectType;
use crate::error::code;
use crate::filter::{RelatedObjects, Target};
use crate::list::{ListArguments, decides_rows, expected, is_filtered};
use crate::row_key::Distinct;
use crate::{Error, Result};

/// A list field of a document.
pub struct PlannedList {
    /// The type and the field, for traces and metrics.
    name: String,
    /// The index of the object.
    object: usize,
    /// Where the number of objects without a filter is kept.
    kept: Option<Kept>,
    parents: Option<Parents>,
    arguments: Given,
    /// What is read, where no variable decides the rows and their order.
    fixed: Option<OnceLock<Fixed>>,
    connection: Connection,
    /// What each object must refer to.
    with: Option<RelatedObjects>,
}

/// The parents of nested lists.
pub struct Parents {
    /// Their key.
    pub key: Vec<Column>,
    /// What refers to it.
    pub columns: Vec<Column>,
    /// Whether it is the key of their table.
    is_primary: bool,
}

/// The rows of a list with the columns that a request selected of them, and their order.
struct Fixed {
    columns: ColumnSet,
    rows: TableRows,
    order: Order,
}

impl PlannedList {
    /// The list of all objects with this index.
    pub fn of_query(object: usize, kept: Option<Kept>, field: &Collected<'_>, planner: &mut Planner<'_>) -> Self {
        let name = format!("{}.{}", planner.declaration.query_type(), field.name());
        // Another statement: its joins are named from the beginning.
        let connection = Connection::new(object, None, &field.sets(), &mut planner.of_statement());
        Self::new(name, object, kept, None, field, connection)
    }

    /// The list of each parent.
    pub fn nested(parent: &ObjectType, list: &NestedList, field: &Collected<'_>, planner: &mut Planner<'_>) -> Self {
        let (name, index) = (format!("{}.{}", parent.name, field.name()), list.of.index);
        let connection = Connection::new(index, Some(list), &field.sets(), &mut planner.of_statement());
        let parents = Parents {
            key: list.key.clone(),
            columns: list.columns.clone(),
            is_primary: parent.table.key().eq(&list.key),
        };
        let with = planner.declaration.node_of(list);
        Self { with, ..Self::new(name, index, list.kept.as_deref().cloned(), Some(parents), field, connection) }
    }

    fn new(
        name: String,
        object: usize,
        kept: Option<Kept>,
        parents: Option<Parents>,
        field: &Collected<'_>,
        connection: Connection,
    ) -> Self {
        let arguments = Given::of(&field.field().node);
        let fixed = arguments.are_fixed(decides_rows).then(OnceLock::new);
        Self { name, object, kept, parents, arguments, fixed, connection, with: None }
    }

    /// What it reads of each parent.
    pub fn columns(&self) -> ColumnSet {
        let key = self.parents.iter().flat_map(|parents| &parents.key);
        key.map(|column| ColumnSet::of(column.number())).collect()
    }

    /// The columns that refer to the parent.
    fn parent(&self) -> &[Column] {
        self.parents.as_ref().map_or(&[], |parents| &parents.columns)
    }

    /// Whether one statement reads it, and the lists of its rows.
    pub fn reads_once(&self, run: &Run<'_>) -> bool {
        let nests = self.nesting(run).is_some();
        self.connection.reads_once(run.variables, |of| of.reads_once(nests.then_some(Owners::Rows), run))
            && self.is_sought(run)
    }

    /// The lists of its rows that the statement of its page reads. Between two cursors it would read those of many rows that are no part of
    /// the page.
    fn nesting(&self, run: &Run<'_>) -> Option<Nesting<'_>> {
        let arguments = self.arguments.bind(run.variables);
        let is_between = || arguments.have_any(&["after"]) && arguments.have_any(&["before"]);
        if self.parents.is_some() || !self.is_sought(run) || is_between() {
            return None;
        }
        self.connection.nesting(run)
    }

    /// Whether one statement reads it, without lists of its rows.
    pub fn is_page(&self, run: &Run<'_>) -> bool {
        self.connection.reads_once(run.variables, |of| !of.reads_more(run.variables))
    }

    /// Whether its page begins at a cursor, or at an end of the list.
    fn is_sought(&self, run: &Run<'_>) -> bool {
        !self.arguments.bind(run.variables).have_any(&["offset", "around"])
    }

    /// The number of tables that its page is read from.
    pub fn tables(&self, variables: &Variables) -> usize {
        self.connection.tables(variables)
    }

    /// Whether the statement of a page can read the page of this list for each of its rows.
    pub fn is_ahead(&self, run: &Run<'_>) -> bool {
        self.parents.as_ref().is_some_and(|parents| keyset::can_nest(run, &parents.key))
            && self.connection.needs_page(run.variables)
            && self.is_sought(run)
    }

    /// The same list, [to be read so](Self::is_ahead). Without it, arguments that are not valid are an error when the list is read.
    pub fn ahead(&self, run: &Run<'_>) -> Option<Ahead<'_>> {
        let parents = self.parents.as_ref()?;
        let (rows, Asked::Page(page)) = self.asked(run).ok()? else { return None };
        let (joins, cache) = (self.connection.joins(run), self.connection.cache());
        Some(Ahead { rows, page, joins, parents, cache })
    }

    /// Reads the list of all objects.
    pub async fn of_all(&self, run: &Run<'_>) -> Lists<'_> {
        self.read(run, Source::one, None).await
    }

    /// Reads the list of each of these rows.
    pub async fn of_each(&self, run: &Run<'_>, rows: &[TableRow], ahead: Option<ReadAhead>) -> Lists<'_> {
        let Some(parents) = &self.parents else { return self.of_all(run).await };
        // The rows of a page differ, and lists of related rows are read ahead for one row alone.
        let are_distinct = parents.is_primary && ahead.is_some();
        let distinct = if are_distinct { Distinct::all } else { Distinct::of };
        let Distinct { values, numbers, .. } = distinct(rows, &parents.key);
        let lists = |rows| Source::per_key(rows, &parents.columns, values);
        let ahead = ahead.map(|slices| slices.map(|slices| first_of_each(slices, &numbers)));
        let lists = self.read(run, lists, ahead).await;
        Lists { numbers, ..lists }
    }

    /// Reads these lists. Their pages may have been read.
    async fn read(
        &self,
        run: &Run<'_>,
        lists: impl FnOnce(TableRows) -> Source<TableRows> + Send,
        ahead: Option<ReadAhead>,
    ) -> Lists<'_> {
        let pages = match ahead {
            Some(read) => Pages::Read(read),
            None => self.nesting(run).map_or(Pages::Alone, Pages::WithLists),
        };
        let connections = match self.asked(run) {
            Ok((rows, asked)) => {
                let arguments = self.arguments.bind(run.variables);
                let is_filtered = is_filtered(&arguments);
                let is_ruled = self.is_ruled(run);
                let kept = self.kept.as_ref().filter(|_| !is_filtered && !is_ruled);
                let expected = |statistics| {
                    let object = run.declaration.object(self.object);
                    let given = ListArguments::read(object, run.declaration, &arguments, None).ok()?;
                    expected(object, &given, is_filtered, self.parent(), run.reader.backend(), statistics)
                };
                let is_estimated = || !is_ruled && !self.reads_ruled(&arguments, run);
                let counting = Counting { kept, is_estimated: &is_estimated, expected: &expected };
                Ok(self.connection.read(&self.name, &lists(rows), counting, &asked, run, pages).await)
            }
            Err(error) => Err(error),
        };
        let starts = connections.as_ref().map(Connections::starts).unwrap_or_default();
        Lists { connections, starts, numbers: Vec::new() }
    }

    /// The rows, and what the arguments ask of them.
    fn asked(&self, run: &Run<'_>) -> Result<(TableRows, Asked)> {
        let arguments = self.arguments.bind(run.variables);
        let (rows, order) = self.rows(&arguments, run)?;
        let limits = run.declaration.object(self.object).pages.within(run.reader.limits());
        let asked = match self.around(&arguments, run.declaration)? {
            Some(row) => Asked::Around(Around::new(&arguments.page()?, &order, limits, row)?),
            None => Asked::Page(Page::new(&arguments.page()?, &order, limits)?.on(run.reader.backend())?),
        };
        Ok((rows, asked))
    }

    /// The rows with the columns that are selected, and their order.
    fn rows(&self, arguments: &Arguments<'_>, run: &Run<'_>) -> Result<(TableRows, Order)> {
        let columns = self.connection.columns(run.variables);
        let (declaration, object) = (run.declaration, run.declaration.object(self.object));
        let known = self.fixed.as_ref().and_then(OnceLock::get).filter(|known| known.columns == columns);
        if let Some(known) = known {
            return Ok((self.visible(known.rows.clone(), run), known.order.clone()));
        }
        let target = Target::of_run(run);
        let given = ListArguments::read(object, declaration, arguments, Some(run.variables))?;
        let (mut rows, order) = given.rows(object, &target, self.parent())?;
        object.table.select(&mut rows, columns);
        let depends_on_viewer = declaration.has_rules() && given.reads_others(object)
            || declaration.has_guards() && arguments.have_any(&["where", "orderBy"]);
        if let Some(fixed) = self.fixed.as_ref().filter(|_| !depends_on_viewer) {
            // Kept is what the first request selects. Where directives select other columns, it is made again.
            let _ = fixed.set(Fixed { columns, rows: rows.clone(), order: order.clone() });
        }
        Ok((self.visible(rows, run), order))
    }

    /// Those of the rows that the request shows.
    fn visible(&self, mut rows: TableRows, run: &Run<'_>) -> TableRows {
        let object = run.declaration.object(self.object);
        if object.has_rule() {
            object.table_in(run).restrict(&mut rows);
        }
        if let Some(with) = &self.with {
            Target::of_run(run).require(&mut rows.0, with);
        }
        rows
    }

    /// Whether what shows in it depends on the viewer.
    fn is_ruled(&self, run: &Run<'_>) -> bool {
        self.with.is_some() || run.reader.hides_rows() || run.declaration.object(self.object).has_rule()
    }

    /// Whether its arguments ask for what may depend on the viewer. Arguments that are not valid ask for nothing.
    fn reads_ruled(&self, arguments: &Arguments<'_>, run: &Run<'_>) -> bool {
        let object = run.declaration.object(self.object);
        let given = || ListArguments::read(object, run.declaration, arguments, None);
        run.declaration.has_rules() && given().is_ok_and(|given| given.reads_others(object))
    }

    /// The object that the page is to be around.
    fn around(&self, arguments: &Arguments<'_>, declaration: &Declaration) -> Result<Option<Condition>> {
        let object = declaration.object(self.object);
        if object.tag.is_none() {
            return Ok(None);
        }
        let Some(id) = arguments.get::<Option<ID>>("around")? else { return Ok(None) };
        let key = declaration.key(&object.name, &id)?;
        let equal = |(column, value): (&Column, Value)| column.expr().eq(value);
        Ok(Some(object.table.key().zip(key).map(equal).fold(Condition::all(), Condition::add)))
    }
}

/// Lists that were read together.
pub struct Lists<'p> {
    connections: Result<Connections<'p>>,
    /// The number of the first object of each list.
    starts: Vec<usize>,
    /// The list of each parent, by its number; of a single list, nothing. A parent whose key cannot be read has none.
    numbers: Vec<Result<usize>>,
}

impl Lists<'_> {
    /// Writes the list of the parent with this number; null beside an error if it failed. The field has this position.
    pub fn write(&self, parent: usize, position: Pos, writer: &mut Writer<'_>) {
        let list = self.numbers.get(parent).map_or(Ok(0), Clone::clone);
        writer.nullable(|writer| match (&self.connections, list) {
            (Ok(connections), Ok(list)) => {
                if connections.lacks_object(list) {
                    let message = "the list does not contain the object of `around`: it was deleted, or does not match";
                    return Err(writer.fail(Error::client(code::NOT_FOUND, message), position));
                }
                connections.write(list, self.starts.get(list).copied().unwrap_or_default(), writer)
            }
            (Err(error), _) => Err(writer.fail(error.clone(), position)),
            (_, Err(error)) => Err(writer.fail(error, position)),
        });
    }
}
