//! The database: a SQLite file or a PostgreSQL server, behind the same two handles.

use std::time::Duration;

use migration::{Migrator, MigratorTrait};
use sea_orm::{
    ConnectionTrait, DatabaseConnection, DatabaseTransaction, DbBackend, DbErr, RuntimeErr, TransactionTrait, sqlx,
};
use tokio::time::timeout;

use crate::config::Settings;
use crate::metrics::Metrics;

mod deadline;
mod failure;
mod postgres;
mod reader;
mod ready;
mod sqlite;
mod trust;
mod wait;
mod watch;

use deadline::Deadline;
pub use deadline::Waiver;
pub use failure::Failure;
pub use reader::Reader;
pub use ready::{NotReady, Probe};
pub use trust::Trust;

/// How long to wait for a connection, to the server or from the pool.
pub(crate) const PATIENCE: Duration = Duration::from_secs(5);

/// Where to read and where to write.
///
/// SQLite has one writer at a time and, in WAL mode, any number of readers beside it: a pool of one writing connection
/// queues the writes in the server, where waiting is cheap, instead of in SQLite's busy handler. On PostgreSQL a
/// quarter of the connections write: where they wait for each other's locks, they keep no reader waiting.
#[derive(Clone, Debug)]
pub struct Db {
    /// For statements that only read.
    pub reader: DatabaseConnection,
    /// For statements that write.
    pub writer: DatabaseConnection,
    /// Whether the connections can be relied on.
    pub trust: Trust,
    /// Whether it can be worked with.
    pub probe: Probe,
    /// What is counted of the work on it.
    pub metrics: Metrics,
    /// How long its writer may take; on PostgreSQL, the server knows.
    deadline: Deadline,
}

/// Why there is no database. Says nothing of the password in the URL.
#[derive(Debug, thiserror::Error)]
pub enum ConnectError {
    /// Neither of the databases that are served.
    #[error("the database URL must start with `sqlite:` or `postgres:`")]
    Scheme,
    /// The URL has parts that its database does not know.
    #[error("the database URL is malformed: {0}")]
    Url(String),
    /// The database does not answer, or not in time.
    #[error("cannot open {place}: {reason}")]
    Unreachable {
        /// The file, or the server's address and the database's name.
        place: String,
        /// What it said.
        reason: String,
    },
}

impl Db {
    /// Opens the database that the settings name.
    ///
    /// # Errors
    ///
    /// [`ConnectError`] for a URL that names none, and for one that does not answer for as long as the settings wait.
    pub async fn connect(settings: &Settings) -> Result<Self, ConnectError> {
        let Pools { reader, writer, probe, trust, deadline } = match settings.database_url.expose().split_once(':') {
            Some(("sqlite", _)) => sqlite::open(settings).await?,
            Some(("postgres" | "postgresql", _)) => postgres::open(settings).await?,
            _ => return Err(ConnectError::Scheme),
        };
        let (probe, metrics) = (Probe::new(probe), Metrics::default());
        Ok(Self { reader, writer, trust, probe, metrics, deadline }.watched())
    }

    /// Waits for its turn to change the schema or to fill an empty database, which lasts until the value is dropped: of
    /// servers that start together on one PostgreSQL, one does it and the others find it done. SQLite is no server's to
    /// share.
    ///
    /// # Errors
    ///
    /// [`DbErr`] where the database fails.
    pub async fn turn(&self) -> Result<Option<DatabaseTransaction>, DbErr> {
        if self.writer.get_database_backend() != DbBackend::Postgres {
            return Ok(None);
        }
        // Of the connections that read: there are always two of them.
        let turn = self.reader.begin().await?;
        unhurried(&turn).await?;
        // Any number will do that no other program takes.
        turn.execute_unprepared("SELECT pg_advisory_xact_lock(7236837423021)").await?;
        Ok(Some(turn))
    }

    /// Brings the schema up to date.
    ///
    /// # Errors
    ///
    /// [`DbErr`] where a change fails, or the database has changes that this version does not know.
    pub async fn migrate(&self) -> Result<(), DbErr> {
        if self.writer.get_database_backend() != DbBackend::Postgres {
            let _waiver = self.waive_deadline();
            return Migrator::up(&self.writer, None).await;
        }
        let transaction = self.writer.begin().await?;
        unhurried(&transaction).await?;
        Migrator::up(&transaction, None).await?;
        transaction.commit().await
    }

    /// Takes back so many changes of the schema, the last one first.
    ///
    /// # Errors
    ///
    /// As [`Self::migrate`].
    pub async fn migrate_down(&self, steps: u32) -> Result<(), DbErr> {
        if self.writer.get_database_backend() != DbBackend::Postgres {
            let _waiver = self.waive_deadline();
            return Migrator::down(&self.writer, Some(steps)).await;
        }
        let transaction = self.writer.begin().await?;
        unhurried(&transaction).await?;
        Migrator::down(&transaction, Some(steps)).await?;
        transaction.commit().await
    }

    /// Lets SQLite's writer take as long as it takes while the value lives: a person waits for the end. PostgreSQL is
    /// told so by each transaction.
    pub fn waive_deadline(&self) -> Waiver {
        self.deadline.waive()
    }

    /// Closes every connection. The last one to a SQLite file takes the write-ahead log into it. What still runs after
    /// five seconds is left to itself: the database ends what its client has left, and takes back what is half done.
    ///
    /// # Errors
    ///
    /// [`DbErr`] where the database fails.
    pub async fn close(self) -> Result<(), DbErr> {
        let closed = async {
            self.probe.close().await?;
            self.reader.close_by_ref().await?;
            self.writer.close_by_ref().await
        };
        timeout(PATIENCE, closed).await.unwrap_or_else(|_| {
            tracing::warn!("statements still run: their connections are left to end by themselves");
            Ok(())
        })
    }
}

/// What changes tables takes as long as it takes.
async fn unhurried(transaction: &DatabaseTransaction) -> Result<(), DbErr> {
    transaction.execute_unprepared("SET LOCAL statement_timeout = 0").await.map(drop)
}

/// The pools of a database, as it opens them.
struct Pools {
    reader: DatabaseConnection,
    writer: DatabaseConnection,
    /// Of one connection, which asks whether the others could work.
    probe: DatabaseConnection,
    trust: Trust,
    deadline: Deadline,
}

/// What the database itself said, without the layers that passed it on.
fn unreachable(place: String, error: &DbErr) -> ConnectError {
    let reason = match error {
        DbErr::Conn(RuntimeErr::SqlxError(error)) => match error.as_ref() {
            sqlx::Error::PoolTimedOut => format!("no answer within {} seconds", PATIENCE.as_secs()),
            sqlx::Error::Database(error) => error.message().to_owned(),
            error => error.to_string(),
        },
        DbErr::ConnectionAcquire(_) => format!("no answer within {} seconds", PATIENCE.as_secs()),
        error => error.to_string(),
    };
    ConnectError::Unreachable { place, reason }
}
