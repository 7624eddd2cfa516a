//! Transactions that write.

use std::fmt;

use keyset::{Many, ManyBy, ReadRows as _, Record};
use sea_orm::prelude::async_trait::async_trait;
use sea_orm::sea_query::Values;
use sea_orm::{
    ConnectionTrait, DatabaseExecutor, DatabaseTransaction, DbBackend, DbErr, ExecResult, QueryResult,
    SqliteTransactionMode, Statement, TransactionOptions, TransactionTrait, Value,
};
use tokio::sync::{Mutex, OwnedSemaphorePermit};
use tokio::task::spawn_blocking;

use super::pool::{Blocking, LOAD_SCHEMA, Statements, Writing};
use super::statements::record_writes;
use super::timeout::CONNECT_TIMEOUT;
use super::{Db, Role};

mod unprepared;

/// A transaction that writes. It is rolled back when it is dropped before its end.
#[derive(Debug)]
pub struct WriteTransaction {
    link: Link,
    backend: DbBackend,
    reads_many: ManyBy,
    permit: OwnedSemaphorePermit,
}

enum Link {
    /// The statements are those of the engine. Nothing waits for this lock: it makes references harmless.
    Engine(Box<Mutex<Writing>>),
    /// The statements are prepared.
    Prepared(DatabaseTransaction),
    /// Each statement is sent with its values.
    Unprepared(unprepared::Transaction),
}

impl fmt::Debug for Link {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Engine(_) => "Engine",
            Self::Prepared(_) => "Prepared",
            Self::Unprepared(_) => "Unprepared",
        })
    }
}

impl Db {
    /// Begins a transaction that writes. SQLite takes the write lock at once: a transaction that begins by reading cannot
    /// wait for it later.
    ///
    /// # Errors
    ///
    /// [`DbErr`] if no connection is available in time, or the database fails.
    pub async fn begin(&self) -> Result<WriteTransaction, DbErr> {
        self.begin_prepared(self.permit().await?).await
    }

    /// The right to write.
    ///
    /// # Errors
    ///
    /// [`DbErr::ConnectionAcquire`] if others write for five seconds.
    pub async fn permit(&self) -> Result<OwnedSemaphorePermit, DbErr> {
        self.writers.permit().await
    }

    /// The same, if nobody waits for it.
    pub(crate) fn try_permit(&self) -> Option<OwnedSemaphorePermit> {
        self.writers.try_permit()
    }

    /// Whether the statements of the engine block their thread where they write.
    pub(crate) fn writes_block(&self) -> bool {
        self.writers.block()
    }

    /// Begins a transaction of a mutation, in a role if its request has one. If the engine alone writes in it, no statement of SeaORM
    /// runs in it, and it says whether it may block its thread.
    ///
    /// # Errors
    ///
    /// [`DbErr`] if no connection is available in time, or the database fails.
    pub async fn begin_write(
        &self,
        permit: OwnedSemaphorePermit,
        role: Option<&Role>,
        engine: Option<Blocking>,
    ) -> Result<WriteTransaction, DbErr> {
        let settings = || {
            let role = role.map_or("", Role::settings);
            format!("SET LOCAL lock_timeout = {}; {role}", CONNECT_TIMEOUT.as_millis())
        };
        if let Some((pool, blocking)) = self.writers.engine().zip(engine) {
            let opening = match pool.backend() {
                DbBackend::Postgres => format!("BEGIN; {}", settings()),
                _ => String::new(),
            };
            let writing = pool.write(opening, blocking, record_writes(&self.metrics)).await?;
            let link = Link::Engine(Box::new(Mutex::new(writing)));
            return Ok(WriteTransaction { link, backend: pool.backend(), reads_many: pool.reads_many(), permit });
        }
        let transaction = self.begin_prepared(permit).await?;
        let first = match self.writer.get_database_backend() {
            // SQLite has the same limit as its busy timeout.
            DbBackend::Postgres => settings(),
            _ => LOAD_SCHEMA.to_owned(),
        };
        if let Err(error) = transaction.execute_unprepared(&first).await {
            // Dropping it would hold its connection until that is used again.
            let _ = transaction.rollback().await;
            return Err(error);
        }
        Ok(transaction)
    }

    async fn begin_prepared(&self, permit: OwnedSemaphorePermit) -> Result<WriteTransaction, DbErr> {
        let link = if let Statements::Unprepared(unprepared) = &self.statements {
            let pool = self.writer.get_postgres_connection_pool();
            Link::Unprepared(unprepared::Transaction::begin(pool, unprepared, record_writes(&self.metrics)).await?)
        } else {
            let options = TransactionOptions {
                sqlite_transaction_mode: Some(SqliteTransactionMode::Immediate),
                ..TransactionOptions::default()
            };
            Link::Prepared(self.writer.begin_with_options(options).await?)
        };
        let backend = self.writer.get_database_backend();
        Ok(WriteTransaction { link, backend, reads_many: ManyBy::Unions, permit })
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
        match self.link {
            Link::Engine(transaction) => {
                if let Some(grown) = transaction.into_inner().commit().await? {
                    // No transaction waits for the disk, but the next one that writes: it would make the log longer.
                    let permit = self.permit;
                    drop(spawn_blocking(move || {
                        grown.shorten();
                        drop(permit);
                    }));
                }
                Ok(())
            }
            Link::Prepared(transaction) => transaction.commit().await,
            Link::Unprepared(transaction) => transaction.commit().await,
        }
    }

    /// Rolls it back.
    ///
    /// # Errors
    ///
    /// [`DbErr`] if the database fails, which rolls it back, too.
    pub async fn rollback(self) -> Result<(), DbErr> {
        match self.link {
            Link::Engine(transaction) => transaction.into_inner().rollback().await,
            Link::Prepared(transaction) => transaction.rollback().await,
            Link::Unprepared(transaction) => transaction.rollback().await,
        }
    }

    /// The database.
    pub fn backend(&self) -> DbBackend {
        self.backend
    }

    /// The rows of a statement.
    ///
    /// # Errors
    ///
    /// [`DbErr`] if the database fails.
    pub async fn read(&mut self, statement: Statement) -> Result<Vec<Record>, DbErr> {
        match &mut self.link {
            Link::Engine(transaction) => transaction.get_mut().read(&statement).await,
            _ => Ok(self.query_all_raw(statement).await?.into_iter().map(Record::from).collect()),
        }
    }

    /// How many lists it reads in one trip.
    pub fn reads_many(&self) -> ManyBy {
        self.reads_many
    }

    /// The rows of many lists: see [`ReadRows::read_many`](keyset::ReadRows::read_many).
    ///
    /// # Errors
    ///
    /// As [`Self::read`], and for a kind that [`Self::reads_many`] does not name.
    pub async fn read_many(&mut self, statement: Statement, many: Many) -> Result<Vec<Vec<Record>>, DbErr> {
        match &mut self.link {
            Link::Engine(transaction) => transaction.get_mut().read_many(&statement, &many).await,
            _ => Err(not_of_engine()),
        }
    }

    /// Runs a statement that writes, and returns the number of its rows.
    ///
    /// # Errors
    ///
    /// As [`Self::read`].
    pub async fn write(&mut self, statement: Statement) -> Result<u64, DbErr> {
        match &mut self.link {
            Link::Engine(transaction) => transaction.get_mut().execute(&statement).await,
            _ => Ok(self.execute_raw(statement).await?.rows_affected()),
        }
    }

    /// Sends a text to those who listen to a channel of PostgreSQL, if and when the transaction commits.
    ///
    /// # Errors
    ///
    /// As [`Self::read`].
    pub async fn notify(&mut self, channel: &str, text: &str) -> Result<(), DbErr> {
        if let Link::Engine(transaction) = &mut self.link {
            return transaction.get_mut().notify(channel, text);
        }
        let (sql, values) = ("SELECT pg_notify($1, $2)", [channel.into(), text.into()]);
        self.execute_raw(Statement::from_sql_and_values(DbBackend::Postgres, sql, values)).await.map(drop)
    }
}

/// A statement of SeaORM where the engine alone writes, or the reverse.
fn not_of_engine() -> DbErr {
    DbErr::Custom("this transaction does not run such a statement".into())
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
        self.backend()
    }

    async fn query_one_raw(&self, statement: Statement) -> Result<Option<QueryResult>, DbErr> {
        match &self.link {
            Link::Engine(_) => Err(not_of_engine()),
            Link::Prepared(transaction) => transaction.query_one_raw(of_one_type(statement)).await,
            Link::Unprepared(transaction) => transaction.query_one_raw(statement).await,
        }
    }

    async fn query_all_raw(&self, statement: Statement) -> Result<Vec<QueryResult>, DbErr> {
        match &self.link {
            Link::Engine(_) => Err(not_of_engine()),
            Link::Prepared(transaction) => transaction.query_all_raw(of_one_type(statement)).await,
            Link::Unprepared(transaction) => transaction.query_all_raw(statement).await,
        }
    }

    async fn execute_raw(&self, statement: Statement) -> Result<ExecResult, DbErr> {
        match &self.link {
            Link::Engine(_) => Err(not_of_engine()),
            Link::Prepared(transaction) => transaction.execute_raw(of_one_type(statement)).await,
            Link::Unprepared(transaction) => transaction.execute_raw(statement).await,
        }
    }

    async fn execute_unprepared(&self, sql: &str) -> Result<ExecResult, DbErr> {
        match &self.link {
            Link::Engine(_) => Err(not_of_engine()),
            Link::Prepared(transaction) => transaction.execute_unprepared(sql).await,
            Link::Unprepared(transaction) => transaction.execute_unprepared(sql).await,
        }
    }
}
