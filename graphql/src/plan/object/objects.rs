//! The objects that were read for a selection, as JSON.

use async_graphql::Pos;
use async_graphql::futures_util::future::{join, join_all};
use keyset::{Column, ColumnSet, Kind, Record, RowReader, TableRow};
use sea_orm::{DbErr, Value};

use super::{Boxed, Selection, What};
use crate::plan::Run;
use crate::plan::ahead::ReadAhead;
use crate::plan::call::Called;
use crate::plan::collect::When;
use crate::plan::list::Lists;
use crate::plan::relation::Related;
use crate::plan::writer::{Writer, Written};
use crate::scalar::{DateTime, unshown, write_column};
use crate::{Result, global_id};

/// The objects of a selection, with what is selected of them.
pub struct Objects<'p> {
    selection: &'p Selection,
    reader: RowReader<'p>,
    rows: Vec<TableRow>,
    related: Vec<Option<Related<'p>>>,
    calls: Vec<Option<Result<Called<'p>>>>,
    lists: Vec<Option<Lists<'p>>>,
    /// The pages of lists that were read with the rows, by the numbers of the lists.
    ahead: Vec<(usize, ReadAhead)>,
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
        let (rows, calls, lists, ahead) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Self { selection, reader, rows, related: related.collect(), calls, lists, ahead }
    }

    /// The key of the object with this number.
    ///
    /// # Errors
    ///
    /// [`DbErr`] if the row has none.
    pub fn key(&self, number: usize) -> std::result::Result<Vec<Value>, DbErr> {
        let (key, row) = (self.selection.layout.table().key(), &self.rows[number]);
        key.map(|column| row.value(column.number(), column.kind())).collect()
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

    /// Adds the pages of the list with this number, which were read with the rows: of the objects at the end of these relations.
    pub fn read_ahead(&mut self, path: &[usize], list: usize, read: ReadAhead) {
        match path {
            [] => self.ahead.push((list, read)),
            [relation, path @ ..] => {
                if let Some(related) = &mut self.related[*relation] {
                    related.read_ahead(path, list, read);
                }
            }
        }
    }

    /// Reads the lists that are selected of these objects, while resolvers are called.
    pub async fn load(&mut self, run: &Run<'_>) {
        // Most objects are their rows alone, and take no memory for this.
        if self.selection.reads_more(run.variables) {
            self.load_more(run).await;
        }
    }

    fn load_more<'a>(&'a mut self, run: &'a Run<'_>) -> Boxed<'a, ()> {
        Box::pin(async move {
            let Self { selection, rows, related, calls, lists, ahead, .. } = self;
            let rows: &[TableRow] = rows;
            let is_selected = |when: &When| when.holds(run.variables) && !rows.is_empty();
            let lists = async {
                for related in related.iter_mut().flatten() {
                    related.load(run).await;
                }
                for (number, (when, list)) in selection.lists.iter().enumerate() {
                    let ahead = ahead.iter().position(|(of, _)| *of == number).map(|found| ahead.swap_remove(found).1);
                    lists.push(if is_selected(when) { Some(list.of_each(run, rows, ahead).await) } else { None });
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
                What::Refused(None) => {
                    writer.value(&());
                    Ok(())
                }
                What::Refused(Some(error)) => Err(error.clone()),
                What::Id(tag, key) => {
                    global_id::write(*tag, key, row, &mut writer.json).ok_or_else(|| unshown(&key[0]))
                }
                What::Column(column) => write_column(row, column, &mut writer.json),
                What::CreatedAt(column) => write_created_at(row, column, writer),
                What::Computed(_, write) => write(Some(row), &mut writer.json).map_err(|error| writer.failure(error)),
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
