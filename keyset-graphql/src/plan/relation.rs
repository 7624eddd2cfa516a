//! Relations to one, which are joined to the rows of an object.

use std::marker::PhantomData;

use async_graphql::Variables;
use keyset::{ColumnSet, EntityRow, Join, ModelReader, Modelled, Models, Record};
use sea_orm::DbErr;

use super::collect::Sets;
use super::object::{Boxed, Objects, Selection};
use super::writer::{Writer, Written};
use super::{Planner, Run};
use crate::keyed::Keyed;
use crate::object::{BesideLeaf, Column, Model, RowObject};

/// A declared relation of `T` to one.
pub trait Relation<T: RowObject>: Send + Sync {
    /// The relation in a statement. `rows` are those that it joins to, unless those are the rows of the list.
    fn plan(&self, sets: &Sets<'_>, rows: Option<&Join>, planner: &mut Planner<'_>) -> Box<dyn Joined<T>>;
}

/// A relation in a statement.
pub trait Joined<T: RowObject>: Send + Sync {
    /// What refers to the relation.
    fn columns(&self) -> ColumnSet;

    /// Whether its object reads lists.
    fn reads_lists(&self, _: &Variables) -> bool {
        false
    }

    /// Adds its join, and those behind it.
    fn joins(&self, run: &Run<'_>, joins: &mut Vec<Join>);

    /// The value of a known row in the column that refers to the relation.
    fn reference(&self, row: &Model<T>) -> (Column<T>, sea_orm::Value);

    /// Room for its rows.
    fn rows<'p>(&'p self, run: &Run<'_>) -> Box<dyn Related + 'p>;
}

/// The rows of a relation, one or none for each object.
pub trait Related: Send + Sync {
    /// Makes room for the rows of this many objects.
    fn reserve(&mut self, objects: usize);

    /// Reads the row of the next object.
    fn push(&mut self, row: &Record) -> Result<(), DbErr>;

    /// Reads what no join reads.
    fn load<'a>(&'a mut self, run: &'a Run<'_>) -> Boxed<'a, ()>;

    /// Writes a field of the object at this index.
    fn write(&self, field: usize, index: usize, position: async_graphql::Pos, writer: &mut Writer<'_>) -> Written;
}

/// Adds a join that reads these columns. In a statement, joins of one name are one relation, which several selections share.
fn add(joins: &mut Vec<Join>, join: &Join, columns: ColumnSet) {
    match joins.iter_mut().find(|known| known.name() == join.name()) {
        Some(known) => known.read_also(columns),
        None => joins.push(join.of_columns(columns)),
    }
}

fn columns_of<T: RowObject>(column: Column<T>) -> ColumnSet {
    ColumnSet::of(EntityRow::<T::Entity>::number_of(column))
}

/// A relation that is an object.
pub struct One<T: RowObject, U> {
    column: Column<T>,
    is_nullable: bool,
    marker: PhantomData<fn() -> U>,
}

impl<T: RowObject, U: Keyed> One<T, U> {
    pub fn new(column: Column<T>, is_nullable: bool) -> Self {
        Self { column, is_nullable, marker: PhantomData }
    }
}

impl<T: RowObject, U: Keyed> Relation<T> for One<T, U> {
    fn plan(&self, sets: &Sets<'_>, rows: Option<&Join>, planner: &mut Planner<'_>) -> Box<dyn Joined<T>> {
        let join = planner.join::<U::Entity>(rows, self.column, U::key_column());
        let selection = Selection::<U>::new(sets, Some(&join), planner);
        Box::new(JoinedOne::<T, U> { column: self.column, is_nullable: self.is_nullable, join, selection })
    }
}

struct JoinedOne<T: RowObject, U: RowObject> {
    column: Column<T>,
    is_nullable: bool,
    join: Join,
    selection: Selection<U>,
}

struct RelatedOne<'p, T: RowObject, U: RowObject> {
    joined: &'p JoinedOne<T, U>,
    objects: Objects<'p, U>,
    /// The object of each row, by its number.
    numbers: Vec<Option<usize>>,
}

impl<T: RowObject, U: RowObject> Joined<T> for JoinedOne<T, U> {
    fn columns(&self) -> ColumnSet {
        columns_of::<T>(self.column)
    }

    fn reads_lists(&self, variables: &Variables) -> bool {
        self.selection.reads_lists(variables)
    }

    fn joins(&self, run: &Run<'_>, joins: &mut Vec<Join>) {
        add(joins, &self.join, self.selection.columns(run.variables));
        self.selection.joins(run, joins);
    }

    fn reference(&self, row: &Model<T>) -> (Column<T>, sea_orm::Value) {
        (self.column, sea_orm::ModelTrait::get(row, self.column))
    }

    fn rows<'p>(&'p self, run: &Run<'_>) -> Box<dyn Related + 'p> {
        Box::new(RelatedOne { joined: self, objects: Objects::new(&self.selection, run), numbers: Vec::new() })
    }
}

impl<T: RowObject, U: RowObject> Related for RelatedOne<'_, T, U> {
    fn reserve(&mut self, objects: usize) {
        self.objects.reserve(objects);
        self.numbers.reserve(objects);
    }

    fn push(&mut self, row: &Record) -> Result<(), DbErr> {
        self.numbers.push(self.objects.read(row)?);
        Ok(())
    }

    fn load<'a>(&'a mut self, run: &'a Run<'_>) -> Boxed<'a, ()> {
        self.objects.load(run)
    }

    fn write(&self, _: usize, index: usize, position: async_graphql::Pos, writer: &mut Writer<'_>) -> Written {
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
            None => Err(writer.fail_missing(U::NAME, position)),
        }
    }
}

/// A relation whose columns are fields of the object.
pub struct Sums<T: RowObject, S: Modelled<Model: Sync>> {
    from: Column<T>,
    to: S::Column,
    leaves: Vec<BesideLeaf<S>>,
}

impl<T: RowObject, S: Modelled<Model: Sync>> Sums<T, S> {
    pub fn new(from: Column<T>, to: S::Column, leaves: Vec<BesideLeaf<S>>) -> Self {
        Self { from, to, leaves }
    }
}

impl<T: RowObject, S: Modelled<Model: Sync>> Relation<T> for Sums<T, S> {
    fn plan(&self, _: &Sets<'_>, rows: Option<&Join>, planner: &mut Planner<'_>) -> Box<dyn Joined<T>> {
        let join = planner.join::<S>(rows, self.from, self.to);
        let models = Models::joined(&join);
        Box::new(JoinedSums::<T, S> { from: self.from, join, models, leaves: self.leaves.clone() })
    }
}

struct JoinedSums<T: RowObject, S: Modelled<Model: Sync>> {
    from: Column<T>,
    join: Join,
    models: Models<S>,
    leaves: Vec<BesideLeaf<S>>,
}

struct RelatedSums<'p, T: RowObject, S: Modelled<Model: Sync>> {
    joined: &'p JoinedSums<T, S>,
    models: ModelReader<'p, S>,
    rows: Vec<Option<EntityRow<S>>>,
}

impl<T: RowObject, S: Modelled<Model: Sync>> Joined<T> for JoinedSums<T, S> {
    fn columns(&self) -> ColumnSet {
        columns_of::<T>(self.from)
    }

    fn joins(&self, _: &Run<'_>, joins: &mut Vec<Join>) {
        add(joins, &self.join, ColumnSet::ALL);
    }

    fn reference(&self, row: &Model<T>) -> (Column<T>, sea_orm::Value) {
        (self.from, sea_orm::ModelTrait::get(row, self.from))
    }

    fn rows<'p>(&'p self, _: &Run<'_>) -> Box<dyn Related + 'p> {
        Box::new(RelatedSums { joined: self, models: self.models.reader(), rows: Vec::new() })
    }
}

impl<T: RowObject, S: Modelled<Model: Sync>> Related for RelatedSums<'_, T, S> {
    fn reserve(&mut self, objects: usize) {
        self.rows.reserve(objects);
    }

    fn push(&mut self, row: &Record) -> Result<(), DbErr> {
        self.rows.push(self.models.row(row)?);
        Ok(())
    }

    fn load<'a>(&'a mut self, _: &'a Run<'_>) -> Boxed<'a, ()> {
        Box::pin(std::future::ready(()))
    }

    fn write(&self, field: usize, index: usize, position: async_graphql::Pos, writer: &mut Writer<'_>) -> Written {
        let written = (self.joined.leaves[field])(&self.joined.models, self.rows[index].as_ref(), &mut writer.json);
        written.map_err(|error| writer.fail_read(error, position))
    }
}
