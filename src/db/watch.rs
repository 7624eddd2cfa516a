//! What is seen of the database from outside: its statements, its pools, and whether it can be worked with.

use std::time::Duration;

use migration::{Migrator, MigratorTrait, seaql_migrations};
use sea_orm::sqlx::{self, Database};
use sea_orm::{ColumnTrait, DatabaseConnection, DbBackend, EntityTrait, QueryFilter};
use tokio::time::timeout;

use super::{Db, Failure, Reader};
use crate::metrics::{Metrics, Pool};
use crate::telemetry::trace;

/// How long a database may take to show that it answers.
const PATIENCE: Duration = Duration::from_secs(2);

/// Why the database cannot be worked with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotReady {
    /// It is gone, or busy.
    #[error("the database does not answer")]
    NoAnswer,
    /// Its schema is older than this server.
    #[error("the schema of the database is not up to date")]
    Behind,
}

impl Db {
    /// Whether the database answers, and has all that this version needs. It may have more: the servers of the next version
    /// have been started beside this one then.
    ///
    /// # Errors
    ///
    /// [`NotReady`], after two seconds at most.
    pub async fn ready(&self) -> Result<(), NotReady> {
        let migrations: Vec<String> = Migrator::migrations().iter().map(|migration| migration.name().into()).collect();
        let (needed, version) = (migrations.len(), seaql_migrations::Column::Version);
        let applied = seaql_migrations::Entity::find().filter(version.is_in(migrations));
        match timeout(PATIENCE, applied.all(&Reader::new(self))).await {
            Ok(Ok(applied)) if applied.len() == needed => Ok(()),
            Ok(Err(error)) if Failure::of(&error) != Failure::Other => Err(NotReady::NoAnswer),
            Ok(_) => Err(NotReady::Behind),
            Err(_) => Err(NotReady::NoAnswer),
        }
    }

    /// How its pools are used.
    pub fn pools(&self) -> Vec<Pool> {
        [("reader", &self.reader), ("writer", &self.writer)]
            .map(|(name, db)| match db.get_database_backend() {
                DbBackend::Postgres => pool(name, db.get_postgres_connection_pool()),
                _ => pool(name, db.get_sqlite_connection_pool()),
            })
            .into()
    }
}

fn pool<DB: Database>(name: &'static str, pool: &sqlx::Pool<DB>) -> Pool {
    let (open, idle) = (pool.size() as usize, pool.num_idle());
    let most = pool.options().get_max_connections() as usize;
    // The numbers are not of one moment.
    Pool { name, used: open.saturating_sub(idle), idle, spare: most.saturating_sub(open) }
}

/// Has every statement of a connection, and of each clone made of it from now on, counted and traced.
pub fn statements(db: &mut DatabaseConnection, pool: &'static str, metrics: &Metrics) {
    let metrics = metrics.clone();
    db.set_metric_callback(move |info| {
        metrics.statement(pool, info.failed, info.elapsed);
        trace::statement(info);
    });
}
