//! Where resolvers read.

use sea_orm::prelude::async_trait::async_trait;
use sea_orm::{ConnectionTrait, DbBackend, DbErr, ExecResult, QueryResult, Statement};

use super::Db;
use crate::metrics::Metrics;

/// The connection for statements that only read. One that finds its connection lost is run once more, on another one:
/// whoever reads does not notice that the database was restarted.
#[derive(Clone, Copy, Debug)]
pub struct Reader<'a>(&'a Db);

impl<'a> Reader<'a> {
    /// Reads this database.
    pub fn new(db: &'a Db) -> Self {
        Self(db)
    }

    /// What is counted of it.
    pub fn metrics(&self) -> &'a Metrics {
        &self.0.metrics
    }
}

#[async_trait]
impl ConnectionTrait for Reader<'_> {
    fn get_database_backend(&self) -> DbBackend {
        self.0.reader.get_database_backend()
    }

    async fn query_one_raw(&self, statement: Statement) -> Result<Option<QueryResult>, DbErr> {
        match self.0.reader.query_one_raw(statement.clone()).await {
            Err(error) if self.0.trust.shaken_by(&error) => self.0.reader.query_one_raw(statement).await,
            result => result,
        }
    }

    async fn query_all_raw(&self, statement: Statement) -> Result<Vec<QueryResult>, DbErr> {
        match self.0.reader.query_all_raw(statement.clone()).await {
            Err(error) if self.0.trust.shaken_by(&error) => self.0.reader.query_all_raw(statement).await,
            result => result,
        }
    }

    async fn execute_raw(&self, statement: Statement) -> Result<ExecResult, DbErr> {
        self.0.reader.execute_raw(statement).await
    }

    async fn execute_unprepared(&self, sql: &str) -> Result<ExecResult, DbErr> {
        self.0.reader.execute_unprepared(sql).await
    }
}
