//! Changes of the schema.

use sea_orm::{ConnectionTrait, DatabaseExecutor, DbBackend, DbErr};
use sea_orm_migration::MigratorTraitSelf as _;

use super::{Db, History, Migrations, sqlite};
use crate::config::Settings;

/// Why the schema was not changed.
#[derive(Debug, thiserror::Error)]
pub enum MigrateError {
    /// It has changes of another version that do not follow all changes of this one.
    #[error("the schema has unknown changes, which do not follow those of this version: {}", .0.join(", "))]
    Foreign(Vec<String>),
    /// It has changes of a newer version, which come off first.
    #[error(
        "the schema has unknown changes; revert them with the version that applied them: {}",
        .0.join(", ")
    )]
    Irreversible(Vec<String>),
    /// A change fails, or the database does.
    #[error(transparent)]
    Database(#[from] DbErr),
}

/// The changes of the schema of a database that opening would create: a SQLite file that does not exist.
pub fn history_of_missing(settings: &Settings, migrations: &Migrations) -> Option<History> {
    sqlite::is_missing(settings.database_url.expose()).then(|| History::of_empty(migrations))
}

impl Db {
    /// The changes of the schema. Nothing is written.
    ///
    /// # Errors
    ///
    /// [`DbErr`] if the database fails.
    pub async fn history(&self) -> Result<History, DbErr> {
        self.run_in_transaction(async |db| History::read(&self.migrations, db).await).await
    }

    /// Applies all pending migrations, each in a transaction of its own: what one locks is free when the next begins. If
    /// there are none, nothing is written: the database may be read-only. A schema that a newer version has expanded
    /// remains as it is: this version can serve on it. So does that of an application without migrations.
    ///
    /// # Errors
    ///
    /// [`MigrateError`] if a migration fails, or another version has applied migrations that do not follow those of this
    /// one.
    pub async fn migrate(&self) -> Result<(), MigrateError> {
        if self.migrations.names().is_empty() {
            tracing::debug!("the application does not manage the schema");
        } else {
            self.apply_pending().await?;
        }
        Ok(self.require_schema().await?)
    }

    /// Reads no more from replicas that do not have the schema of the primary yet.
    ///
    /// # Errors
    ///
    /// [`DbErr`] if the database fails.
    pub(crate) async fn require_schema(&self) -> Result<(), DbErr> {
        if !self.replicas.is_empty() {
            self.replicas.require(self.durable_position().await?);
        }
        Ok(())
    }

    async fn apply_pending(&self) -> Result<(), MigrateError> {
        let history = self.history().await?;
        if history.is_ahead() {
            let unknown = history.unknown.join(", ");
            tracing::warn!(unknown, "the schema is newer than this version, and is not changed");
        } else if !history.unknown.is_empty() {
            return Err(MigrateError::Foreign(history.unknown));
        } else {
            for _ in history.pending {
                self.change_schema(async |db| self.migrations.up(db, Some(1)).await).await?;
            }
        }
        Ok(())
    }

    /// Reverts the latest migrations, this many, each in a transaction of its own.
    ///
    /// # Errors
    ///
    /// [`MigrateError`] if a migration fails, or the schema has one that this version does not know.
    pub async fn migrate_down(&self, steps: u32) -> Result<(), MigrateError> {
        let history = self.history().await?;
        if !history.unknown.is_empty() {
            return Err(MigrateError::Irreversible(history.unknown));
        }
        for _ in history.applied.into_iter().zip(0..steps) {
            self.change_schema(async |db| self.migrations.down(db, Some(1)).await).await?;
        }
        Ok(())
    }

    /// Changes the schema without a time limit; on PostgreSQL, in one transaction.
    async fn change_schema(
        &self,
        change: impl AsyncFnOnce(DatabaseExecutor<'_>) -> Result<(), DbErr>,
    ) -> Result<(), DbErr> {
        let _suspension = self.suspend_deadline();
        self.run_in_transaction(async |db| {
            if db.get_database_backend() == DbBackend::Postgres {
                // What replicas must have replayed is on the disk then.
                for setting in ["statement_timeout = 0", "synchronous_commit = on"] {
                    db.execute_unprepared(&format!("SET LOCAL {setting}")).await?;
                }
            }
            change(db).await
        })
        .await
    }
}
