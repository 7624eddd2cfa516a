//! Connections that read.

use std::sync::Arc;

use sea_orm::prelude::async_trait::async_trait;
use sea_orm::{ConnectionTrait, DbBackend, DbErr, Statement, Value};

use crate::dialect::Dialect;
use crate::{Columns, Placement, Record};

/// A connection that returns rows: each of SeaORM's, or another one.
///
/// Implement it for a driver that SeaORM does not know. Its rows are [`Record::Stored`].
#[async_trait]
pub trait ReadRows: Sync {
    /// The database.
    fn backend(&self) -> DbBackend;

    /// Where the tables are, by which statements are written. SQLite is not asked. The connections of SeaORM say
    /// [`Here`](Placement::Here), and so do [`fetch`](crate::fetch()) and [`bracket`](crate::bracket::bracket): read tables on other
    /// servers through a connection of your own.
    fn placement(&self) -> Placement {
        Placement::Here
    }

    /// Runs a statement, and returns all of its rows.
    ///
    /// # Errors
    ///
    /// [`DbErr`] if the database fails.
    async fn read(&self, statement: Statement) -> Result<Vec<Record>, DbErr>;

    /// What else it reads in one trip to the database.
    fn reads_many(&self) -> ManyBy {
        ManyBy::Unions
    }

    /// Reads many lists in one trip, of a kind that [`Self::reads_many`] names.
    ///
    /// # Errors
    ///
    /// [`DbErr`] if the database fails, or for a kind that it does not read.
    async fn read_many(&self, statement: Statement, many: Many) -> Result<Vec<Vec<Record>>, DbErr> {
        let Many::Values(each) = many else {
            return Err(DbErr::Type("the connection reads no arrays".into()));
        };
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

/// How a connection reads many lists in one trip.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ManyBy {
    /// By a statement whose rows are those of all lists.
    Unions,
    /// By a statement that runs for each list: [`Many::Values`].
    Values,
    /// By a statement whose rows hold lists as arrays: [`Many::Arrays`].
    Arrays,
}

/// Many lists of one statement.
#[derive(Clone, Debug)]
pub enum Many {
    /// It is run once with each of these values as its last parameter. Read are the rows of each run.
    Values(Vec<Value>),
    /// Each row ends with the arrays of these lists, one array for each column of a list. It is NULL if the list is empty.
    ///
    /// Returned are the rows without the arrays, and with a column for the [length](crate::length_of_list) of each list. Then, for each list,
    /// its rows for all of these rows, in their order. The values of a result are in one [`StoredRows`](crate::StoredRows).
    Arrays(Vec<Arc<Columns>>),
}

#[async_trait]
impl<C: ConnectionTrait> ReadRows for C {
    fn backend(&self) -> DbBackend {
        self.get_database_backend()
    }

    async fn read(&self, statement: Statement) -> Result<Vec<Record>, DbErr> {
        Ok(self.query_all_raw(statement).await?.into_iter().map(Record::from).collect())
    }
}

impl Dialect {
    /// The dialect of a connection.
    ///
    /// # Errors
    ///
    /// [`DbErr::BackendNotSupported`] unless it is PostgreSQL or SQLite.
    pub(crate) fn of(db: &(impl ReadRows + ?Sized)) -> Result<Self, DbErr> {
        Self::new(db.backend(), || db.placement())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

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
        assert_eq!(db.read_many(statement, Many::Values(vec![2.into(), 3.into()])).await.unwrap().len(), 2);
        assert_eq!(*db.0.lock().unwrap(), ["SELECT 1, 2", "SELECT 1, 3"]);
    }
}
