//! Transactions that write.

use sea_orm::prelude::async_trait::async_trait;
use sea_orm::sea_query::Values;
use sea_orm::{
    ConnectionTrait, DatabaseExecutor, DatabaseTransaction, DbBackend, DbErr, ExecResult, QueryResult,
    SqliteTransactionMode, Statement, TransactionOptions, TransactionTrait, Value,
};

use super::Db;
use super::pool::Statements;
use super::statements::record_writes;

mod unprepared;

/// A transaction that writes. It is rolled back when it is dropped before its end.
#[derive(Debug)]
pub enum WriteTransaction {
    /// The statements are prepared.
    Prepared(DatabaseTransaction),
    /// Each statement is sent with its values.
    Unprepared(unprepared::Transaction),
}

impl Db {
    /// Begins a transaction that writes. SQLite takes the write lock at once: a transaction that begins by reading cannot
    /// wait for it later.
    ///
    /// # Errors
    ///
    /// [`DbErr`] if no connection is available in time, or the database fails.
    pub async fn begin(&self) -> Result<WriteTransaction, DbErr> {
        if let Statements::Unprepared(unprepared) = &self.statements {
            let pool = self.writer.get_postgres_connection_pool();
            let transaction = unprepared::Transaction::begin(pool, unprepared, record_writes(&self.metrics)).await?;
            return Ok(WriteTransaction::Unprepared(transaction));
        }
        let options = TransactionOptions {
            sqlite_transaction_mode: Some(SqliteTransactionMode::Immediate),
            ..TransactionOptions::default()
        };
        self.writer.begin_with_options(options).await.map(WriteTransaction::Prepared)
    }

    /// Runs statements of a library, which prepares them; on PostgreSQL, in one transaction.
    ///
    /// # Errors
    ///
    /// That of the work, or [`DbErr`] if the database fails.
    pub(super) async fn run_in_transaction<T>(
        &self,
        work: impl AsyncFnOnce(DatabaseExecutor<'_>) -> Result<T, DbErr>,
    ) -> Result<T, DbErr> {
        if self.writer.get_database_backend() != DbBackend::Postgres {
            return work((&self.writer).into()).await;
        }
        let transaction = self.writer.begin().await?;
        // The next connection may be that of another server, whose statements have the same names.
        let deallocate = async || match self.statements {
            Statements::Prepared => Ok(()),
            Statements::Unprepared(_) => transaction.execute_unprepared("DEALLOCATE ALL").await.map(drop),
        };
        deallocate().await?;
        let done = work((&transaction).into()).await?;
        deallocate().await?;
        transaction.commit().await?;
        Ok(done)
    }
}

impl WriteTransaction {
    /// Commits it.
    ///
    /// # Errors
    ///
    /// [`DbErr`] if the database fails. The outcome is unknown if the connection was lost.
    pub async fn commit(self) -> Result<(), DbErr> {
        match self {
            Self::Prepared(transaction) => transaction.commit().await,
            Self::Unprepared(transaction) => transaction.commit().await,
        }
    }

    /// Rolls it back.
    ///
    /// # Errors
    ///
    /// [`DbErr`] if the database fails, which rolls it back, too.
    pub async fn rollback(self) -> Result<(), DbErr> {
        match self {
            Self::Prepared(transaction) => transaction.rollback().await,
            Self::Unprepared(transaction) => transaction.rollback().await,
        }
    }
}

/// The statement with each number in the widest type of those that stand for it. The driver keeps prepared statements by their texts, and
/// PostgreSQL the types of their parameters: otherwise the key of a `smallint` and the number of an argument could not have one text.
fn of_one_type(mut statement: Statement) -> Statement {
    if let Some(Values(values)) = statement.values.as_mut().filter(|_| statement.db_backend == DbBackend::Postgres) {
        for value in values {
            match value {
                Value::TinyInt(v) => *value = Value::Int(v.map(Into::into)),
                Value::SmallInt(v) => *value = Value::Int(v.map(Into::into)),
                Value::Float(v) => *value = Value::Double(v.map(Into::into)),
                _ => {}
            }
        }
    }
    statement
}

#[async_trait]
impl ConnectionTrait for WriteTransaction {
    fn get_database_backend(&self) -> DbBackend {
        match self {
            Self::Prepared(transaction) => transaction.get_database_backend(),
            Self::Unprepared(transaction) => transaction.get_database_backend(),
        }
    }

    async fn query_one_raw(&self, statement: Statement) -> Result<Option<QueryResult>, DbErr> {
        match self {
            Self::Prepared(transaction) => transaction.query_one_raw(of_one_type(statement)).await,
            Self::Unprepared(transaction) => transaction.query_one_raw(statement).await,
        }
    }

    async fn query_all_raw(&self, statement: Statement) -> Result<Vec<QueryResult>, DbErr> {
        match self {
            Self::Prepared(transaction) => transaction.query_all_raw(of_one_type(statement)).await,
            Self::Unprepared(transaction) => transaction.query_all_raw(statement).await,
        }
    }

    async fn execute_raw(&self, statement: Statement) -> Result<ExecResult, DbErr> {
        match self {
            Self::Prepared(transaction) => transaction.execute_raw(of_one_type(statement)).await,
            Self::Unprepared(transaction) => transaction.execute_raw(statement).await,
        }
    }

    async fn execute_unprepared(&self, sql: &str) -> Result<ExecResult, DbErr> {
        match self {
            Self::Prepared(transaction) => transaction.execute_unprepared(sql).await,
            Self::Unprepared(transaction) => transaction.execute_unprepared(sql).await,
        }
    }
}
