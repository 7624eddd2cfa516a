//! Objects that are read by their keys.

use std::collections::{HashMap, HashSet};

use keyset::{Column, ColumnSet, Join, Order, Page, ReadRows as _, Record, StatementCache, Table, TableRows};
use sea_orm::{DbErr, Value};

use super::Selection;
use super::objects::Objects;
use crate::Result;
use crate::plan::Run;
use crate::plan::ahead::{Nesting, Owners};
use crate::plan::writer::{Writer, Written};
use crate::row_key::RowKey;

/// How one object is read by its key: as the only row of a page, so that the text of the statement is kept.
pub struct ByKey {
    page: Page,
    cache: StatementCache,
}

impl ByKey {
    /// `None` for a key by which rows cannot be ordered.
    fn of(table: &Table) -> Option<Box<Self>> {
        let order = Order::of_table(table, []).ok()?;
        Some(Box::new(Self { page: Page::first(&order, 1), cache: StatementCache::default() }))
    }
}

/// Reads the objects with these keys, for each of these selections of one statement. It also reads lists of a single object.
///
/// # Errors
///
/// That of the database.
pub async fn find<'p>(selections: &[&'p Selection], keys: &[Vec<Value>], run: &Run<'_>) -> Result<FoundObjects<'p>> {
    let failed = |error| run.reader.error(error);
    let mut found = FoundObjects { objects: Vec::new(), numbers: HashMap::new() };
    let Some(first) = selections.first() else { return Ok(found) };
    let ruled = run.declaration.ruled(first.name());
    let table = ruled.map_or_else(|| first.layout.table().clone(), |object| object.table_in(run));
    let key: Vec<Column> = table.key().cloned().collect();
    let mut joins = Vec::new();
    let mut columns: ColumnSet = key.iter().map(|column| ColumnSet::of(column.number())).collect();
    for selection in selections {
        selection.joins(run, &mut joins);
        columns = columns | selection.columns(run.variables);
    }
    let mut known = HashSet::new();
    let keys = keys.iter().filter(|values| known.insert(RowKey::of(values))).flatten().cloned().collect::<Vec<_>>();
    let is_one = keys.len() == key.len();
    let among = keyset::among_keys(&key, keys, run.reader.backend()).map_err(failed)?;
    let mut wanted = table.rows();
    wanted.0.and_where(among);
    table.select(&mut wanted, columns);
    found.objects = selections.iter().map(|selection| Objects::of_columns(selection, columns, run)).collect();
    let rows = if is_one {
        first.read_one(selections, wanted, &joins, &mut found.objects, run).await?
    } else {
        keyset::find_rows(run, &wanted, &joins).await.map_err(failed)?
    };
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

impl Selection {
    /// Reads the only one of these rows, and lists of it that are selected.
    async fn read_one(
        &self,
        selections: &[&Selection],
        rows: TableRows,
        joins: &[Join],
        objects: &mut [Objects<'_>],
        run: &Run<'_>,
    ) -> Result<Vec<Record>> {
        let failed = |error| run.reader.error(error);
        let Some(by_key) = self.by_key.get_or_init(|| ByKey::of(self.layout.table())) else {
            return keyset::find_rows(run, &rows, joins).await.map_err(failed);
        };
        let ByKey { page, cache } = &**by_key;
        let read = match Nesting::of(selections.iter().copied(), Owners::RowAndRelated, run) {
            Some(nesting) => {
                let mut objects: Vec<_> = objects.iter_mut().collect();
                nesting.fetch(run, &rows, page, joins, cache, &mut objects).await
            }
            None => keyset::fetch_rows(run, rows, page, joins, cache).await,
        };
        let slice = read.map_err(failed)?;
        Ok(slice.rows.into_iter().map(|row| row.item).collect())
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
        self.objects.first().map_or(Ok(Vec::new()), |objects| objects.key(number))
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
