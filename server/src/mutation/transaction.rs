//! The transaction of a write, in which its payload is read too.

use std::fmt;
use std::sync::{Arc, Mutex as SyncMutex, PoisonError};
use std::time::Instant;

use async_graphql::SchemaEnv;
use async_graphql::context::QueryEnv;
use bookends_graphql::{Declaration, Reader, RequestData, WriteKind, WriteRows};
use keyset::{Many, ManyBy, ReadRows, Record};
use sea_orm::prelude::async_trait::async_trait;
use sea_orm::{ConnectionTrait, DbBackend, DbErr, ExecResult, QueryResult, Statement, Value};
use tokio::sync::{Mutex, MutexGuard};
use uuid::Uuid;

use super::write::WriteResult;
use crate::db::{Db, Keys, WriteTransaction, tally};
use crate::events::{Event, Events};
use crate::readers;

/// A transaction with shared ownership: the write runs in it, and what is selected of the payload is read in it.
pub struct Transaction {
    connection: Connection,
    declaration: Arc<Declaration>,
    reader: Reader,
    keys: Keys,
    events: Events,
    /// What is announced with the commit.
    announced: SyncMutex<Vec<Event>>,
    data: (QueryEnv, SchemaEnv),
    /// Rows that are about to change.
    changing: SyncMutex<Vec<Event>>,
}

impl fmt::Debug for Transaction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Transaction").field("connection", &self.connection).finish_non_exhaustive()
    }
}

/// Cheap to clone.
#[derive(Clone, Debug)]
struct Connection {
    db: Db,
    begun: Instant,
    /// `None` once it has ended.
    open: Arc<Mutex<Option<WriteTransaction>>>,
    reads_many: ManyBy,
    /// The first error of a statement. PostgreSQL then rolls back, whatever follows.
    failed: Arc<SyncMutex<Option<DbErr>>>,
}

/// The same connection, for the statements of the engine.
pub(super) struct Rows(Connection);

impl Transaction {
    /// A transaction that was begun then.
    pub(super) fn new(
        db: &Db,
        events: &Events,
        declaration: &Arc<Declaration>,
        begun: Instant,
        transaction: WriteTransaction,
        data: (QueryEnv, SchemaEnv),
    ) -> Self {
        let (reads_many, open) = (transaction.reads_many(), Arc::new(Mutex::new(Some(transaction))));
        let connection = Connection { db: db.clone(), begun, open, reads_many, failed: Arc::default() };
        let reader = readers::reader(db, declaration, Rows(connection.clone()));
        let (keys, events) = (db.keys.clone(), events.clone());
        Self {
            reader,
            connection,
            declaration: Arc::clone(declaration),
            keys,
            events,
            announced: SyncMutex::default(),
            data,
            changing: SyncMutex::default(),
        }
    }

    /// What the schema declares.
    pub fn declaration(&self) -> &Declaration {
        &self.declaration
    }

    /// The rows of the engine.
    pub(super) fn rows(&self) -> Rows {
        Rows(self.connection.clone())
    }

    /// The key of a new row, a UUID of version 7.
    pub fn next_key(&self) -> Uuid {
        self.keys.next_key()
    }

    /// Reads in this transaction.
    pub fn reader(&self) -> &Reader {
        &self.reader
    }

    /// Says what this transaction has done with the object of this type with this key, so that it reaches subscribers with the
    /// commit. Say a deletion before the row is deleted, and after it is locked: what an event tells of a row is read now.
    ///
    /// # Errors
    ///
    /// [`WriteError`](super::WriteError) if no such object is declared, or if the database fails.
    pub async fn announce(&self, kind: WriteKind, object: &str, key: &[Value]) -> WriteResult<()> {
        self.check_name(object)?;
        let events = self.events.of_row(kind, object, key, &self.reader).await?;
        self.tell(kind, events);
        Ok(())
    }

    /// The same of a row that was read in this transaction since: these are its values.
    pub(super) fn announce_row(&self, kind: WriteKind, object: &str, row: Vec<Value>) {
        self.tell(kind, self.events.with_row(kind, object, row));
    }

    fn tell(&self, kind: WriteKind, events: Vec<Event>) {
        let changing = locked(&self.changing);
        let events = events.into_iter().filter_map(|event| self.events.after(&changing, kind, event));
        locked(&self.announced).extend(events);
    }

    /// Remembers the object of this type with this key before it is changed, and after it is locked. If it then refers to another
    /// object, its event also reaches those who subscribe by the object to which it referred. If objects of this type have a
    /// [rule](bookends_graphql::ObjectType::rule), call it before each change: viewers hear of a row that comes into view as created,
    /// and of one that goes out of view as deleted.
    ///
    /// # Errors
    ///
    /// [`WriteError`](super::WriteError) if the database fails.
    pub async fn before_change(&self, object: &str, key: &[Value]) -> WriteResult<()> {
        self.check_name(object)?;
        let events = self.events.of_row(WriteKind::Update, object, key, &self.reader).await?;
        locked(&self.changing).extend(events);
        Ok(())
    }

    /// Whether an event says that this is done with objects of this name.
    pub(super) fn tells(&self, kind: WriteKind, object: &str) -> bool {
        self.events.tell(kind, object)
    }

    /// Whether an event says where a changed object of this name was before, whatever it refers to.
    pub(super) fn tells_before(&self, object: &str) -> bool {
        self.events.tell_before(object)
    }

    /// What the request carries, for the rules of objects.
    pub(super) fn data(&self) -> &dyn RequestData {
        &self.data
    }

    fn check_name(&self, object: &str) -> WriteResult<()> {
        let unknown = || DbErr::Custom(format!("the object `{object}` is not declared"));
        self.declaration.object_named(object).map(drop).ok_or_else(|| unknown().into())
    }

    /// What was announced.
    pub(super) fn announced(&self) -> Vec<Event> {
        std::mem::take(&mut *locked(&self.announced))
    }

    /// Takes the transaction, to end it. Its readers have none then.
    ///
    /// # Errors
    ///
    /// The first error of its statements, after it was rolled back.
    pub(super) async fn end(self) -> Result<WriteTransaction, DbErr> {
        let open = self.connection.open.lock().await.take();
        let transaction = open.ok_or_else(ended)?;
        let failed = locked(&self.connection.failed).take();
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
    async fn run<T>(&self, run: impl AsyncFnOnce(&mut WriteTransaction) -> Result<T, DbErr>) -> Result<T, DbErr> {
        let mut open = MutexGuard::try_map(self.open.lock().await, Option::as_mut).map_err(|_| ended())?;
        let result = self.db.on_primary(self.begun, run(&mut open)).await;
        if let Err(error) = &result {
            locked(&self.failed).get_or_insert_with(|| error.clone());
        }
        result
    }
}

fn locked<T>(mutex: &SyncMutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn ended() -> DbErr {
    DbErr::Custom("the transaction has ended".into())
}

#[async_trait]
impl ReadRows for Rows {
    fn backend(&self) -> DbBackend {
        self.0.get_database_backend()
    }

    async fn read(&self, statement: Statement) -> Result<Vec<Record>, DbErr> {
        let rows = self.0.run(async |open| open.read(statement).await).await?;
        tally::rows(rows.len());
        Ok(rows)
    }

    fn reads_many(&self) -> ManyBy {
        self.0.reads_many
    }

    async fn read_many(&self, statement: Statement, many: Many) -> Result<Vec<Vec<Record>>, DbErr> {
        let runs = self.0.run(async |open| open.read_many(statement, many).await).await?;
        tally::rows(runs.iter().map(Vec::len).sum());
        Ok(runs)
    }
}

#[async_trait]
impl WriteRows for Rows {
    async fn write(&self, statement: Statement) -> Result<u64, DbErr> {
        self.0.run(async |open| open.write(statement).await).await
    }
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
