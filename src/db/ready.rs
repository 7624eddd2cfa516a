//! Readiness of the database.

use std::sync::Arc;
use std::time::Duration;

use migration::{Migrator, MigratorTrait, seaql_migrations};
use sea_orm::{ColumnTrait, DatabaseConnection, DbErr, EntityTrait, QueryFilter, RuntimeErr, sqlx};
use tokio::sync::Mutex;
use tokio::time::{Instant, timeout};

use super::Failure;

/// The time that the database has to answer.
const TIMEOUT: Duration = Duration::from_secs(2);

/// How long a result is reused.
const MAX_AGE: Duration = Duration::from_secs(1);

/// Why the database is not ready.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotReady {
    /// No answer in time.
    #[error("the database does not answer")]
    NoAnswer,
    /// Migrations are pending.
    #[error("the database schema is not up to date")]
    Behind,
    /// Anything else.
    #[error("the database fails: see the log")]
    Failed,
}

/// Checks whether the database is ready, over a connection of its own: a database whose other connections are all in use
/// is ready. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Probe {
    db: DatabaseConnection,
    last: Arc<Mutex<Option<Checked>>>,
}

type Checked = (Instant, Result<(), NotReady>);

impl Probe {
    /// A probe over this connection.
    pub fn new(db: DatabaseConnection) -> Self {
        Self { db, last: Arc::default() }
    }

    /// Whether the database answers and has every migration of this version. It may have more, while a newer version is
    /// rolled out. It is asked at most once per second.
    ///
    /// # Errors
    ///
    /// [`NotReady`], after at most two seconds.
    pub async fn ready(&self) -> Result<(), NotReady> {
        let mut last = self.last.lock().await;
        if let Some((when, result)) = *last
            && when.elapsed() < MAX_AGE
        {
            return result;
        }
        let result = timeout(TIMEOUT, self.ask()).await.unwrap_or(Err(NotReady::NoAnswer));
        *last = Some((Instant::now(), result));
        result
    }

    async fn ask(&self) -> Result<(), NotReady> {
        let migrations: Vec<String> = Migrator::migrations().iter().map(|migration| migration.name().into()).collect();
        let (needed, version) = (migrations.len(), seaql_migrations::Column::Version);
        match seaql_migrations::Entity::find().filter(version.is_in(migrations)).all(&self.db).await {
            Ok(applied) if applied.len() == needed => Ok(()),
            Ok(_) => Err(NotReady::Behind),
            Err(error) if lacks_table(&error) => Err(NotReady::Behind),
            Err(error) => {
                tracing::warn!(%error, "the database is not ready");
                Err(if Failure::of(&error) == Failure::Other { NotReady::Failed } else { NotReady::NoAnswer })
            }
        }
    }

    /// Closes the connection.
    pub(super) async fn close(&self) -> Result<(), DbErr> {
        self.db.close_by_ref().await
    }
}

/// Whether a table is missing: PostgreSQL's "undefined table", SQLite's "error in the statement".
fn lacks_table(error: &DbErr) -> bool {
    let DbErr::Query(RuntimeErr::SqlxError(cause)) = error else { return false };
    let sqlx::Error::Database(error) = cause.as_ref() else { return false };
    matches!(error.code().as_deref(), Some("42P01" | "1"))
}
