//! What is seen of the database from outside: its statements and its pools.

use std::time::Instant;

use sea_orm::sqlx::{self, Database};
use sea_orm::{ConnectionTrait, DatabaseConnection, DatabaseTransaction, DbBackend, DbErr};

use super::Db;
use crate::metrics::{Metrics, Pool};
use crate::telemetry::statement;

const READER: &str = "reader";
const WRITER: &str = "writer";

impl Db {
    /// Has every statement counted and traced, of these connections and of each clone made of them from now on.
    pub(super) fn watched(mut self) -> Self {
        watch(&mut self.reader, READER, self.metrics.clone());
        watch(&mut self.writer, WRITER, self.metrics.clone());
        self
    }

    /// Commits what has been written: where writers meet, it is most of what a write takes. The transaction itself
    /// would not be counted.
    ///
    /// # Errors
    ///
    /// [`DbErr`] where the database fails.
    pub async fn commit(&self, transaction: DatabaseTransaction) -> Result<(), DbErr> {
        let (begun, backend) = (Instant::now(), transaction.get_database_backend());
        let committed = transaction.commit().await;
        let (failed, time) = (committed.is_err(), begun.elapsed());
        self.metrics.statement(WRITER, failed, time);
        statement::executed(backend, "COMMIT", failed, time);
        committed
    }

    /// How its pools are used.
    pub fn pools(&self) -> Vec<Pool> {
        [(READER, &self.reader), (WRITER, &self.writer)]
            .map(|(name, db)| match db.get_database_backend() {
                DbBackend::Postgres => pool(name, db.get_postgres_connection_pool()),
                _ => pool(name, db.get_sqlite_connection_pool()),
            })
            .into()
    }
}

fn watch(db: &mut DatabaseConnection, pool: &'static str, metrics: Metrics) {
    db.set_metric_callback(move |info| {
        metrics.statement(pool, info.failed, info.elapsed);
        statement::executed(info.statement.db_backend, &info.statement.sql, info.failed, info.elapsed);
    });
}

fn pool<DB: Database>(name: &'static str, pool: &sqlx::Pool<DB>) -> Pool {
    let (open, idle) = (pool.size() as usize, pool.num_idle());
    let most = pool.options().get_max_connections() as usize;
    // The numbers are not of one moment.
    Pool { name, used: open.saturating_sub(idle), idle, spare: most.saturating_sub(open) }
}
