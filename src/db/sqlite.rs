//! SQLite: a file with one writing and several reading connections, or a database in memory with one connection.

use std::str::FromStr;
use std::time::Duration;

use sea_orm::sqlx::pool::PoolOptions;
use sea_orm::sqlx::sqlite::{SqliteConnectOptions, SqliteConnection, SqliteJournalMode, SqliteSynchronous};
use sea_orm::sqlx::{self, Connection, Sqlite};
use sea_orm::{ConnectOptions, Database, DbErr, RuntimeErr};

use super::deadline::Deadline;
use super::pool::{File, Opener, Pool, Statements};
use super::{CONNECT_TIMEOUT, ConnectError, Liveness, Pools, Reads, Replicas, Storage, unreachable};
use crate::config::{self, Settings};

/// Opens the pools.
pub async fn open(settings: &Settings) -> Result<Pools, ConnectError> {
    let url = settings.database_url.expose();
    let parsed = SqliteConnectOptions::from_str(url).map_err(|error| ConnectError::Url(error.to_string()))?;
    let file = parsed.get_filename().display().to_string();
    let (path, parameters) = url.split_once('?').unwrap_or((url, ""));
    let is_read_only = parameters.split('&').any(|parameter| parameter == "mode=ro");
    let in_memory = path.ends_with(":memory:") || parameters.split('&').any(|parameter| parameter == "mode=memory");
    // A stopped write may close its connection, and a database in memory is lost with its connection.
    let time = if in_memory { Duration::MAX } else { settings.bounds.request_timeout.0 };
    let name = format!("the SQLite file {file}");
    let deadline = Deadline::new(time);
    let (mut options, sqlite, applied) = (ConnectOptions::new(url), settings.sqlite, deadline.clone());
    options
        .max_connections(1)
        .acquire_timeout(CONNECT_TIMEOUT)
        .connect_timeout(CONNECT_TIMEOUT)
        // A connection to a file does not break, and a ping before each statement would double its cost. A database in
        // memory is lost with its connection.
        .test_before_acquire(false)
        .idle_timeout(None)
        .max_lifetime(None)
        .sqlx_logging(false)
        .map_sqlx_sqlite_opts(move |options| configured(options, sqlite, is_read_only))
        .map_sqlx_sqlite_pool_opts(move |pool| with_deadline(pool, &applied));
    // The writer comes first: it creates the file, unless that is read-only, and turns WAL mode on.
    let writer = Database::connect(options).await.map_err(|error| unreachable(name.clone(), &error))?;
    // Each connection to memory is a database of its own.
    let (reader, storage) = if in_memory {
        (Reads::Shared(writer.clone()), Storage::default())
    } else {
        let file = File::of_url(url, time, settings.sqlite).map_err(|error| ConnectError::Url(error.to_string()))?;
        let failed = |error: sqlx::Error| unreachable(name.clone(), &DbErr::Conn(RuntimeErr::SqlxError(error.into())));
        let storage = Storage::of_file(file.place().cloned(), file.is_read_only().await.map_err(failed)?);
        let reader = Pool::open(Opener::Sqlite(file), settings.database_connections, Liveness::default()).await;
        (Reads::Pool(reader.map_err(|error| unreachable(name.clone(), &error))?), storage)
    };
    let (liveness, replicas) = (Liveness::default(), Replicas::default());
    Ok(Pools {
        name,
        reader,
        writer,
        liveness,
        deadline,
        storage,
        statements: Statements::Prepared,
        listen: None,
        replicas,
        primary: None,
        watch: None,
    })
}

/// Whether opening the database of this URL would create a file.
pub fn is_missing(url: &str) -> bool {
    let file = url.starts_with("sqlite:").then(|| SqliteConnectOptions::from_str(url).ok()).flatten();
    let in_memory = url.contains(":memory:") || url.contains("mode=memory");
    !in_memory && file.is_some_and(|file| matches!(file.get_filename().try_exists(), Ok(false)))
}

/// Gives each connection its time limit, and closes connections that cannot be reused.
fn with_deadline(pool: PoolOptions<Sqlite>, deadline: &Deadline) -> PoolOptions<Sqlite> {
    let (first, next) = (deadline.clone(), deadline.clone());
    pool.after_connect(move |connection, _| {
        let deadline = first.clone();
        Box::pin(async move { deadline.set(connection).await })
    })
    .after_release(move |connection, _| {
        let deadline = next.clone();
        Box::pin(async move {
            deadline.reset(connection).await?;
            has_left_transaction(connection).await
        })
    })
}

/// Whether the connection and its driver agree that no transaction is open. When a statement is stopped or the disk is
/// full, SQLite rolls the transaction back by itself. The driver's own rollback then fails, and the driver would begin
/// no other transaction.
async fn has_left_transaction(connection: &mut SqliteConnection) -> Result<bool, sqlx::Error> {
    if connection.is_in_transaction() {
        // The rollback may still be queued.
        connection.ping().await?;
    }
    Ok(!connection.is_in_transaction())
}

/// The options of the writer.
fn configured(options: SqliteConnectOptions, settings: config::Sqlite, is_read_only: bool) -> SqliteConnectOptions {
    let options = options
        .create_if_missing(!is_read_only)
        .foreign_keys(true)
        // Otherwise the row that `REPLACE` removes would stay in the sums of its book.
        .pragma("recursive_triggers", "ON")
        // For writes by other processes; this one has a single writer.
        .busy_timeout(CONNECT_TIMEOUT)
        // In WAL mode, a crash of the machine can lose the last transactions, but cannot corrupt the file.
        .synchronous(SqliteSynchronous::Normal)
        // Prepared statements per connection. One that reads the lists of a hundred books takes a megabyte.
        .statement_cache_capacity(64);
    let options = settings.pragmas().into_iter().fold(options, |options, (name, value)| options.pragma(name, value));
    // The mode is written into the file.
    if is_read_only { options } else { options.journal_mode(SqliteJournalMode::Wal) }
}
