//! SQLite: a file that one connection writes and any number reads, or a database in memory for one connection.

use std::str::FromStr;
use std::time::Duration;

use sea_orm::sqlx::pool::PoolOptions;
use sea_orm::sqlx::sqlite::{SqliteConnectOptions, SqliteConnection, SqliteJournalMode, SqliteSynchronous};
use sea_orm::sqlx::{self, Connection, Sqlite};
use sea_orm::{ConnectOptions, Database};

use super::deadline::Deadline;
use super::{ConnectError, PATIENCE, Pools, Trust, unreachable};
use crate::config::Settings;

/// Opens the pools.
pub async fn open(settings: &Settings) -> Result<Pools, ConnectError> {
    let url = settings.database_url.expose();
    let parsed = SqliteConnectOptions::from_str(url).map_err(|error| ConnectError::Url(error.to_string()))?;
    let file = parsed.get_filename().display().to_string();
    let (path, parameters) = url.split_once('?').unwrap_or((url, ""));
    let in_memory = path.ends_with(":memory:") || parameters.split('&').any(|parameter| parameter == "mode=memory");
    // Whoever stops a write may have to leave its connection, and a database in memory goes with it.
    let time = if in_memory { Duration::MAX } else { settings.bounds.request_timeout.0 };
    let pool = async |connections: u32, writes: bool, deadline: &Deadline| {
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
        let deadline = deadline.clone();
        options.map_sqlx_sqlite_pool_opts(move |pool| bounded(pool, &deadline));
        let place = format!("the SQLite file {file}");
        Database::connect(options).await.map_err(|error| unreachable(place, &error))
    };
    // First the writer: it makes the file and turns the WAL on.
    let deadline = Deadline::new(time);
    let writer = pool(1, true, &deadline).await?;
    // Every connection to memory is a database of its own.
    let read = async |connections| {
        if in_memory { Ok(writer.clone()) } else { pool(connections, false, &Deadline::new(time)).await }
    };
    let (reader, probe) = (read(settings.database_connections).await?, read(1).await?);
    Ok(Pools { reader, writer, probe, trust: Trust::default(), deadline })
}

/// The pool, which holds its connections to a time, and does not take one back that cannot be used again.
fn bounded(pool: PoolOptions<Sqlite>, deadline: &Deadline) -> PoolOptions<Sqlite> {
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

/// Whether the connection and its driver agree that no transaction is open. Where a statement was stopped, or the disk
/// is full, SQLite takes the whole transaction back by itself, and cannot do it again when it is told to: the driver
/// takes that for a transaction that goes on, and would begin no other.
async fn has_left_transaction(connection: &mut SqliteConnection) -> Result<bool, sqlx::Error> {
    if connection.is_in_transaction() {
        // It may only not have come to it yet.
        connection.ping().await?;
    }
    Ok(!connection.is_in_transaction())
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
