//! Whether the database can be worked with.

use std::sync::Arc;
use std::time::Duration;

use migration::{Migrator, MigratorTrait, seaql_migrations};
use sea_orm::{ColumnTrait, DatabaseConnection, DbErr, EntityTrait, QueryFilter, RuntimeErr, sqlx};
use tokio::sync::Mutex;
use tokio::time::{Instant, timeout};

use super::Failure;

/// How long a database may take to show that it answers.
const PATIENCE: Duration = Duration::from_secs(2);

/// For how long an answer holds, whoever asks.
const HOLDS: Duration = Duration::from_secs(1);

/// Why the database cannot be worked with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotReady {
    /// It is gone, or does not get to it.
    #[error("the database does not answer")]
    NoAnswer,
    /// Its schema is older than this server.
    #[error("the schema of the database is not up to date")]
    Behind,
    /// Anything else.
    #[error("the database fails: the log says how")]
    Failed,
}

/// Asks the database how it is, by a connection of its own: those of the clients can all be in use, and it is well.
/// Cheap to clone.
#[derive(Clone, Debug)]
pub struct Probe {
    db: DatabaseConnection,
    last: Arc<Mutex<Option<Answer>>>,
}

type Answer = (Instant, Result<(), NotReady>);

impl Probe {
    /// Asks by this connection.
    pub fn new(db: DatabaseConnection) -> Self {
        Self { db, last: Arc::default() }
    }

    /// Whether the database answers, and has all that this version needs. It may have more: the servers of the next
    /// version have been started beside this one then. It is asked once a second at most.
    ///
    /// # Errors
    ///
    /// [`NotReady`], after two seconds at most.
    pub async fn ready(&self) -> Result<(), NotReady> {
        let mut last = self.last.lock().await;
        if let Some((when, answer)) = *last
            && when.elapsed() < HOLDS
        {
            return answer;
        }
        let answer = timeout(PATIENCE, self.ask()).await.unwrap_or(Err(NotReady::NoAnswer));
        *last = Some((Instant::now(), answer));
        answer
    }

    async fn ask(&self) -> Result<(), NotReady> {
        let migrations: Vec<String> = Migrator::migrations().iter().map(|migration| migration.name().into()).collect();
        let (needed, version) = (migrations.len(), seaql_migrations::Column::Version);
        match seaql_migrations::Entity::find().filter(version.is_in(migrations)).all(&self.db).await {
            Ok(applied) if applied.len() == needed => Ok(()),
            Ok(_) => Err(NotReady::Behind),
            Err(error) if lacks_table(&error) => Err(NotReady::Behind),
            Err(error) => {
                tracing::warn!(%error, "the database cannot be worked with");
                Err(if Failure::of(&error) == Failure::Other { NotReady::Failed } else { NotReady::NoAnswer })
            }
        }
    }

    /// Closes its connection.
    pub(super) async fn close(&self) -> Result<(), DbErr> {
        self.db.close_by_ref().await
    }
}

/// Whether a table is not there: PostgreSQL's "undefined table", SQLite's "error in the statement".
fn lacks_table(error: &DbErr) -> bool {
    let DbErr::Query(RuntimeErr::SqlxError(cause)) = error else { return false };
    let sqlx::Error::Database(error) = cause.as_ref() else { return false };
    matches!(error.code().as_deref(), Some("42P01" | "1"))
}
