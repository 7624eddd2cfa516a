//! The hosts of a database: how far their logs are, and which of them reads and writes.

use std::time::Instant;

use keyset::ReadRows;
use sea_orm::{DbBackend, DbErr, Statement};

use super::failure::lost;
use super::{Db, Failure, Position, Route};

impl Db {
    /// What a server must have replayed to show all that is committed now, on PostgreSQL.
    ///
    /// # Errors
    ///
    /// [`DbErr`] if the database fails.
    pub(crate) async fn position(&self) -> Result<Position, DbErr> {
        // It is also right where commits do not wait for the disk.
        self.end_of_log("pg_current_wal_insert_lsn()").await
    }

    /// The same for what is committed and on the disk. A replica reaches it without further writes, which
    /// [`Self::position`] may need: it can be behind a record that nobody waits for.
    pub(super) async fn durable_position(&self) -> Result<Position, DbErr> {
        self.end_of_log("pg_current_wal_flush_lsn()").await
    }

    async fn end_of_log(&self, function: &str) -> Result<Position, DbErr> {
        let statement = format!(
            "SELECT pg_wal_lsn_diff(lsn, '0/0')::bigint AS lsn,
            ('x' || left(pg_walfile_name(lsn), 8))::bit(32)::bigint AS timeline FROM {function} AS lsn"
        );
        let rows = self.reader.read(Statement::from_string(DbBackend::Postgres, statement)).await?;
        let row = rows.first().ok_or_else(|| DbErr::Custom("PostgreSQL returned no position".into()))?;
        let timeline = u32::try_from(row.count("timeline")?).unwrap_or(u32::MAX);
        // The write before it may be in a newer log.
        if self.primary.as_ref().is_some_and(|primary| !primary.servers().is_newest(timeline)) {
            return Err(DbErr::Custom("the primary is another host".into()));
        }
        Ok(Position { timeline, lsn: row.count("lsn")? })
    }

    /// Where a query reads a state that includes this position: from a replica, or from the primary.
    pub fn route(&self, after: Option<Position>) -> Route {
        Route::new(self.reader.clone(), self.replicas.clone(), after)
    }

    /// Records the failure of a write.
    pub fn write_failed(&self, error: &DbErr) {
        self.liveness.record(error);
        self.storage.record(error);
        if let Some(primary) = &self.primary {
            primary.write_failed(Failure::of(error));
        }
    }

    /// Does a part of a write that began then. If the primary moves to another host meanwhile, the connection is lost: the
    /// old host may be frozen or cut off, and never answer.
    ///
    /// # Errors
    ///
    /// The error of the work, or that of a lost connection.
    pub async fn on_primary<T, E: From<DbErr>>(
        &self,
        begun: Instant,
        work: impl Future<Output = Result<T, E>>,
    ) -> Result<T, E> {
        let Some(primary) = self.primary.as_ref().filter(|primary| primary.servers().are_several()) else {
            return work.await;
        };
        tokio::select! {
            biased;
            done = work => done,
            () = primary.servers().until_left(begun) => Err(lost().into()),
        }
    }

    /// Whether another host can accept a write that this one refuses.
    pub fn may_move(&self) -> bool {
        self.primary.as_ref().is_some_and(|primary| primary.servers().are_several_to_write())
    }
}
