//! Readiness of the database.

use std::sync::Arc;
use std::time::Duration;

use keyset::ReadRows;
use sea_orm::{ColumnTrait, DbErr, EntityTrait, QueryFilter, QueryTrait, RuntimeErr, sqlx};
use sea_orm_migration::seaql_migrations;
use tokio::sync::Mutex;
use tokio::time::{Instant, timeout};

use super::{Failure, Migrations, Obstacle, Reads, Replicas, Storage};

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
    /// Every connection remained in use.
    #[error("no database connection can be acquired")]
    Busy,
    /// Migrations are pending.
    #[error("the database schema is not up to date")]
    Behind,
    /// The disk fails, or a SQLite file was deleted or replaced.
    #[error("the storage of the database fails: see the log")]
    Storage,
    /// Anything else.
    #[error("the database fails: see the log")]
    Failed,
}

/// Checks whether the database is ready, as a request would meet it: over a connection that requests read on. Cheap to
/// clone.
#[derive(Clone, Debug)]
pub struct Probe {
    db: Reads,
    storage: Storage,
    replicas: Replicas,
    migrations: Migrations,
    last: Arc<Mutex<Option<Checked>>>,
}

type Checked = (Instant, Result<Option<Obstacle>, NotReady>);

impl Probe {
    /// A probe that reads here.
    pub fn new(db: Reads, storage: Storage, replicas: Replicas, migrations: Migrations) -> Self {
        Self { db, storage, replicas, migrations, last: Arc::default() }
    }

    /// Whether the database answers and has every migration of this version. It may have more, while a newer version is
    /// rolled out. It is asked at most once per second. Returns why only reads can succeed, if they do.
    ///
    /// # Errors
    ///
    /// [`NotReady`], after at most two seconds.
    pub async fn ready(&self) -> Result<Option<Obstacle>, NotReady> {
        let mut last = self.last.lock().await;
        if let Some((when, result)) = *last
            && when.elapsed() < MAX_AGE
        {
            return result;
        }
        let result = match timeout(TIMEOUT, self.ask()).await.unwrap_or_else(|_| Err(self.no_answer())) {
            Err(NotReady::NoAnswer | NotReady::Busy) if self.replicas.any_healthy() => Ok(Some(Obstacle::NoPrimary)),
            result => result,
        };
        *last = Some((Instant::now(), result));
        result
    }

    async fn ask(&self) -> Result<Option<Obstacle>, NotReady> {
        let migrations = self.migrations.names();
        if migrations.is_empty() {
            return self.obstacle().await;
        }
        let (needed, version) = (migrations.len(), seaql_migrations::Column::Version);
        let applied = seaql_migrations::Entity::find().filter(version.is_in(migrations)).build(self.db.backend());
        match self.db.read(applied).await {
            Ok(applied) if applied.len() == needed => {}
            Ok(_) => return Err(NotReady::Behind),
            Err(error) if lacks_table(&error) => return Err(NotReady::Behind),
            Err(error) => return Err(self.reason(&error)),
        }
        self.obstacle().await
    }

    async fn obstacle(&self) -> Result<Option<Obstacle>, NotReady> {
        self.storage.obstacle(&self.db).await.map_err(|error| self.reason(&error))
    }

    fn reason(&self, error: &DbErr) -> NotReady {
        tracing::warn!(%error, "the database is not ready");
        match Failure::of(error) {
            Failure::Storage => NotReady::Storage,
            Failure::Lost | Failure::Unavailable | Failure::TimedOut | Failure::InTheWay => self.no_answer(),
            _ => NotReady::Failed,
        }
    }

    fn no_answer(&self) -> NotReady {
        if self.db.usage().is_exhausted() { NotReady::Busy } else { NotReady::NoAnswer }
    }
}

/// Whether a table is missing: PostgreSQL's "undefined table", SQLite's "error in the statement".
fn lacks_table(error: &DbErr) -> bool {
    let DbErr::Query(RuntimeErr::SqlxError(cause)) = error else { return false };
    let sqlx::Error::Database(error) = cause.as_ref() else { return false };
    matches!(error.code().as_deref(), Some("42P01" | "1"))
}
