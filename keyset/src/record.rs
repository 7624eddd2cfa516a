//! Rows as a connection returns them: SeaORM's, or values by position.

use std::sync::Arc;

use sea_orm::{DbErr, JsonValue, QueryResult, Value};

use crate::{Columns, Kind, Stored, StoredRows, StoredValue};

/// A row of a result.
#[derive(Debug)]
pub enum Record {
    /// A row of SeaORM, which is large.
    Row(Box<QueryResult>),
    /// Values by position.
    Stored(Stored),
}

/// The position of a column that is not in the result: beyond its last one.
pub(crate) const ABSENT: usize = usize::MAX;

/// The positions of some columns, found once for all rows of a result.
#[derive(Debug, Default)]
pub(crate) struct Positions {
    /// Those of the result.
    columns: Option<Arc<Columns>>,
    found: Arc<[usize]>,
}

impl Positions {
    /// The positions in a result with these columns.
    pub(crate) fn of(
        &mut self,
        columns: &Arc<Columns>,
        find: impl FnOnce(&Columns) -> Result<Vec<usize>, DbErr>,
    ) -> Result<&Arc<[usize]>, DbErr> {
        if !self.columns.as_ref().is_some_and(|known| Arc::ptr_eq(known, columns)) {
            self.found = find(columns)?.into();
            self.columns = Some(Arc::clone(columns));
        }
        Ok(&self.found)
    }
}

impl From<QueryResult> for Record {
    fn from(row: QueryResult) -> Self {
        Self::Row(Box::new(row))
    }
}

impl StoredRows {
    /// The rows.
    pub fn records(self) -> Vec<Record> {
        self.each().map(Record::Stored).collect()
    }
}

impl Record {
    /// Its number among the values by position of one result.
    pub(crate) fn number(&self) -> usize {
        match self {
            Self::Row(_) => 0,
            Self::Stored(stored) => stored.number(),
        }
    }

    /// The value of a column, as one of this kind.
    pub(crate) fn value(&self, column: &str, kind: Kind) -> Result<Value, DbErr> {
        match self {
            Self::Row(row) => kind.read(row, column),
            Self::Stored(stored) => stored.value(stored.columns().position(column)?, kind),
        }
    }

    /// The columns of its result. Those of SeaORM's rows are read once, for all rows of one statement.
    pub(crate) fn columns<'a>(&'a self, of_rows: &'a mut Option<Arc<Columns>>) -> &'a Arc<Columns> {
        match self {
            Self::Row(row) => of_rows.get_or_insert_with(|| Arc::new(Columns::new(row.column_names()))),
            Self::Stored(stored) => stored.columns(),
        }
    }

    /// The value at a position among its columns, as one of this kind.
    pub(crate) fn value_at(&self, position: usize, columns: &Columns, kind: Kind) -> Result<Value, DbErr> {
        match self {
            Self::Row(row) => kind.read(row, columns.name(position)),
            Self::Stored(stored) => stored.value(position, kind),
        }
    }

    /// A number that the engine has written into the statement, at a position among its columns.
    pub(crate) fn int_at(&self, position: usize, columns: &Columns) -> Result<i32, DbErr> {
        match self {
            Self::Row(row) => row.try_get("", columns.name(position)),
            Self::Stored(stored) => stored.int(position),
        }
    }

    /// A number that the engine has written into the statement.
    pub(crate) fn int(&self, column: &str) -> Result<i32, DbErr> {
        match self {
            Self::Row(row) => row.try_get("", column),
            Self::Stored(stored) => stored.int(stored.columns().position(column)?),
        }
    }

    /// A column of 64-bit integers that are not negative, such as a count.
    ///
    /// # Errors
    ///
    /// [`DbErr`] if the row has no such column of integers.
    pub fn count(&self, column: &str) -> Result<u64, DbErr> {
        let count: i64 = match self {
            Self::Row(row) => row.try_get("", column)?,
            Self::Stored(stored) => stored.int(stored.columns().position(column)?)?,
        };
        Ok(count.unsigned_abs())
    }

    /// The one column of a plan of PostgreSQL.
    pub(crate) fn plan(&self) -> Result<JsonValue, DbErr> {
        match self {
            Self::Row(row) => row.try_get_by_index(0),
            Self::Stored(stored) => match stored.get(0) {
                StoredValue::Text(text) => text.parse().map_err(|_| DbErr::Type("the plan is no JSON".into())),
                _ => Ok(JsonValue::Null),
            },
        }
    }

    /// The row of SeaORM.
    ///
    /// # Errors
    ///
    /// [`DbErr::Type`] if it is none.
    pub(crate) fn row(self) -> Result<QueryResult, DbErr> {
        match self {
            Self::Row(row) => Ok(*row),
            Self::Stored(_) => Err(DbErr::Type("expected a row of SeaORM".into())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_absent_column_is_an_error() {
        let mut rows = StoredRows::new(Arc::new(Columns::new(["a", "b"])));
        rows.push(StoredValue::Integer(1));
        rows.push(StoredValue::Null);
        let record = rows.records().remove(0);
        assert_eq!(record.int("a"), Ok(1));
        assert!(record.int("b").is_err() && record.int("c").is_err());
    }
}
