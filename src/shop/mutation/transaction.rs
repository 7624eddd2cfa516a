//! The transaction of a write, in which its payload is read too.

use std::sync::{Arc, Mutex as SyncMutex, PoisonError};
use std::time::Instant;

use bookends_graphql::Reader;
use sea_orm::prelude::async_trait::async_trait;
use sea_orm::{ConnectionTrait, DbBackend, DbErr, ExecResult, QueryResult, Statement};
use tokio::sync::{Mutex, MutexGuard};
use uuid::Uuid;

use crate::db::{Db, Keys, WriteTransaction, tally};
use crate::shop::readers;

/// A transaction with shared ownership: the write runs in it, and what is selected of the payload is read in it.
pub struct Transaction {
    connection: Connection,
    reader: Reader,
    keys: Keys,
}

/// Cheap to clone.
#[derive(Clone)]
struct Connection {
    db: Db,
    begun: Instant,
    /// `None` once it has ended.
    open: Arc<Mutex<Option<WriteTransaction>>>,
    /// The first error of a statement. PostgreSQL then rolls back, whatever follows.
    failed: Arc<SyncMutex<Option<DbErr>>>,
}

impl Transaction {
    /// A transaction that was begun then.
    pub fn new(db: &Db, begun: Instant, transaction: WriteTransaction) -> Self {
        let open = Arc::new(Mutex::new(Some(transaction)));
        let connection = Connection { db: db.clone(), begun, open, failed: Arc::default() };
        Self { reader: readers::reader(db, connection.clone()), connection, keys: db.keys.clone() }
    }

    /// The key of a new row.
    pub fn next_key(&self) -> Uuid {
        self.keys.next_key()
    }

    /// Reads in this transaction.
    pub fn reader(&self) -> &Reader {
        &self.reader
    }

    /// Takes the transaction, to end it. Its readers have none then.
    ///
    /// # Errors
    ///
    /// The first error of its statements, after it was rolled back.
    pub async fn end(self) -> Result<WriteTransaction, DbErr> {
        let open = self.connection.open.lock().await.take();
        let transaction = open.ok_or_else(ended)?;
        let failed = self.connection.failed.lock().unwrap_or_else(PoisonError::into_inner).take();
        match failed {
            None => Ok(transaction),
            Some(error) => {
                // Dropping it would hold its locks until the connection is used again. If this fails, they are released.
                let _ = self.connection.db.on_primary(self.connection.begun, transaction.rollback()).await;
                Err(error)
            }
        }
    }
}

impl Connection {
    /// Runs a statement, and keeps its error.
    async fn run<T>(&self, run: impl AsyncFnOnce(&WriteTransaction) -> Result<T, DbErr>) -> Result<T, DbErr> {
        let open = MutexGuard::try_map(self.open.lock().await, Option::as_mut).map_err(|_| ended())?;
        let result = self.db.on_primary(self.begun, run(&open)).await;
        if let Err(error) = &result {
            self.failed.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert_with(|| error.clone());
        }
        result
    }
}

fn ended() -> DbErr {
    DbErr::Custom("the transaction has ended".into())
}

#[async_trait]
impl ConnectionTrait for Connection {
    fn get_database_backend(&self) -> DbBackend {
        self.db.writer.get_database_backend()
    }

    async fn query_one_raw(&self, statement: Statement) -> Result<Option<QueryResult>, DbErr> {
        let row = self.run(async |open| open.query_one_raw(statement).await).await?;
        tally::rows(row.iter().len());
        Ok(row)
    }

    async fn query_all_raw(&self, statement: Statement) -> Result<Vec<QueryResult>, DbErr> {
        let rows = self.run(async |open| open.query_all_raw(statement).await).await?;
        tally::rows(rows.len());
        Ok(rows)
    }

    async fn execute_raw(&self, statement: Statement) -> Result<ExecResult, DbErr> {
        self.run(async |open| open.execute_raw(statement).await).await
    }

    async fn execute_unprepared(&self, sql: &str) -> Result<ExecResult, DbErr> {
        self.run(async |open| open.execute_unprepared(sql).await).await
    }
}

#[async_trait]
impl ConnectionTrait for Transaction {
    fn get_database_backend(&self) -> DbBackend {
        self.connection.get_database_backend()
    }

    async fn query_one_raw(&self, statement: Statement) -> Result<Option<QueryResult>, DbErr> {
        self.connection.query_one_raw(statement).await
    }

    async fn query_all_raw(&self, statement: Statement) -> Result<Vec<QueryResult>, DbErr> {
        self.connection.query_all_raw(statement).await
    }

    async fn execute_raw(&self, statement: Statement) -> Result<ExecResult, DbErr> {
        self.connection.execute_raw(statement).await
    }

    async fn execute_unprepared(&self, sql: &str) -> Result<ExecResult, DbErr> {
        self.connection.execute_unprepared(sql).await
    }
}
