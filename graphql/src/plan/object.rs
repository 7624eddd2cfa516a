//! What is selected of an object, and the objects that were read for it.

use std::collections::{HashMap, HashSet};
use std::pin::Pin;
use std::sync::Arc;

use async_graphql::futures_util::future::{join, join_all};
use async_graphql::{Pos, Variables};
use keyset::{Column, ColumnSet, Join, Kind, ReadRows as _, Record, RowLayout, RowReader, Table, TableRow};
use sea_orm::{DbErr, Value};

use super::call::{Call, Called};
use super::collect::{Collected, Sets, When, collect};
use super::fields::PlannedFields;
use super::list::{Lists, PlannedList};
use super::relation::{BesideValue, Joined, Related};
use super::writer::{Writer, Written};
use super::{Planner, Run};
use crate::declare::field::{Field, FieldKind, Row};
use crate::declare::object::ObjectType;
use crate::global_id::Tag;
use crate::row_key::RowKey;
use crate::scalar::{DateTime, unshown, write_column};
use crate::{Result, global_id};

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
}

/// Where the value of a field comes from.
enum What {
    TypeName,
    /// The global id: the tag of the type, and the columns of the key.
    Id(Tag, Vec<Column>),
    Column(Column),
    CreatedAt(Column),
    Computed(ColumnSet, Arc<<TableRow as Row>::Write>),
    /// A resolver, by its number.
    Resolved(usize),
    /// The object of a relation, by its number.
    One(usize),
    /// A relation, by its number, and what is written of its row.
    Beside(usize, BesideValue),
    /// A list, by its number.
    List(usize),
}

impl Selection {
    /// What is selected of the object with this index. `rows` is the join that reads these objects, if one does.
    pub fn new(object: usize, sets: &Sets<'_>, rows: Option<&Join>, planner: &mut Planner<'_>) -> Self {
        let declaration = planner.declaration;
        let object = declaration.object(object);
        let collected = collect(sets, planner.fragments, &|on| declaration.is_a(&object.name, on));
        let mut selecting = Selecting::of(object, rows);
        let fields = PlannedFields::new(&collected, |field| {
            if field.name() == "__typename" {
                return Some((What::TypeName, false));
            }
            let declared = object.field(field.name())?;
            Some((selecting.plan(declared, field, planner), declared.kind.is_nullable()))
        });
        selecting.finish(fields, false)
    }

    /// The value of one field of an object, which stands in the document under any name.
    pub fn of_field(object: &ObjectType, declared: &Field, field: &Collected<'_>, planner: &mut Planner<'_>) -> Self {
        let mut selecting = Selecting::of(object, None);
        let fields = PlannedFields::new(std::slice::from_ref(field), |field| {
            Some((selecting.plan(declared, field, planner), declared.kind.is_nullable()))
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
        }
    }

    /// The name of the type.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The columns of the rows that it needs: those of its fields, and those that refer to what is read for the others.
    pub fn columns(&self, variables: &Variables) -> ColumnSet {
        let of_field = |(what, _): &(What, bool)| match what {
            What::TypeName => ColumnSet::default(),
            What::Id(_, key) => key.iter().map(|column| ColumnSet::of(column.number())).collect(),
            What::Column(column) | What::CreatedAt(column) => ColumnSet::of(column.number()),
            What::Computed(columns, _) => *columns,
            What::Resolved(call) => self.calls[*call].1.columns(),
            What::One(relation) | What::Beside(relation, _) => self.joined[*relation].1.columns(),
            What::List(list) => self.lists[*list].1.columns(),
        };
        self.fields.selected(variables).map(of_field).collect()
    }

    /// Whether it reads more than its rows: lists, which are other statements, or what resolvers read.
    pub fn reads_more(&self, variables: &Variables) -> bool {
        let mut more = self.lists.iter().map(|(when, _)| when).chain(self.calls.iter().map(|(when, _)| when));
        more.any(|when| when.holds(variables))
            || self.joined.iter().any(|(when, joined)| when.holds(variables) && joined.reads_more(variables))
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

/// Reads the objects with these keys, for each of these selections of one statement.
///
/// # Errors
///
/// That of the database.
pub async fn find<'p>(selections: &[&'p Selection], keys: &[Vec<Value>], run: &Run<'_>) -> Result<FoundObjects<'p>> {
    let failed = |error| run.reader.error(error);
    let mut found = FoundObjects { objects: Vec::new(), numbers: HashMap::new() };
    let Some(first) = selections.first() else { return Ok(found) };
    let table = first.layout.table();
    let key: Vec<Column> = table.key().cloned().collect();
    let mut joins = Vec::new();
    let mut columns: ColumnSet = key.iter().map(|column| ColumnSet::of(column.number())).collect();
    for selection in selections {
        selection.joins(run, &mut joins);
        columns = columns | selection.columns(run.variables);
    }
    let mut known = HashSet::new();
    let keys = keys.iter().filter(|values| known.insert(RowKey::of(values))).flatten().cloned();
    let among = keyset::among_keys(&key, keys.collect(), run.reader.backend()).map_err(failed)?;
    let mut wanted = table.rows();
    wanted.0.and_where(among);
    table.select(&mut wanted, columns);
    let rows = keyset::find_rows(run.reader, &wanted, &joins).await.map_err(failed)?;
    found.objects = selections.iter().map(|selection| Objects::of_columns(selection, columns, run)).collect();
    for row in &rows {
        for objects in &mut found.objects {
            objects.read(row).map_err(failed)?;
        }
    }
    for number in 0..rows.len() {
        let key = found.key(number).map_err(failed)?;
        found.numbers.insert(RowKey::of(&key), number);
    }
    for objects in &mut found.objects {
        objects.load(run).await;
    }
    Ok(found)
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
        Selection { name, layout, fields, is_value, joined, calls, lists }
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

/// Objects that were read by their keys, for each selection.
pub struct FoundObjects<'p> {
    pub objects: Vec<Objects<'p>>,
    numbers: HashMap<RowKey, usize>,
}

impl FoundObjects<'_> {
    /// The number of the object with this key.
    pub fn number(&self, key: &[Value]) -> Option<usize> {
        self.numbers.get(&RowKey::of(key)).copied()
    }

    /// The key of the object with this number.
    ///
    /// # Errors
    ///
    /// [`DbErr`] if the row has none.
    pub fn key(&self, number: usize) -> std::result::Result<Vec<Value>, DbErr> {
        let Some(Objects { selection, rows, .. }) = self.objects.first() else { return Ok(Vec::new()) };
        selection.layout.table().key().map(|column| rows[number].value(column.number(), column.kind())).collect()
    }

    /// Writes the object with this key, for the first selection; null where there is none.
    pub fn write(&self, key: &[Value], writer: &mut Writer<'_>) -> Written {
        if let (Some(number), Some(objects)) = (self.number(key), self.objects.first()) {
            return objects.write(number, writer);
        }
        writer.value(&());
        Ok(())
    }

    /// Writes the objects with these keys, for the first selection, without those that do not exist.
    pub fn write_list(&self, keys: &[Vec<Value>], writer: &mut Writer<'_>) -> Written {
        let objects = keys.iter().filter_map(|key| Some((self.objects.first()?, self.number(key)?)));
        writer.list(objects, |writer, (objects, number)| objects.write(number, writer))
    }
}

/// The objects of a selection, with what is selected of them.
pub struct Objects<'p> {
    selection: &'p Selection,
    reader: RowReader<'p>,
    rows: Vec<TableRow>,
    related: Vec<Option<Related<'p>>>,
    calls: Vec<Option<Result<Called<'p>>>>,
    lists: Vec<Option<Lists<'p>>>,
}

impl<'p> Objects<'p> {
    /// No objects yet. The statement that reads them has at least the [columns](Selection::columns) of the selection.
    pub fn new(selection: &'p Selection, run: &Run<'_>) -> Self {
        Self::of_columns(selection, selection.columns(run.variables), run)
    }

    /// The same, from records with these columns.
    pub fn of_columns(selection: &'p Selection, columns: ColumnSet, run: &Run<'_>) -> Self {
        let related = selection.joined.iter().map(|(when, joined)| when.holds(run.variables).then(|| joined.rows(run)));
        let reader = selection.layout.reader_of(columns);
        let (rows, calls, lists) = (Vec::new(), Vec::new(), Vec::new());
        Self { selection, reader, rows, related: related.collect(), calls, lists }
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
    pub fn read(&mut self, record: &Record) -> std::result::Result<Option<usize>, DbErr> {
        self.reader.row(record)?.map(|row| self.push(row, Some(record))).transpose()
    }

    /// Adds an object whose row is known, and whose relations are in a record unless it needs none.
    pub fn push(&mut self, row: TableRow, related: Option<&Record>) -> std::result::Result<usize, DbErr> {
        if let Some(record) = related {
            for related in self.related.iter_mut().flatten() {
                related.push(record)?;
            }
        }
        self.rows.push(row);
        Ok(self.rows.len() - 1)
    }

    /// The row of the object with this number.
    pub fn row(&self, number: usize) -> &TableRow {
        &self.rows[number]
    }

    /// Reads the lists that are selected of these objects, while resolvers are called.
    pub fn load<'a>(&'a mut self, run: &'a Run<'_>) -> Boxed<'a, ()> {
        Box::pin(async move {
            let Self { selection, rows, related, calls, lists, .. } = self;
            let rows: &[TableRow] = rows;
            let is_selected = |when: &When| when.holds(run.variables) && !rows.is_empty();
            let lists = async {
                for related in related.iter_mut().flatten() {
                    related.load(run).await;
                }
                for (when, list) in &selection.lists {
                    lists.push(if is_selected(when) { Some(list.of_each(run, rows).await) } else { None });
                }
            };
            if selection.calls.is_empty() {
                return lists.await;
            }
            let called = selection.calls.iter().map(|(when, call)| async move {
                if is_selected(when) { Some(call.of_each(run, rows).await) } else { None }
            });
            ((), *calls) = join(lists, join_all(called)).await;
        })
    }

    /// Writes the object with this number.
    pub fn write(&self, number: usize, writer: &mut Writer<'_>) -> Written {
        let row = &self.rows[number];
        let write = |writer: &mut Writer<'_>, (what, is_nullable): &(What, bool), position| {
            let begin = writer.json.len();
            let read = match what {
                What::TypeName => {
                    writer.value(&self.selection.name);
                    Ok(())
                }
                What::Id(tag, key) => {
                    global_id::write(*tag, key, row, &mut writer.json).ok_or_else(|| unshown(&key[0]))
                }
                What::Column(column) => write_column(row, column, &mut writer.json),
                What::CreatedAt(column) => write_created_at(row, column, writer),
                What::Computed(_, write) => write(row, &mut writer.json).map_err(|error| writer.failure(error)),
                What::Beside(relation, value) => {
                    let related = self.related[*relation].as_ref();
                    related.map_or(Ok(()), |related| value.write(related.row(number), writer))
                }
                What::Resolved(call) => return self.resolved(*call, number, position, writer),
                What::One(relation) => {
                    let related = self.related[*relation].as_ref();
                    return related.map_or(Ok(()), |related| related.write(number, position, writer));
                }
                What::List(list) => {
                    if let Some(list) = &self.lists[*list] {
                        list.write(number, position, writer);
                    }
                    return Ok(());
                }
            };
            let Err(error) = read else { return Ok(()) };
            let null = writer.fail(error, position);
            if !is_nullable {
                return Err(null);
            }
            writer.json.truncate(begin);
            writer.value(&());
            Ok(())
        };
        let Selection { fields, is_value, .. } = self.selection;
        if *is_value { fields.write_only(writer, write) } else { fields.write(writer, write) }
    }

    /// Writes what a resolver has.
    fn resolved(&self, call: usize, number: usize, position: Pos, writer: &mut Writer<'_>) -> Written {
        let write = |writer: &mut Writer<'_>| match &self.calls[call] {
            Some(Ok(called)) => called.write(number, position, writer),
            Some(Err(error)) => Err(writer.fail(error.clone(), position)),
            None => Ok(()),
        };
        if !self.selection.calls[call].1.is_nullable() {
            return write(writer);
        }
        writer.nullable(write);
        Ok(())
    }
}

fn write_created_at(row: &TableRow, column: &Column, writer: &mut Writer<'_>) -> Result<()> {
    let Ok(Value::Uuid(Some(key))) = row.value(column.number(), Kind::Uuid) else { return Err(unshown(column)) };
    let created = keyset::generated_at(key).ok_or_else(|| unshown(column))?;
    writer.value(&DateTime(created));
    Ok(())
}
