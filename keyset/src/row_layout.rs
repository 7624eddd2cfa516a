//! Where a result has the columns of a table, and its rows.

use std::sync::{Arc, OnceLock};

use sea_orm::{DbErr, QueryResult, TryGetError, Value};

use crate::join::Presence;
use crate::models::AnyModel;
use crate::record::{ABSENT, Positions, Record};
use crate::{ColumnSet, Columns, Join, Kind, Stored, StoredRows, StoredValue, Table};

/// The columns of a table in a result.
#[derive(Clone, Debug)]
pub struct RowLayout {
    table: Table,
    /// What the names of the columns begin with.
    prefix: String,
    /// Those of the columns in the result.
    names: Vec<String>,
    /// Of joined rows.
    presence: Option<Presence>,
}

/// A row of a table. Its values are read where the result has them. A model is made when it is asked for.
#[derive(Debug)]
pub struct TableRow {
    stored: Stored,
    /// The positions of the table's columns; [`ABSENT`] for those that were not read.
    positions: Arc<[usize]>,
    pub(crate) model: OnceLock<AnyModel>,
}

/// Finds the rows of a table in the records of results.
#[derive(Debug)]
pub struct RowReader<'a> {
    layout: &'a RowLayout,
    /// The column that is NULL where a joined row is absent.
    told_by: Option<usize>,
    /// The columns that are read, unless they are those of a model.
    read: Option<ColumnSet>,
    positions: Positions,
    /// The columns that are read of rows of SeaORM.
    row_columns: Option<Arc<Columns>>,
}

impl RowLayout {
    /// The columns of the table itself.
    pub fn of(table: &Table) -> Self {
        Self::named(table, String::new())
    }

    /// The columns of the joined rows.
    pub fn joined(join: &Join) -> Self {
        Self { presence: Some(join.presence()), ..Self::named(join.table(), join.prefix()) }
    }

    fn named(table: &Table, prefix: String) -> Self {
        let names = table.columns().iter().map(|column| format!("{prefix}{}", column.name())).collect();
        Self { table: table.clone(), prefix, names, presence: None }
    }

    /// The table.
    pub fn table(&self) -> &Table {
        &self.table
    }

    /// A reader for the records of results.
    pub fn reader(&self) -> RowReader<'_> {
        let told_by = self.presence.map(|presence| presence.told_by(ColumnSet::ALL));
        RowReader { layout: self, told_by, read: None, positions: Positions::default(), row_columns: None }
    }

    /// A reader for records that have at least these columns of the table: those of [`Table::select`], or of
    /// [`Join::of_columns`]. A value that cannot be read is [`StoredValue::Unreadable`].
    pub fn reader_of(&self, columns: ColumnSet) -> RowReader<'_> {
        let told_by = self.presence.map(|presence| presence.told_by(columns));
        let columns = self.presence.map_or(columns, |presence| presence.with(columns));
        RowReader { told_by, read: Some(columns), ..self.reader() }
    }

    /// The row of a model that is known.
    pub(crate) fn row_of(&self, model: AnyModel) -> TableRow {
        let values = self.table.models().map(|models| models.values(&model)).unwrap_or_default();
        let row = self.row_of_values(values);
        TableRow { model: OnceLock::from(model), ..row }
    }

    /// The row with these values, which are known, in the order of the columns of the table.
    pub fn row_of_values(&self, values: impl IntoIterator<Item = Value>) -> TableRow {
        let columns = Arc::new(Columns::new(self.names.iter().map(String::as_str)));
        let mut rows = StoredRows::new(columns);
        for (column, value) in self.table.columns().iter().zip(values) {
            rows.push(StoredValue::of(&column.kind().of_field(value)));
        }
        let positions = (0..self.names.len()).collect();
        TableRow { stored: rows.only(), positions, model: OnceLock::new() }
    }

    /// The values of these columns in a row of SeaORM.
    fn stored(&self, row: &QueryResult, read: ColumnSet, row_columns: &mut Option<Arc<Columns>>) -> Stored {
        let columns =
            || self.table.columns().iter().zip(&self.names).filter(|(column, _)| read.contains(column.number()));
        let names = || Arc::new(Columns::new(columns().map(|(_, name)| name.as_str())));
        let mut values = StoredRows::new(Arc::clone(row_columns.get_or_insert_with(names)));
        for (column, name) in columns() {
            // Selected as texts, these are read as their kinds when they are asked for.
            let kind = if matches!(column.kind(), Kind::Json | Kind::Array(_)) { Kind::Text } else { column.kind() };
            match kind.read(row, name) {
                Ok(value) => values.push(StoredValue::of(&value)),
                Err(_) => values.push(StoredValue::Unreadable),
            }
        }
        values.only()
    }
}

impl TableRow {
    /// Whether the column with this number was read.
    pub fn has(&self, column: usize) -> bool {
        self.positions.get(column).is_some_and(|position| *position != ABSENT)
    }

    /// The value of the column with this number; NULL if it was not read.
    pub fn get(&self, column: usize) -> StoredValue<'_> {
        self.positions.get(column).map_or(StoredValue::Null, |position| self.stored.get(*position))
    }

    /// The same as a value of this kind.
    ///
    /// # Errors
    ///
    /// [`DbErr::Type`] if it is none, or if the column was not read.
    pub fn value(&self, column: usize, kind: Kind) -> Result<Value, DbErr> {
        if self.has(column) {
            self.stored.value(self.positions[column], kind)
        } else {
            Err(DbErr::Type(format!("the column {column} of a table was not read")))
        }
    }
}

impl RowReader<'_> {
    /// The row in a record. `None` if a joined row is absent.
    ///
    /// # Errors
    ///
    /// [`DbErr`] if the record does not have the columns of the table.
    pub fn row(&mut self, record: &Record) -> Result<Option<TableRow>, DbErr> {
        let Self { layout, told_by, read, positions, row_columns } = self;
        let stored = match (record, *read) {
            (Record::Stored(stored), _) => stored.clone(),
            (Record::Row(row), Some(read)) => layout.stored(row, read, row_columns),
            (Record::Row(row), None) => match layout.table.models().map(|models| models.read(row, &layout.prefix)) {
                None => layout.stored(row, ColumnSet::ALL, row_columns),
                Some(Ok(model)) => return Ok(Some(layout.row_of(model))),
                Some(Err(TryGetError::Null(_))) => return Ok(None),
                Some(Err(TryGetError::DbErr(error))) => return Err(error),
            },
        };
        let is_read = |number| read.is_none_or(|columns| columns.contains(number));
        let positions = positions.of(stored.columns(), |found| {
            let position = |(number, name): (usize, &String)| {
                if is_read(number) { found.position(name) } else { Ok(ABSENT) }
            };
            layout.names.iter().enumerate().map(position).collect()
        })?;
        let row = TableRow { positions: Arc::clone(positions), stored, model: OnceLock::new() };
        let is_absent = told_by.is_some_and(|column| row.get(column) == StoredValue::Null);
        Ok(Some(row).filter(|_| !is_absent))
    }
}
