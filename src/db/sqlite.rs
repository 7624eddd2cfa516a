//! SQLite: a file with one writing and several reading connections, or a database in memory with one connection.

use std::str::FromStr;
use std::time::Duration;

use sea_orm::sqlx::pool::PoolOptions;
use sea_orm::sqlx::sqlite::{SqliteConnectOptions, SqliteConnection, SqliteJournalMode, SqliteSynchronous};
use sea_orm::sqlx::{self, Connection, Sqlite};
use sea_orm::{ConnectOptions, Database};

use super::deadline::Deadline;
use super::pool::{File, Opener, Pool};
use super::{CONNECT_TIMEOUT, ConnectError, Liveness, Pools, Reads, unreachable};
use crate::config::Settings;

/// Opens the pools.
pub async fn open(settings: &Settings) -> Result<Pools, ConnectError> {
    let url = settings.database_url.expose();
    let parsed = SqliteConnectOptions::from_str(url).map_err(|error| ConnectError::Url(error.to_string()))?;
    let file = parsed.get_filename().display().to_string();
    let (path, parameters) = url.split_once('?').unwrap_or((url, ""));
    let in_memory = path.ends_with(":memory:") || parameters.split('&').any(|parameter| parameter == "mode=memory");
    // A stopped write may close its connection, and a database in memory is lost with its connection.
    let time = if in_memory { Duration::MAX } else { settings.bounds.request_timeout.0 };
    let name = format!("the SQLite file {file}");
    let pool = async |connections: u32, writes: bool, deadline: &Deadline| {
        let mut options = ConnectOptions::new(url);
        options
            .max_connections(connections)
            .acquire_timeout(CONNECT_TIMEOUT)
            .connect_timeout(CONNECT_TIMEOUT)
            // A file does not go away, and a ping before each statement would double its cost. A database in memory is
            // lost with its connection.
            .test_before_acquire(false)
            .idle_timeout(None)
            .max_lifetime(None)
            .sqlx_logging(false)
            .map_sqlx_sqlite_opts(move |options| pragmas(options, writes));
        let deadline = deadline.clone();
        options.map_sqlx_sqlite_pool_opts(move |pool| with_deadline(pool, &deadline));
        Database::connect(options).await.map_err(|error| unreachable(name.clone(), &error))
    };
    // The writer comes first: it creates the file and turns WAL mode on.
    let deadline = Deadline::new(time);
    let writer = pool(1, true, &deadline).await?;
    // Each connection to memory is a database of its own.
    let (reader, probe) = if in_memory {
        (Reads::Shared(writer.clone()), writer.clone())
    } else {
        let file = File::of_url(url, time).map_err(|error| ConnectError::Url(error.to_string()))?;
        let reader = Pool::open(Opener::Sqlite(file), settings.database_connections, Liveness::default()).await;
        let reader = reader.map_err(|error| unreachable(name.clone(), &error))?;
        (Reads::Pool(reader), pool(1, false, &Deadline::new(time)).await?)
    };
    Ok(Pools { reader, writer, probe, liveness: Liveness::default(), deadline })
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

fn pragmas(options: SqliteConnectOptions, writes: bool) -> SqliteConnectOptions {
    let options = options
        .create_if_missing(writes)
        .foreign_keys(true)
        // Otherwise the row that `REPLACE` removes would stay in the sums of its book.
        .pragma("recursive_triggers", "ON")
        // For writes by other processes; this one has a single writer.
        .busy_timeout(CONNECT_TIMEOUT)
        // In WAL mode, a crash of the machine can lose the last transactions, but cannot corrupt the file.
        .synchronous(SqliteSynchronous::Normal)
        // Reads up to 1 GiB of the file through the page cache of the system.
        .pragma("mmap_size", "1073741824")
        // Prepared statements per connection. One that reads the lists of a hundred books takes a megabyte.
        .statement_cache_capacity(64);
    if writes { options.journal_mode(SqliteJournalMode::Wal) } else { options.pragma("query_only", "ON") }
}
