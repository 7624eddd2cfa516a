//! What is selected of an object, and the objects that were read for it.

use std::pin::Pin;
use std::sync::Arc;

use async_graphql::Variables;
use keyset::{ColumnSet, EntityRow, Join, ModelReader, Models, ReadRows as _, Record};
use sea_orm::DbErr;

use super::collect::{Sets, When, collect};
use super::fields::PlannedFields;
use super::relation::{Joined, Related};
use super::writer::{Writer, Written};
use super::{Planner, Run};
use crate::list::{ListRows, PlannedList};
use crate::object::{Kind, Model, RowObject, WriteLeaf};

/// A future on the heap: nested lists would otherwise nest their futures on the stack.
pub type Boxed<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// What is selected of the objects of a list, or of one object.
pub struct Selection<T: RowObject> {
    models: Models<T::Entity>,
    fields: PlannedFields<What<T>>,
    joined: Vec<(When, Box<dyn Joined<T>>)>,
    lists: Vec<(When, Box<dyn PlannedList<T>>)>,
}

/// Where the value of a field comes from.
enum What<T: RowObject> {
    TypeName,
    /// A column, or more of them.
    Column(ColumnSet, Arc<WriteLeaf<T::Entity>>),
    /// A relation, by its number, and a field of it.
    Joined(usize, usize),
    /// A list, by its number.
    List(usize),
}

impl<T: RowObject> Selection<T> {
    /// `rows` is the join that reads these objects, if one does.
    pub fn new(sets: &Sets<'_>, rows: Option<&Join>, planner: &mut Planner<'_>) -> Self {
        let declared = planner.declared::<T>();
        let collected = collect(sets, planner.fragments, &|on| planner.is_a(T::NAME, on));
        let (mut joined, mut lists) = (Vec::new(), Vec::new());
        // The fields of one relation share its join.
        let mut shared: Vec<(usize, usize)> = Vec::new();
        let fields = PlannedFields::new(&collected, |field| {
            if field.name() == "__typename" {
                return Some(What::TypeName);
            }
            let declared_field = declared.all.iter().find(|declared| declared.name == field.name())?;
            Some(match &declared_field.kind {
                Kind::Column(leaf) => What::Column(leaf.columns, Arc::clone(&leaf.write)),
                Kind::Related(relation, leaf) => {
                    let sets = field.sets();
                    let is_object = sets.iter().any(|(_, set)| !set.items.is_empty());
                    let known = if is_object { None } else { shared.iter().find(|(known, _)| known == relation) };
                    let number = known.map_or(joined.len(), |(_, number)| *number);
                    if number == joined.len() {
                        if !is_object {
                            shared.push((*relation, number));
                        }
                        joined.push((field.when(), declared.relations[*relation].plan(&sets, rows, planner)));
                    } else {
                        joined[number].0 = joined[number].0.or(field.when());
                    }
                    What::Joined(number, *leaf)
                }
                Kind::List(list) => {
                    lists.push((field.when(), list.plan(declared_field.kept.clone(), field, planner)));
                    What::List(lists.len() - 1)
                }
            })
        });
        Self { models: rows.map(Models::joined).unwrap_or_default(), fields, joined, lists }
    }

    /// The columns of the rows that it needs: those of its fields, and those that refer to what is read for the others.
    pub fn columns(&self, variables: &Variables) -> ColumnSet {
        let of_field = |what: &What<T>| match what {
            What::TypeName => ColumnSet::default(),
            What::Column(columns, _) => *columns,
            What::Joined(relation, _) => self.joined[*relation].1.columns(),
            What::List(list) => self.lists[*list].1.columns(),
        };
        self.fields.selected(variables).map(of_field).collect()
    }

    /// Whether it reads lists, which are other statements.
    pub fn reads_lists(&self, variables: &Variables) -> bool {
        let has_lists = self.lists.iter().any(|(when, _)| when.holds(variables));
        has_lists || self.joined.iter().any(|(when, joined)| when.holds(variables) && joined.reads_lists(variables))
    }

    /// Adds the joins that it needs.
    pub fn joins(&self, run: &Run<'_>, joins: &mut Vec<Join>) {
        for (_, joined) in self.joined.iter().filter(|(when, _)| when.holds(run.variables)) {
            joined.joins(run, joins);
        }
    }

    /// The columns of a known row that the joins refer to, and their values.
    pub fn references(&self, row: &Model<T>, variables: &Variables) -> Vec<(crate::Column<T>, sea_orm::Value)> {
        let joined = self.joined.iter().filter(|(when, _)| when.holds(variables));
        joined.map(|(_, joined)| joined.reference(row)).collect()
    }
}

/// The objects of a selection, with what is selected of them.
pub struct Objects<'p, T: RowObject> {
    selection: &'p Selection<T>,
    models: ModelReader<'p, T::Entity>,
    rows: Vec<EntityRow<T::Entity>>,
    related: Vec<Option<Box<dyn Related + 'p>>>,
    lists: Vec<Option<Box<dyn ListRows + 'p>>>,
}

impl<'p, T: RowObject> Objects<'p, T> {
    /// No objects yet. The statement that reads them has at least the [columns](Selection::columns) of the selection.
    pub fn new(selection: &'p Selection<T>, run: &Run<'_>) -> Self {
        Self::of_columns(selection, selection.columns(run.variables), run)
    }

    /// The same, from records with these columns.
    pub fn of_columns(selection: &'p Selection<T>, columns: ColumnSet, run: &Run<'_>) -> Self {
        let related = selection.joined.iter().map(|(when, joined)| when.holds(run.variables).then(|| joined.rows(run)));
        let models = selection.models.reader_of(columns, run.reader.backend());
        Self { selection, models, rows: Vec::new(), related: related.collect(), lists: Vec::new() }
    }

    /// Adds the joins that it needs.
    pub fn joins(&self, run: &Run<'_>, joins: &mut Vec<Join>) {
        self.selection.joins(run, joins);
    }

    /// Makes room for this many objects.
    pub fn reserve(&mut self, objects: usize) {
        self.rows.reserve(objects);
        for related in self.related.iter_mut().flatten() {
            related.reserve(objects);
        }
    }

    /// Adds the object of a record with its relations, and returns its number. `None` if the record has no object.
    pub fn read(&mut self, record: &Record) -> Result<Option<usize>, DbErr> {
        self.models.row(record)?.map(|row| self.push(row, Some(record))).transpose()
    }

    /// Adds an object whose model is known, and whose relations are in a record unless it needs none.
    pub fn push_known(&mut self, model: Model<T>, related: Option<&Record>) -> Result<usize, DbErr> {
        self.push(self.selection.models.row_of(model), related)
    }

    fn push(&mut self, row: EntityRow<T::Entity>, related: Option<&Record>) -> Result<usize, DbErr> {
        if let Some(record) = related {
            for related in self.related.iter_mut().flatten() {
                related.push(record)?;
            }
        }
        self.rows.push(row);
        Ok(self.rows.len() - 1)
    }

    /// The row of the object with this number.
    pub fn row(&self, number: usize) -> &EntityRow<T::Entity> {
        &self.rows[number]
    }

    /// Reads the lists that are selected of these objects.
    pub fn load<'a>(&'a mut self, run: &'a Run<'_>) -> Boxed<'a, ()> {
        Box::pin(async move {
            for related in self.related.iter_mut().flatten() {
                related.load(run).await;
            }
            for (when, list) in &self.selection.lists {
                let is_selected = when.holds(run.variables) && !self.rows.is_empty();
                self.lists.push(if is_selected { Some(list.read(run, &self.rows).await) } else { None });
            }
        })
    }

    /// Writes the object with this number.
    pub fn write(&self, number: usize, writer: &mut Writer<'_>) -> Written {
        let row = &self.rows[number];
        self.selection.fields.write(writer, |writer, what, position| {
            match what {
                What::TypeName => writer.value(&T::NAME),
                What::Column(_, leaf) => {
                    let written = leaf(&self.selection.models, row, &mut writer.json);
                    return written.map_err(|error| writer.fail_read(error, position));
                }
                What::Joined(relation, leaf) => {
                    if let Some(related) = &self.related[*relation] {
                        return related.write(*leaf, number, position, writer);
                    }
                }
                What::List(list) => {
                    if let Some(list) = &self.lists[*list] {
                        list.write(number, position, writer);
                    }
                }
            }
            Ok(())
        })
    }
}
