//! Relations to one, which are joined to the rows of an object.

use std::sync::Arc;

use async_graphql::{Pos, Variables};
use keyset::{Column, ColumnSet, Join, Record, TableRow};
use sea_orm::{DbErr, Value};

use super::ahead::ReadAhead;
use super::collect::Sets;
use super::object::{Objects, Selection};
use super::writer::{Writer, Written};
use super::{Planner, Run};
use crate::declare::computed::WriteComputed;
use crate::declare::relation::Relation;
use crate::scalar::{write_column, write_value};

/// A relation in a statement.
pub struct Joined {
    from: Vec<Column>,
    /// The index of the object, if it is one.
    object: Option<usize>,
    is_nullable: bool,
    /// Whether a rule can hide it.
    can_hide: bool,
    join: Join,
    selection: Selection,
    /// What is read of its row for fields of the object that refers to it.
    columns: ColumnSet,
}

/// What is written of the row of a relation.
pub enum BesideValue {
    /// A column, and the value in place of an absent row.
    Column(Column, Option<Value>),
    Computed(Arc<WriteComputed>),
}

impl BesideValue {
    /// What it reads.
    pub fn columns(&self) -> ColumnSet {
        match self {
            Self::Column(column, _) => ColumnSet::of(column.number()),
            Self::Computed(_) => ColumnSet::ALL,
        }
    }

    /// Writes it as JSON.
    pub fn write(&self, row: Option<&TableRow>, writer: &mut Writer<'_>) -> crate::Result<()> {
        match (self, row) {
            (Self::Column(column, _), Some(row)) => write_column(row, column, &mut writer.json),
            (Self::Column(column, Some(default)), None) => write_value(default, column, &mut writer.json),
            (Self::Column(_, None), None) => {
                writer.value(&());
                Ok(())
            }
            (Self::Computed(write), row) => write(row, &mut writer.json).map_err(|error| writer.failure(error)),
        }
    }
}

impl Joined {
    /// The object of a relation. `rows` are those that it joins to, unless those are the rows of the list.
    pub fn object(relation: &Relation, sets: &Sets<'_>, rows: Option<&Join>, planner: &mut Planner<'_>) -> Self {
        let join = planner.join(rows, relation);
        let index = relation.object.as_ref().map_or(0, |related| related.index);
        let selection = Selection::new(index, sets, Some(&join), planner);
        let is_nullable = relation.is_nullable();
        let (from, columns) = (relation.from.clone(), ColumnSet::default());
        Self { from, object: Some(index), is_nullable, can_hide: relation.can_hide, join, selection, columns }
    }

    /// The row of a relation, whose columns are fields of the object that refers to it.
    pub fn row(relation: &Relation, rows: Option<&Join>, planner: &mut Planner<'_>) -> Self {
        let join = planner.join(rows, relation);
        let (from, columns) = (relation.from.clone(), ColumnSet::default());
        let (object, selection) = (relation.object.as_ref().map(|related| related.index), Selection::of_rows(&join));
        Self { from, object, is_nullable: true, can_hide: relation.can_hide, join, selection, columns }
    }

    /// Reads these columns, too.
    pub fn read_also(&mut self, columns: ColumnSet) {
        self.columns = self.columns | columns;
    }

    /// The columns that refer to it.
    pub fn from(&self) -> &[Column] {
        &self.from
    }

    /// The same as a set.
    pub fn columns(&self) -> ColumnSet {
        self.from.iter().map(|column| ColumnSet::of(column.number())).collect()
    }

    /// What is selected of its rows.
    pub fn selection(&self) -> &Selection {
        &self.selection
    }

    /// The join that reads them.
    pub fn join(&self) -> &Join {
        &self.join
    }

    /// The number of tables that its rows are read from.
    pub fn tables(&self, variables: &Variables) -> usize {
        self.selection.tables(variables)
    }

    /// Whether its object reads more.
    pub fn reads_more(&self, variables: &Variables) -> bool {
        self.selection.reads_more(variables)
    }

    fn read(&self, variables: &Variables) -> ColumnSet {
        self.columns | self.selection.columns(variables)
    }

    /// Adds its join, and those behind it. In a statement, joins of one name are one relation, which several selections share.
    pub fn joins(&self, run: &Run<'_>, joins: &mut Vec<Join>) {
        let columns = self.read(run.variables);
        match joins.iter_mut().find(|known| known.name() == self.join.name()) {
            Some(known) => known.read_also(columns),
            None => joins.push(self.visible(run).of_columns(columns)),
        }
        self.selection.joins(run, joins);
    }

    /// The join of those rows that the request shows.
    fn visible(&self, run: &Run<'_>) -> Join {
        let ruled = self.object.map(|index| run.declaration.object(index)).filter(|object| object.has_rule());
        ruled.map_or_else(|| self.join.clone(), |object| self.join.clone().to_rows_of(object.table_in(run)))
    }

    /// Room for its rows.
    pub fn rows<'p>(&'p self, run: &Run<'_>) -> Related<'p> {
        let objects = Objects::of_columns(&self.selection, self.read(run.variables), run);
        Related { joined: self, objects, numbers: Vec::new() }
    }
}

/// The rows of a relation, one or none for each object.
pub struct Related<'p> {
    joined: &'p Joined,
    objects: Objects<'p>,
    /// The row of each object, by its number.
    numbers: Vec<Option<usize>>,
}

impl Related<'_> {
    /// Makes room for the rows of this many objects.
    pub fn reserve(&mut self, objects: usize) {
        self.objects.reserve(objects);
        self.numbers.reserve(objects);
    }

    /// Reads the row of the next object.
    pub fn push(&mut self, row: &Record) -> Result<(), DbErr> {
        self.numbers.push(self.objects.read(row)?);
        Ok(())
    }

    /// Adds the pages of a list: see [`Objects::read_ahead`].
    pub fn read_ahead(&mut self, path: &[usize], list: usize, read: ReadAhead) {
        self.objects.read_ahead(path, list, read);
    }

    /// Reads what no join reads.
    pub async fn load(&mut self, run: &Run<'_>) {
        self.objects.load(run).await;
    }

    /// The row of the object at this index, if there is one.
    pub fn row(&self, index: usize) -> Option<&TableRow> {
        self.numbers.get(index).copied().flatten().map(|number| self.objects.row(number))
    }

    /// Writes the object that the one at this index refers to. The field has this position.
    pub fn write(&self, index: usize, position: Pos, writer: &mut Writer<'_>) -> Written {
        match self.numbers[index] {
            Some(number) if self.joined.is_nullable => {
                writer.nullable(|writer| self.objects.write(number, writer));
                Ok(())
            }
            Some(number) => self.objects.write(number, writer),
            None if self.joined.is_nullable => {
                writer.value(&());
                Ok(())
            }
            None => Err(writer.fail_missing(self.joined.selection.name(), self.joined.can_hide, position)),
        }
    }
}
