//! The database: a SQLite file or a PostgreSQL server, behind the same handles.

use std::sync::Arc;
use std::time::Duration;

use keyset::ReadRows;
use sea_orm::{DatabaseConnection, DbBackend, DbErr, RuntimeErr, Statement};
use tokio::time::{sleep, timeout};

use crate::config::Settings;
use crate::identity::Identity;
use crate::metrics::Metrics;

mod deadline;
mod failure;
mod file_identity;
mod keys;
mod liveness;
mod migrate;
mod migrations;
mod opened;
pub mod pool;
mod position;
mod postgres;
mod primary;
mod reads;
mod ready;
mod replicas;
mod role;
mod servers;
mod sqlite;
mod sqlite_error;
mod statements;
mod statistics;
mod storage;
pub mod tally;
mod timeout;
mod topology;
mod transaction;
mod wait;
mod watch;
mod writers;

use deadline::Deadline;
pub use deadline::Suspension;
pub use failure::Failure;
pub(crate) use failure::{message as failed_message, violated_columns};
pub use file_identity::LockError;
pub use keys::Keys;
pub use liveness::Liveness;
pub use migrate::{MigrateError, history_of_missing};
pub use migrations::{History, Migrations, Sql};
pub use opened::ConnectError;
pub use pool::Blocking;
use pool::Statements;
pub use position::{InvalidPosition, Position};
pub(crate) use primary::{Primary, Watch};
pub use reads::{Reads, Snapshot};
pub use ready::{NotReady, Probe};
pub use replicas::{Condition, Reason, Replicas, Route, RoutedSnapshot};
pub use role::{InvalidRole, Role, Roles};
pub use servers::Servers;
pub use statistics::TableStatistics;
pub use storage::{Obstacle, Storage};
pub(crate) use timeout::CONNECT_TIMEOUT;
pub use transaction::WriteTransaction;
use writers::Writers;

/// The pause between two attempts to take the lock under which the schema is changed.
const LOCK_PAUSE: Duration = Duration::from_millis(50);

/// Handles to read and to write.
///
/// SQLite has one writer at a time and, in WAL mode, any number of readers. A pool of one writing connection queues the
/// writes in this process, where waiting is cheaper than in SQLite's busy handler. On PostgreSQL, a quarter of the
/// connections writes: writers that wait for locks do not block readers.
#[derive(Clone, Debug)]
pub struct Db {
    /// The application.
    pub identity: Identity,
    /// What it is, for people: a file, or a database and its servers. No password.
    pub name: Arc<str>,
    /// For reads on the primary.
    pub reader: Reads,
    /// For queries; none on SQLite.
    pub replicas: Replicas,
    /// For the writes of an application, and for changes of the schema.
    pub writer: DatabaseConnection,
    /// Which transactions write.
    writers: Writers,
    /// Which connections may be stale.
    pub liveness: Liveness,
    /// Whether the database can be written.
    pub storage: Storage,
    /// Checks whether the database is ready.
    pub probe: Probe,
    /// The metrics of the work on it.
    pub metrics: Metrics,
    /// The statistics of its tables.
    pub statistics: TableStatistics,
    /// Makes the keys of its new rows.
    pub keys: Keys,
    /// The roles of requests; none on SQLite, nor where the settings name no claim.
    pub roles: Option<Roles>,
    /// The changes of its schema.
    migrations: Migrations,
    /// How statements are sent to PostgreSQL.
    statements: Statements,
    /// The servers to listen to; none on SQLite, nor behind a pooler without a server beside it.
    listen: Option<Arc<Primary>>,
    /// The time limit of the writer on SQLite.
    deadline: Deadline,
    /// The primary, on PostgreSQL.
    primary: Option<Arc<Primary>>,
    /// Finds the primary after it has moved, and how far it is ahead of its replicas.
    _watch: Option<Arc<Watch>>,
}

impl Db {
    /// Opens the database of the settings, whose schema has these changes.
    ///
    /// # Errors
    ///
    /// [`ConnectError`] if the URL is invalid, or the database does not answer in time.
    pub async fn connect(settings: &Settings, migrations: &Migrations) -> Result<Self, ConnectError> {
        let metrics = Metrics::new(settings.identity);
        let pools = match settings.database_url.expose().split_once(':') {
            Some(("sqlite", _)) if !settings.replicas.database_replica_urls.is_empty() => {
                return Err(ConnectError::Url("SQLite has no replicas: remove DATABASE_REPLICA_URLS".into()));
            }
            Some(("sqlite", _)) if settings.pooler.database_listen_url.is_some() => {
                return Err(ConnectError::Url("SQLite sends no notifications: remove DATABASE_LISTEN_URL".into()));
            }
            Some(("sqlite", _)) if settings.roles.database_role_claim.is_some() => {
                return Err(ConnectError::Url("SQLite has no roles: remove DATABASE_ROLE_CLAIM".into()));
            }
            // On the heap: each has much room for what it awaits.
            Some(("sqlite", _)) => Box::pin(sqlite::open(settings)).await?,
            Some(("postgres" | "postgresql", _)) => Box::pin(postgres::open(settings, &metrics)).await?,
            _ => return Err(ConnectError::Scheme),
        };
        // Before the handles are watched: probes are no work.
        let probe = Probe::new(pools.reader.clone(), pools.storage.clone(), pools.replicas.clone(), migrations.clone());
        let db = Self {
            identity: settings.identity,
            name: pools.name.into(),
            reader: pools.reader,
            replicas: pools.replicas,
            writer: pools.writer,
            writers: pools.writers,
            liveness: pools.liveness,
            storage: pools.storage,
            probe,
            metrics,
            statistics: TableStatistics::default(),
            keys: Keys::default(),
            roles: Roles::of(&settings.roles),
            migrations: migrations.clone(),
            statements: pools.statements,
            listen: pools.listen,
            deadline: pools.deadline,
            primary: pools.primary,
            _watch: pools.watch,
        };
        Ok(db.watched())
    }

    /// Waits for the advisory lock under which the schema is changed and an empty database is filled. It is held until
    /// the value is dropped: of servers that start together on one PostgreSQL database, one does the work. On SQLite
    /// there is no lock, because servers do not share a file.
    ///
    /// # Errors
    ///
    /// [`DbErr`] if the database fails.
    pub async fn lock(&self) -> Result<Option<Snapshot>, DbErr> {
        if self.writer.get_database_backend() != DbBackend::Postgres {
            return Ok(None);
        }
        let run = async |lock: &Snapshot, sql| lock.read(Statement::from_string(DbBackend::Postgres, sql)).await;
        loop {
            // Each attempt is a transaction of its own: those that wait would take all connections of a pooler.
            let lock = self.reader.begin().await?;
            // What one snapshot sees for as long as it lasts, `VACUUM` would have to keep.
            run(&lock, "SET TRANSACTION ISOLATION LEVEL READ COMMITTED").await?;
            // Any number that no other program uses.
            let locked = run(&lock, "SELECT pg_try_advisory_xact_lock(7236837423021) AS locked").await?;
            let is_locked = locked.first().is_some_and(|row| row.count("locked") == Ok(1));
            if is_locked {
                // PostgreSQL keeps what the last statement saw until another one runs. This one sees nothing.
                run(&lock, "SET LOCAL lock_timeout = 0").await?;
                return Ok(Some(lock));
            }
            drop(lock);
            sleep(LOCK_PAUSE).await;
        }
    }

    /// The servers to listen to, if there are any.
    pub(crate) fn listen_to(&self) -> Option<Arc<Primary>> {
        self.listen.clone()
    }

    /// Removes the time limit of SQLite's writer while the value lives. On PostgreSQL, each transaction removes its own.
    pub fn suspend_deadline(&self) -> Suspension {
        self.deadline.suspend()
    }

    /// Closes every connection. The last connection to a SQLite file merges the write-ahead log into it. Statements that
    /// still run after five seconds are abandoned: PostgreSQL rolls them back, and on SQLite they run to their time limit.
    ///
    /// # Errors
    ///
    /// [`DbErr`] if the database fails.
    pub async fn close(self) -> Result<(), DbErr> {
        self.statistics.stop();
        let closed = async {
            self.replicas.close().await?;
            self.reader.close().await?;
            self.writers.close().await;
            self.writer.close_by_ref().await
        };
        timeout(CONNECT_TIMEOUT, closed).await.unwrap_or_else(|_| {
            tracing::warn!("closing the database without waiting for running statements");
            Ok(())
        })
    }
}

/// The error of a SQLite file that was opened for reading only.
pub(crate) fn read_only() -> DbErr {
    let error = sqlite_error::error(sqlite_error::READ_ONLY, "the file was opened for reading only".to_owned());
    DbErr::Conn(RuntimeErr::SqlxError(error.into()))
}
