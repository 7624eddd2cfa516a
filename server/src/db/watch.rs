//! Metrics and traces of statements and pools.

use std::time::Instant;

use sea_orm::{ConnectionTrait, DbBackend, DbErr};

use super::pool::Usage;
use super::statements::{READER, WRITER, record_statements, record_writes};
use super::{Db, WriteTransaction, tally};
use crate::metrics::Pool;
use crate::telemetry::statement;

impl Db {
    /// Counts and traces every statement of these connections, and of clones that are made later.
    pub(super) fn watched(mut self) -> Self {
        self.reader.set_metric_callback(record_statements(READER, self.metrics.clone()));
        let record = record_writes(&self.metrics);
        self.writer.set_metric_callback(move |info| record(info));
        self
    }

    /// Commits a transaction, counted and traced like a statement. SeaORM's own commit would not be counted, and it can be
    /// the largest part of a write.
    ///
    /// # Errors
    ///
    /// [`DbErr`] if the database fails.
    pub async fn commit(&self, transaction: WriteTransaction) -> Result<(), DbErr> {
        let (begun, backend) = (Instant::now(), transaction.get_database_backend());
        let committed = self.commit_in_place(transaction).await;
        if committed.is_ok() {
            self.storage.written();
        }
        let (failed, time) = (committed.is_err(), begun.elapsed());
        self.metrics.statement(WRITER, failed, time);
        statement::executed(backend, "COMMIT", failed, time);
        tally::statement(time);
        committed
    }

    /// Commits to the file that was opened. A write to one that was deleted or replaced is lost with that file, so it fails
    /// also if that happens during the commit.
    async fn commit_in_place(&self, transaction: WriteTransaction) -> Result<(), DbErr> {
        if let Err(moved) = self.storage.check() {
            // If it fails, the connection is closed.
            let _ = transaction.rollback().await;
            return Err(moved);
        }
        transaction.commit().await?;
        self.storage.check()
    }

    /// The use of the pools.
    pub fn pools(&self) -> Vec<Pool> {
        let writer = match self.writer.get_database_backend() {
            DbBackend::Postgres => Usage::of(self.writer.get_postgres_connection_pool()),
            _ => Usage::of(self.writer.get_sqlite_connection_pool()),
        };
        let writer = self.writers.usage(writer);
        let replicas = self.replicas.pools().map(|(name, usage)| (format!("replica {name}").into(), usage));
        [(READER.into(), self.reader.usage()), (WRITER.into(), writer)]
            .into_iter()
            .chain(replicas)
            .map(|(name, Usage { used, idle, spare })| Pool { name, used, idle, spare })
            .collect()
    }
}
