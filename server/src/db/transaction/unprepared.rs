//! A transaction whose statements are not prepared.

use std::fmt;
use std::sync::Arc;
use std::time::Instant;

use sea_orm::metric::Info;
use sea_orm::prelude::async_trait::async_trait;
use sea_orm::sqlx::postgres::{PgPool, Postgres};
use sea_orm::sqlx::{self, AssertSqlSafe, Error};
use sea_orm::{ConnectionTrait, DbBackend, DbErr, ExecResult, QueryResult, RuntimeErr, Statement};
use tokio::sync::Mutex;

use crate::db::pool::{Callback, Unprepared, message_of};

/// It is rolled back when it is dropped before its end.
pub struct Transaction {
    open: Mutex<sqlx::Transaction<'static, Postgres>>,
    callback: Callback,
}

impl Transaction {
    /// Begins a transaction on a connection of this pool. Calls this after each statement.
    ///
    /// # Errors
    ///
    /// [`DbErr`] if no connection is available in time, or the server fails.
    pub async fn begin(pool: &PgPool, unprepared: &Unprepared, callback: Callback) -> Result<Self, DbErr> {
        let begun = pool.begin_with(AssertSqlSafe(unprepared.begin())).await;
        let open = begun.map_err(|error| DbErr::Conn(RuntimeErr::SqlxError(error.into())))?;
        Ok(Self { open: Mutex::new(open), callback })
    }

    /// Commits it.
    ///
    /// # Errors
    ///
    /// [`DbErr`] if the server fails. Then the outcome is unknown if the connection was lost.
    pub async fn commit(self) -> Result<(), DbErr> {
        self.open.into_inner().commit().await.map_err(failed)
    }

    /// Rolls it back.
    ///
    /// # Errors
    ///
    /// [`DbErr`] if the server fails, which rolls it back, too.
    pub async fn rollback(self) -> Result<(), DbErr> {
        self.open.into_inner().rollback().await.map_err(failed)
    }

    async fn run<T>(
        &self,
        statement: &Statement,
        run: impl AsyncFnOnce(&mut sqlx::PgConnection, sqlx::RawSql) -> Result<T, Error>,
    ) -> Result<T, DbErr> {
        let begun = Instant::now();
        let result = async {
            let message = message_of(statement)?;
            run(&mut **self.open.lock().await, sqlx::raw_sql(AssertSqlSafe(message))).await
        };
        let result = result.await;
        (self.callback)(&Info { elapsed: begun.elapsed(), statement, failed: result.is_err() });
        result.map_err(failed)
    }
}

fn failed(error: Error) -> DbErr {
    DbErr::Query(RuntimeErr::SqlxError(Arc::new(error)))
}

impl fmt::Debug for Transaction {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Transaction").finish_non_exhaustive()
    }
}

#[async_trait]
impl ConnectionTrait for Transaction {
    fn get_database_backend(&self) -> DbBackend {
        DbBackend::Postgres
    }

    async fn query_one_raw(&self, statement: Statement) -> Result<Option<QueryResult>, DbErr> {
        let row = self.run(&statement, async |connection, sql| sql.fetch_optional(connection).await).await?;
        Ok(row.map(QueryResult::from))
    }

    async fn query_all_raw(&self, statement: Statement) -> Result<Vec<QueryResult>, DbErr> {
        let rows = self.run(&statement, async |connection, sql| sql.fetch_all(connection).await).await?;
        Ok(rows.into_iter().map(QueryResult::from).collect())
    }

    async fn execute_raw(&self, statement: Statement) -> Result<ExecResult, DbErr> {
        let done = self.run(&statement, async |connection, sql| sql.execute(connection).await).await?;
        Ok(done.into())
    }

    async fn execute_unprepared(&self, sql: &str) -> Result<ExecResult, DbErr> {
        self.execute_raw(Statement::from_string(DbBackend::Postgres, sql)).await
    }
}
