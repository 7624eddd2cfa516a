//! What is selected of an object.

use std::iter;
use std::pin::Pin;
use std::sync::{Arc, OnceLock};

use async_graphql::Variables;
use keyset::{Column, ColumnSet, Join, RowLayout, Table, TableRow};
use sea_orm::{DbErr, Value};

use super::ahead::{Nesting, Owners, SelectedList};
use super::call::Call;
use super::collect::{Collected, Sets, When, collect};
use super::fields::PlannedFields;
use super::list::PlannedList;
use super::relation::{BesideValue, Joined};
use super::{Planner, Run};
use crate::declare::computed::WriteComputed;
use crate::declare::field::{Field, FieldKind};
use crate::declare::guard::Guard;
use crate::declare::object::ObjectType;
use crate::global_id::Tag;
use crate::{Error, Result};

mod found;
mod objects;

use found::ByKey;
pub use found::{FoundObjects, find};
pub use objects::Objects;

/// A future on the heap: nested lists would otherwise nest their futures on the stack.
pub type Boxed<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// What is selected of the objects of a list, or of one object.
pub struct Selection {
    /// The name of the type.
    name: String,
    layout: RowLayout,
    /// Each with whether its value can be null.
    fields: PlannedFields<(What, bool)>,
    /// Whether it is written as the value of its only field.
    is_value: bool,
    joined: Vec<(When, Joined)>,
    calls: Vec<(When, Call)>,
    lists: Vec<(When, PlannedList)>,
    /// The statements that read one object by its key, once one has been read.
    by_key: OnceLock<Option<Box<ByKey>>>,
}

/// Where the value of a field comes from.
enum What {
    TypeName,
    /// The global id: the tag of the type, and the columns of the key.
    Id(Tag, Vec<Column>),
    Column(Column),
    CreatedAt(Column),
    Computed(ColumnSet, Arc<WriteComputed>),
    /// A resolver, by its number.
    Resolved(usize),
    /// The object of a relation, by its number.
    One(usize),
    /// A relation, by its number, and what is written of its row.
    Beside(usize, BesideValue),
    /// A list, by its number.
    List(usize),
    /// Null, beside this error if there is one: its guard does not allow it.
    Refused(Option<Error>),
}

impl What {
    /// A field that its guard does not allow, which is nullable.
    fn refused(field: &str, guard: &Guard) -> (Self, bool) {
        (Self::Refused((!guard.is_null).then(|| Guard::refusal(field))), true)
    }
}

impl Selection {
    /// What is selected of the object with this index. `rows` is the join that reads these objects, if one does.
    pub fn new(object: usize, sets: &Sets<'_>, rows: Option<&Join>, planner: &mut Planner<'_>) -> Self {
        let declaration = planner.declaration;
        let object = declaration.object(object);
        let collected = collect(sets, planner.fragments, &|on| declaration.is_a(&object.name, on));
        let mut selecting = Selecting::of(object, rows);
        let guard = |name: &str| object.field(name)?.guard.as_ref();
        let fields = PlannedFields::guarded(&collected, guard, What::refused, |field| {
            if field.name() == "__typename" {
                return Some((What::TypeName, false));
            }
            let declared = object.field(field.name())?;
            Some((selecting.plan(declared, field, planner), declared.is_nullable()))
        });
        selecting.finish(fields, false)
    }

    /// The value of one field of an object, which stands in the document under any name.
    pub fn of_field(object: &ObjectType, declared: &Field, field: &Collected<'_>, planner: &mut Planner<'_>) -> Self {
        let mut selecting = Selecting::of(object, None);
        // The field can have another name in the document.
        let guard = |_: &str| declared.guard.as_ref();
        let fields = PlannedFields::guarded(std::slice::from_ref(field), guard, What::refused, |field| {
            Some((selecting.plan(declared, field, planner), declared.is_nullable()))
        });
        selecting.finish(fields, true)
    }

    /// Rows of a table of which only other fields are written.
    pub fn of_rows(join: &Join) -> Self {
        Self {
            name: String::new(),
            layout: RowLayout::joined(join),
            fields: PlannedFields::new(&[], |_| None),
            is_value: false,
            joined: Vec::new(),
            calls: Vec::new(),
            lists: Vec::new(),
            by_key: OnceLock::new(),
        }
    }

    /// The name of the type.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The columns of the rows that it needs: those of its fields, and those that refer to what is read for the others.
    pub fn columns(&self, variables: &Variables) -> ColumnSet {
        let of_field = |(what, _): &(What, bool)| match what {
            What::TypeName | What::Refused(_) => ColumnSet::default(),
            What::Id(_, key) => key.iter().map(|column| ColumnSet::of(column.number())).collect(),
            What::Column(column) | What::CreatedAt(column) => ColumnSet::of(column.number()),
            What::Computed(columns, _) => *columns,
            What::Resolved(call) => self.calls[*call].1.columns(),
            What::One(relation) | What::Beside(relation, _) => self.joined[*relation].1.columns(),
            What::List(list) => self.lists[*list].1.columns(),
        };
        self.fields.selected(variables).map(of_field).collect()
    }

    /// Whether it reads more than its rows: lists, or what resolvers read.
    pub fn reads_more(&self, variables: &Variables) -> bool {
        let mut more = self.lists.iter().map(|(when, _)| when).chain(self.calls.iter().map(|(when, _)| when));
        more.any(|when| when.holds(variables))
            || self.joined.iter().any(|(when, joined)| when.holds(variables) && joined.reads_more(variables))
    }

    /// Whether the statement that reads its rows reads all of it, with the lists of these owners.
    pub fn reads_once(&self, lists: Option<Owners>, run: &Run<'_>) -> bool {
        let Some(owners) = lists else { return !self.reads_more(run.variables) };
        let holds = |when: &When| when.holds(run.variables);
        let is_read = |joined: &Joined| match owners {
            Owners::Rows => !joined.reads_more(run.variables),
            Owners::RowAndRelated => joined.selection().reads_once(lists, run),
        };
        !self.calls.iter().any(|(when, _)| holds(when))
            && self.joined.iter().filter(|(when, _)| holds(when)).all(|(_, joined)| is_read(joined))
            && self
                .lists
                .iter()
                .filter(|(when, _)| holds(when))
                .all(|(_, list)| list.is_ahead(run) && list.is_page(run))
    }

    /// The number of tables that its rows are read from.
    pub fn tables(&self, variables: &Variables) -> usize {
        let joined = self.joined.iter().filter(|(when, _)| when.holds(variables));
        1 + joined.map(|(_, joined)| joined.tables(variables)).sum::<usize>()
    }

    /// Whether one statement [finds](Self::find) one object, with all of it.
    pub fn is_found_once(&self, run: &Run<'_>) -> bool {
        let nests = Nesting::of(iter::once(self), Owners::RowAndRelated, run).is_some();
        self.reads_once(nests.then_some(Owners::RowAndRelated), run)
    }

    /// The lists of these owners that can be read with its rows.
    pub fn lists(&self, owners: Owners, run: &Run<'_>) -> Vec<SelectedList<'_>> {
        let mut found = Vec::new();
        self.add_lists(&mut Vec::new(), None, owners, run, &mut found);
        found
    }

    fn add_lists<'p>(
        &'p self,
        path: &mut Vec<usize>,
        of: Option<&'p Join>,
        owners: Owners,
        run: &Run<'_>,
        found: &mut Vec<SelectedList<'p>>,
    ) {
        let lists = self.lists.iter().enumerate();
        let lists = lists.filter(|(_, (when, list))| when.holds(run.variables) && list.is_ahead(run));
        found.extend(lists.map(|(number, (_, list))| SelectedList { list, number, path: path.clone(), of }));
        if owners == Owners::RowAndRelated {
            for (number, (_, joined)) in
                self.joined.iter().enumerate().filter(|(_, (when, _))| when.holds(run.variables))
            {
                path.push(number);
                joined.selection().add_lists(path, Some(joined.join()), owners, run, found);
                path.pop();
            }
        }
    }

    /// Adds the joins that it needs.
    pub fn joins(&self, run: &Run<'_>, joins: &mut Vec<Join>) {
        for (_, joined) in self.joined.iter().filter(|(when, _)| when.holds(run.variables)) {
            joined.joins(run, joins);
        }
    }

    /// The columns of a known row that the joins refer to, and their values.
    ///
    /// # Errors
    ///
    /// [`DbErr`] if the row does not have them.
    pub fn references(
        &self,
        row: &TableRow,
        variables: &Variables,
    ) -> std::result::Result<Vec<(Column, Value)>, DbErr> {
        let joined = self.joined.iter().filter(|(when, _)| when.holds(variables));
        let columns = joined.flat_map(|(_, joined)| joined.from());
        columns.map(|column| Ok((column.clone(), row.value(column.number(), column.kind())?))).collect()
    }

    /// Reads the objects with these keys: one statement.
    ///
    /// # Errors
    ///
    /// That of the database.
    pub async fn find<'p>(&'p self, run: &Run<'_>, keys: &[Vec<Value>]) -> Result<FoundObjects<'p>> {
        find(&[self], keys, run).await
    }
}

fn layout(table: &Table, rows: Option<&Join>) -> RowLayout {
    rows.map_or_else(|| RowLayout::of(table), RowLayout::joined)
}

/// The selection of an object so far.
struct Selecting<'a> {
    object: &'a ObjectType,
    rows: Option<&'a Join>,
    joined: Vec<(When, Joined)>,
    /// The relations whose row is joined for fields of the object itself: they share the join.
    shared: Vec<(usize, usize)>,
    calls: Vec<(When, Call)>,
    lists: Vec<(When, PlannedList)>,
}

impl<'a> Selecting<'a> {
    fn of(object: &'a ObjectType, rows: Option<&'a Join>) -> Self {
        Self { object, rows, joined: Vec::new(), shared: Vec::new(), calls: Vec::new(), lists: Vec::new() }
    }

    fn finish(self, fields: PlannedFields<(What, bool)>, is_value: bool) -> Selection {
        let Self { object, rows, joined, calls, lists, .. } = self;
        let (name, layout) = (object.name.clone(), layout(&object.table, rows));
        Selection { name, layout, fields, is_value, joined, calls, lists, by_key: OnceLock::new() }
    }

    fn plan(&mut self, declared: &Field, field: &Collected<'_>, planner: &mut Planner<'_>) -> What {
        match &declared.kind {
            FieldKind::Id => {
                let tag = self.object.tag.unwrap_or(Tag::Byte(0));
                What::Id(tag, self.object.table.key().cloned().collect())
            }
            FieldKind::Column(column) => What::Column(column.clone()),
            FieldKind::CreatedAt(column) => What::CreatedAt(column.clone()),
            FieldKind::Computed(computed) => What::Computed(computed.columns, Arc::clone(&computed.write)),
            FieldKind::Resolved(resolver) => {
                self.calls.push((field.when(), Call::new(resolver, field, planner)));
                What::Resolved(self.calls.len() - 1)
            }
            FieldKind::One(relation) => {
                let joined = Joined::object(&self.object.relations[*relation], &field.sets(), self.rows, planner);
                self.joined.push((field.when(), joined));
                What::One(self.joined.len() - 1)
            }
            FieldKind::Beside { relation, column, default } => {
                let value = BesideValue::Column(column.clone(), default.clone());
                self.beside(*relation, value, field.when(), planner)
            }
            FieldKind::ComputedBeside { relation, computed } => {
                let value = BesideValue::Computed(Arc::clone(&computed.write));
                self.beside(*relation, value, field.when(), planner)
            }
            FieldKind::List(list) => {
                let list = PlannedList::nested(self.object, list, field, planner);
                self.lists.push((field.when(), list));
                What::List(self.lists.len() - 1)
            }
        }
    }

    fn beside(&mut self, relation: usize, value: BesideValue, when: When, planner: &mut Planner<'_>) -> What {
        let known = self.shared.iter().find(|(known, _)| *known == relation).map(|(_, number)| *number);
        let number = known.unwrap_or_else(|| {
            self.joined.push((when.clone(), Joined::row(&self.object.relations[relation], self.rows, planner)));
            self.shared.push((relation, self.joined.len() - 1));
            self.joined.len() - 1
        });
        let (so_far, joined) = &mut self.joined[number];
        *so_far = so_far.or(when);
        joined.read_also(value.columns());
        What::Beside(number, value)
    }
}
