//! Applies and reverts the changes, each in a transaction of its own.

use std::time::{SystemTime, UNIX_EPOCH};

use sea_orm::{ConnectionTrait, DbErr, EntityTrait, IntoDatabaseExecutor, Set, TransactionTrait};

use crate::{History, Named, changes, seaql_migrations};

/// Every change, in order.
#[derive(Clone, Copy, Debug)]
pub struct Migrator;

/// What the previous release imports to call the functions of [`Migrator`]. It goes with the next release.
pub trait MigratorTrait {}

impl Migrator {
    /// The changes.
    pub fn migrations() -> Vec<Named> {
        changes()
    }

    /// The changes that were not applied yet. Creates the table of changes, if it is missing.
    ///
    /// # Errors
    ///
    /// [`DbErr`] if the database fails, or has changes that this version does not know.
    pub async fn get_pending_migrations(db: &impl ConnectionTrait) -> Result<Vec<Named>, DbErr> {
        let pending = known(db).await?.pending;
        Ok(changes().into_iter().filter(|change| pending.iter().any(|name| name == change.name())).collect())
    }

    /// Applies pending changes: all, or this many.
    ///
    /// # Errors
    ///
    /// [`DbErr`] if the database fails, or has changes that this version does not know.
    pub async fn up<'c>(db: impl IntoDatabaseExecutor<'c>, steps: Option<u32>) -> Result<(), DbErr> {
        let db = db.into_database_executor();
        for change in Self::get_pending_migrations(&db).await?.into_iter().take(most(steps)) {
            let transaction = db.begin().await?;
            change.up(&transaction).await?;
            let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
            let applied = seaql_migrations::ActiveModel {
                version: Set(change.name().to_owned()),
                applied_at: Set(i64::try_from(now).unwrap_or_default()),
            };
            seaql_migrations::Entity::insert(applied).exec_without_returning(&transaction).await?;
            transaction.commit().await?;
        }
        Ok(())
    }

    /// Reverts the latest changes: all, or this many.
    ///
    /// # Errors
    ///
    /// [`DbErr`] if the database fails, or has changes that this version does not know.
    pub async fn down<'c>(db: impl IntoDatabaseExecutor<'c>, steps: Option<u32>) -> Result<(), DbErr> {
        let db = db.into_database_executor();
        let applied = known(&db).await?.applied;
        let applied = changes().into_iter().filter(|change| applied.iter().any(|name| name == change.name()));
        for change in applied.rev().take(most(steps)) {
            let transaction = db.begin().await?;
            change.down(&transaction).await?;
            seaql_migrations::Entity::delete_by_id(change.name()).exec(&transaction).await?;
            transaction.commit().await?;
        }
        Ok(())
    }
}

fn most(steps: Option<u32>) -> usize {
    steps.map_or(usize::MAX, |steps| usize::try_from(steps).unwrap_or(usize::MAX))
}

/// The changes of a database that has no unknown ones. Creates their table, if it is missing.
async fn known(db: &impl ConnectionTrait) -> Result<History, DbErr> {
    db.execute_unprepared(
        "CREATE TABLE IF NOT EXISTS seaql_migrations (version varchar NOT NULL PRIMARY KEY, applied_at bigint NOT NULL)",
    )
    .await?;
    let history = History::of(db).await?;
    if history.unknown.is_empty() {
        Ok(history)
    } else {
        Err(DbErr::Migration(format!("unknown changes were applied: {}", history.unknown.join(", "))))
    }
}
