//! Rows as a connection returns them: SeaORM's, or values by position.

use std::sync::Arc;

use sea_orm::prelude::async_trait::async_trait;
use sea_orm::{ConnectionTrait, DbBackend, DbErr, JsonValue, QueryResult, Statement, Value};

use crate::dialect::Dialect;
use crate::{Columns, Kind, Stored};

/// A connection that returns rows: each of SeaORM's, or another one.
///
/// Implement it for a driver that SeaORM does not know. Its rows are [`Record::Stored`].
#[async_trait]
pub trait ReadRows: Sync {
    /// The database.
    fn backend(&self) -> DbBackend;

    /// Whether a comparison of row values, `(a, b) > (v, w)`, begins a scan of an index on `(a, b)`, wherever the rows are.
    ///
    /// PostgreSQL sends no such comparison to another server. Where a table has foreign partitions, return `false`: a page then
    /// has a range for each sort, `a = v AND b > w` and `a > v`. SQLite is not asked. The connections of SeaORM say `true`, so
    /// [`fetch`](crate::fetch()) and [`bracket`](crate::bracket::bracket) compare row values: read through a connection of your own.
    fn seeks_row_values(&self) -> bool {
        true
    }

    /// Runs a statement, and returns all of its rows.
    ///
    /// # Errors
    ///
    /// [`DbErr`] if the database fails.
    async fn read(&self, statement: Statement) -> Result<Vec<Record>, DbErr>;

    /// Whether [`Self::read_each`] costs one trip to the database.
    fn reads_each(&self) -> bool {
        false
    }

    /// Runs a statement once with each of these values as its last parameter, and returns the rows of each run.
    ///
    /// # Errors
    ///
    /// [`DbErr`] if the database fails.
    async fn read_each(&self, statement: Statement, each: Vec<Value>) -> Result<Vec<Vec<Record>>, DbErr> {
        let mut read = Vec::with_capacity(each.len());
        for value in each {
            let mut statement = statement.clone();
            if let Some(last) = statement.values.as_mut().and_then(|values| values.0.last_mut()) {
                *last = value;
            }
            read.push(self.read(statement).await?);
        }
        Ok(read)
    }
}

#[async_trait]
impl<C: ConnectionTrait> ReadRows for C {
    fn backend(&self) -> DbBackend {
        self.get_database_backend()
    }

    async fn read(&self, statement: Statement) -> Result<Vec<Record>, DbErr> {
        Ok(self.query_all_raw(statement).await?.into_iter().map(Record::Row).collect())
    }
}

/// A row of a result.
#[derive(Debug)]
pub enum Record {
    /// A row of SeaORM.
    Row(QueryResult),
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

impl Record {
    /// The value of a column, as one of this kind.
    pub(crate) fn value(&self, column: &str, kind: Kind, dialect: Dialect) -> Result<Value, DbErr> {
        match self {
            Self::Row(row) => kind.read(row, column, dialect),
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
    pub(crate) fn value_at(
        &self,
        position: usize,
        columns: &Columns,
        kind: Kind,
        dialect: Dialect,
    ) -> Result<Value, DbErr> {
        match self {
            Self::Row(row) => kind.read(row, columns.name(position), dialect),
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
            Self::Stored(_) => Ok(JsonValue::Null),
        }
    }

    /// The row of SeaORM.
    ///
    /// # Errors
    ///
    /// [`DbErr::Type`] if it is none.
    pub(crate) fn row(self) -> Result<QueryResult, DbErr> {
        match self {
            Self::Row(row) => Ok(row),
            Self::Stored(_) => Err(DbErr::Type("expected a row of SeaORM".into())),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;
    use crate::{StoredRows, StoredValue};

    #[test]
    fn an_absent_column_is_an_error() {
        let mut rows = StoredRows::new(Arc::new(Columns::new(["a", "b"])));
        rows.push(StoredValue::Integer(1));
        rows.push(StoredValue::Null);
        let record = rows.records().remove(0);
        assert_eq!(record.int("a"), Ok(1));
        assert!(record.int("b").is_err() && record.int("c").is_err());
    }

    /// Its rows are the parameters.
    #[derive(Default)]
    struct Echo(Mutex<Vec<String>>);

    #[async_trait]
    impl ReadRows for Echo {
        fn backend(&self) -> DbBackend {
            DbBackend::Sqlite
        }

        async fn read(&self, statement: Statement) -> Result<Vec<Record>, DbErr> {
            self.0.lock().unwrap().push(statement.to_string());
            Ok(Vec::new())
        }
    }

    #[tokio::test]
    async fn a_statement_is_run_for_each_value() {
        let db = Echo::default();
        let statement = Statement::from_sql_and_values(DbBackend::Sqlite, "SELECT ?, ?", [1.into(), 0.into()]);
        assert_eq!(db.read_each(statement, vec![2.into(), 3.into()]).await.unwrap().len(), 2);
        assert_eq!(*db.0.lock().unwrap(), ["SELECT 1, 2", "SELECT 1, 3"]);
    }
}
