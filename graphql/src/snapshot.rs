//! One state of the database for each response.

use std::sync::Arc;

use async_graphql::futures_util::lock::Mutex;
use async_graphql::futures_util::stream::BoxStream;
use async_graphql::parser::types::{DocumentOperations, ExecutableDocument, OperationType};
use async_graphql::{Data, Executor, Request, Response};
use keyset::{ReadRows, Record};
use sea_orm::prelude::async_trait::async_trait;
use sea_orm::{
    AccessMode, DatabaseConnection, DatabaseTransaction, DbBackend, DbErr, IsolationLevel, Statement, TransactionTrait,
};

use crate::Reader;

/// A schema whose queries each read one state of the database, whatever is written meanwhile.
///
/// It gives each request its [`Reader`]: a query reads by one transaction for reading only, which begins with its first
/// statement and ends with its response. A query that needs one statement reads without one. Mutations and subscriptions read
/// what is committed when they read.
///
/// Resolvers of your own read the same state through [`ContextExt::reader`](crate::ContextExt::reader). If they take another
/// connection of the pool, a query needs two at a time: a pool of one connection has none for it.
///
/// ```
/// # use async_graphql::{Executor, Schema, ObjectType, SubscriptionType};
/// # use bookends_graphql::{Reader, Snapshots};
/// # use sea_orm::DatabaseConnection;
/// # fn example(schema: Schema<impl ObjectType + 'static, impl ObjectType + 'static, impl SubscriptionType + 'static>, db: DatabaseConnection) -> impl Executor {
/// Snapshots::new(schema, Reader::new(db))
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Snapshots<E> {
    schema: E,
    reader: Reader,
}

impl<E: Executor> Snapshots<E> {
    /// This schema over the database of this reader.
    ///
    /// # Panics
    ///
    /// Panics if the connection of the reader is none of SeaORM's [`DatabaseConnection`]: it cannot begin a transaction. Give
    /// each request a [`Reader::over`] a snapshot of your own instead.
    pub fn new(schema: E, reader: Reader) -> Self {
        assert!(reader.has_snapshots(), "expected the reader of a `DatabaseConnection`, which can begin transactions");
        Self { schema, reader }
    }

    fn prepared(&self, mut request: Request) -> Request {
        let name = request.operation_name.clone();
        // The schema reports that a document cannot be parsed.
        let is_query = request.parsed_query().is_ok_and(|document| is_query(document, name.as_deref()));
        let reader = if is_query { self.reader.snapshot() } else { self.reader.clone() };
        request.data(reader)
    }
}

fn is_query(document: &ExecutableDocument, name: Option<&str>) -> bool {
    let operation = match (&document.operations, name) {
        (DocumentOperations::Single(operation), _) => Some(operation),
        (DocumentOperations::Multiple(operations), Some(name)) => operations.get(name),
        (DocumentOperations::Multiple(operations), None) => operations.values().next(),
    };
    operation.is_some_and(|operation| operation.node.ty == OperationType::Query)
}

impl<E: Executor> Executor for Snapshots<E> {
    async fn execute(&self, request: Request) -> Response {
        self.schema.execute(self.prepared(request)).await
    }

    fn execute_stream(&self, request: Request, session: Option<Arc<Data>>) -> BoxStream<'static, Response> {
        self.schema.execute_stream(self.prepared(request), session)
    }
}

/// Statements of one transaction, which begins with the first of them.
pub(crate) struct Snapshot {
    db: DatabaseConnection,
    begun: Mutex<Option<Result<DatabaseTransaction, DbErr>>>,
}

impl Snapshot {
    pub fn of(db: DatabaseConnection) -> Self {
        Self { db, begun: Mutex::default() }
    }

    async fn begin(&self) -> Result<DatabaseTransaction, DbErr> {
        match self.db.get_database_backend() {
            // Each of its transactions sees one state.
            DbBackend::Sqlite => self.db.begin().await,
            _ => self.db.begin_with_config(Some(IsolationLevel::RepeatableRead), Some(AccessMode::ReadOnly)).await,
        }
    }
}

#[async_trait]
impl ReadRows for Snapshot {
    fn backend(&self) -> DbBackend {
        self.db.get_database_backend()
    }

    async fn read(&self, statement: Statement) -> Result<Vec<Record>, DbErr> {
        let mut begun = self.begun.lock().await;
        if begun.is_none() {
            *begun = Some(self.begin().await);
        }
        match &*begun {
            Some(Ok(transaction)) => transaction.read(statement).await,
            // It is not tried again: each statement of the response would wait for a connection in turn.
            Some(Err(error)) => Err(error.clone()),
            None => Err(DbErr::Custom("the snapshot has not begun".into())),
        }
    }
}
