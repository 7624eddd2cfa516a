//! The database: a SQLite file or a PostgreSQL server, behind the same two handles.

use std::str::FromStr;
use std::time::Duration;

use migration::{Migrator, MigratorTrait};
use sea_orm::sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqliteSynchronous};
use sea_orm::sqlx::{self, postgres::PgConnectOptions};
use sea_orm::{
    ConnectOptions, ConnectionTrait, Database, DatabaseConnection, DatabaseTransaction, DbBackend, DbErr, RuntimeErr,
    TransactionTrait,
};
use tokio::time::timeout;

use crate::config::Settings;
use crate::metrics::Metrics;

mod deadline;
mod failure;
mod reader;
mod ready;
mod trust;
mod wait;
mod watch;

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
        let (reader, writer, probe, trust) = match settings.database_url.split_once(':') {
            Some(("sqlite", _)) => sqlite(settings).await?,
            Some(("postgres" | "postgresql", _)) => postgres(settings).await?,
            _ => return Err(ConnectError::Scheme),
        };
        Ok(Self { reader, writer, probe: Probe::new(probe), trust, metrics: Metrics::default() }.watched())
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
            return Migrator::up(&self.writer, None).await;
        }
        let transaction = self.writer.begin().await?;
        unhurried(&transaction).await?;
        Migrator::up(&transaction, None).await?;
        transaction.commit().await
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

/// What reads, what writes, what asks whether it could; and whether they can be relied on.
type Connections = (DatabaseConnection, DatabaseConnection, DatabaseConnection, Trust);

async fn sqlite(settings: &Settings) -> Result<Connections, ConnectError> {
    let (url, time) = (&settings.database_url, settings.bounds.request_timeout.0);
    let parsed = SqliteConnectOptions::from_str(url).map_err(|error| ConnectError::Url(error.to_string()))?;
    let file = parsed.get_filename().display().to_string();
    let (path, parameters) = url.split_once('?').unwrap_or((url, ""));
    let in_memory = path.ends_with(":memory:") || parameters.split('&').any(|parameter| parameter == "mode=memory");
    let open = async |connections: u32, writes: bool| {
        let mut options = ConnectOptions::new(url);
        options
            .max_connections(connections)
            .acquire_timeout(PATIENCE)
            .connect_timeout(PATIENCE)
            // A file does not go away: asking before each statement would double its cost. And a connection to memory
            // must last, because the database goes with it.
            .test_before_acquire(false)
            .idle_timeout(None)
            .max_lifetime(None)
            .sqlx_logging(false)
            .map_sqlx_sqlite_opts(move |options| pragmas(options, writes));
        // What writes is one statement by keys, or the work of a person who waits for its end.
        if !writes {
            options.map_sqlx_sqlite_pool_opts(move |pool| deadline::limit(pool, time));
        }
        let place = format!("the SQLite file {file}");
        Database::connect(options).await.map_err(|error| unreachable(place, &error))
    };
    // First the writer: it makes the file and turns the WAL on.
    let writer = open(1, true).await?;
    // Every connection to memory is a database of its own.
    let reader = async |connections| if in_memory { Ok(writer.clone()) } else { open(connections, false).await };
    Ok((reader(settings.database_connections).await?, writer.clone(), reader(1).await?, Trust::default()))
}

fn pragmas(options: SqliteConnectOptions, writes: bool) -> SqliteConnectOptions {
    let options = options
        .create_if_missing(writes)
        .foreign_keys(true)
        // Without it a row that `REPLACE` replaces would not leave the sums of its book.
        .pragma("recursive_triggers", "ON")
        // Waits for another process that writes; within this one nobody has to.
        .busy_timeout(PATIENCE)
        // In WAL mode a crash of the machine can lose the last transactions, and never corrupts.
        .synchronous(SqliteSynchronous::Normal)
        // Read through the page cache of the system, up to 1 GiB of the file.
        .pragma("mmap_size", "1073741824")
        // Each connection keeps so many statements ready. One that reads the lists of a hundred books holds a megabyte.
        .statement_cache_capacity(64);
    if writes { options.journal_mode(SqliteJournalMode::Wal) } else { options.pragma("query_only", "ON") }
}

async fn postgres(settings: &Settings) -> Result<Connections, ConnectError> {
    let url = &settings.database_url;
    let parsed = PgConnectOptions::from_str(url).map_err(|error| ConnectError::Url(error.to_string()))?;
    let database = parsed.get_database().unwrap_or_else(|| parsed.get_username());
    let place = format!("the PostgreSQL database {database} at {}:{}", parsed.get_host(), parsed.get_port());
    wait::until_it_answers(&parsed, &place, settings.bounds.database_wait.0)
        .await
        .map_err(|error| unreachable(place.clone(), &DbErr::Conn(RuntimeErr::SqlxError(error.into()))))?;
    let trust = Trust::default();
    let open = async |connections: u32| {
        let trusted = trust.clone();
        let mut options = ConnectOptions::new(url);
        options
            .max_connections(connections)
            // Whoever asked no longer waits then, and would not be heard.
            .statement_timeout(settings.bounds.request_timeout.0)
            .acquire_timeout(PATIENCE)
            .connect_timeout(PATIENCE)
            // A server can go away: a connection that was idle is asked before it is used.
            .test_before_acquire_if_idle_for(Duration::from_secs(10))
            .map_sqlx_postgres_before_acquire(move |connection, metadata| trusted.check(connection, metadata))
            .sqlx_logging(false)
            .map_sqlx_postgres_opts(|options| {
                options
                    .application_name("bookends")
                    .statement_cache_capacity(500)
                    // Every order has an index. The planner would rather sort the ties of another one that has all
                    // columns, which it takes for as small as they are on average.
                    .options([("enable_incremental_sort", "off")])
            });
        Database::connect(options).await.map_err(|error| unreachable(place.clone(), &error))
    };
    let writers = (settings.database_connections / 4).max(1);
    // A server waits for its turn on one of them, and reads on another.
    let readers = settings.database_connections.saturating_sub(writers).max(2);
    Ok((open(readers).await?, open(writers).await?, open(1).await?, trust))
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
