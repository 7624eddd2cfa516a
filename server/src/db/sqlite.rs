//! SQLite: a file with one writing and several reading connections, or a database in memory with one connection.

use std::fs;
use std::path::Path;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use sea_orm::sqlx::pool::PoolOptions;
use sea_orm::sqlx::sqlite::{SqliteConnectOptions, SqliteConnection, SqliteJournalMode, SqliteLockingMode};
use sea_orm::sqlx::{self, Connection, Sqlite};
use sea_orm::{ConnectOptions, ConnectionTrait, Database, DatabaseConnection, DbErr, RuntimeErr};

use super::deadline::Deadline;
use super::file_identity::FileIdentity;
#[cfg(unix)]
use super::file_identity::OWNER_ALONE;
use super::opened::{ConnectError, Pools, unreachable};
use super::pool::{File, Opener, Pool, Statements, WRITING};
use super::timeout::CONNECT_TIMEOUT;
use super::writers::Writers;
use super::{Failure, Liveness, Reads, Replicas, Storage};
use crate::config::{self, Settings};

/// Opens the pools.
pub async fn open(settings: &Settings) -> Result<Pools, ConnectError> {
    let url = settings.database_url.expose();
    let parsed = SqliteConnectOptions::from_str(url).map_err(|error| ConnectError::Url(error.to_string()))?;
    let path = parsed.get_filename();
    let is_read_only = parameters(url).any(|parameter| parameter == "mode=ro");
    let in_memory = is_in_memory(url);
    // A stopped write may close its connection, and a database in memory is lost with its connection.
    let time = if in_memory { Duration::MAX } else { settings.bounds.request_timeout.0 };
    let deadline = Deadline::new(time);
    let name = if in_memory {
        "a SQLite database in memory".to_owned()
    } else {
        format!("the SQLite file {}", path.display())
    };
    // Another VFS has its own files, such as those of `memdb`.
    let is_of_system = !in_memory && !parameters(url).any(|parameter| parameter.starts_with("vfs="));
    if is_of_system && !is_read_only {
        create(path);
    }
    let sqlite = settings.sqlite;
    let connect = |configured: fn(SqliteConnectOptions, config::Sqlite, bool) -> SqliteConnectOptions| {
        let (mut options, applied) = (ConnectOptions::new(url), deadline.clone());
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
            .map_sqlx_sqlite_pool_opts(move |pool| set_deadline(pool, &applied));
        Database::connect(options)
    };
    // The writer comes first: it turns WAL mode on.
    let (writer, is_alone) = match connect(configured).await {
        Ok(writer) => (writer, false),
        Err(error) if !in_memory && matches!(Failure::of(&error), Failure::Full | Failure::Storage) => {
            let writer = alone(connect(alone_configured)).await.map_err(|()| unreachable(name.clone(), &error))?;
            tracing::warn!(
                %error,
                "the storage is full or fails: all requests share one connection, and other programs cannot read the file; \
                 restart the server when there is room"
            );
            (writer, true)
        }
        Err(error) => return Err(unreachable(name, &error)),
    };
    let liveness = Liveness::default();
    // SQLite has one writer at a time.
    let writers = Writers::new(1);
    let (reader, writers, storage) = if in_memory {
        // Each connection to memory is a database of its own.
        (Reads::Shared(writer.clone()), writers, Storage::default())
    } else if is_alone {
        let storage = Storage::of_file(FileIdentity::of(path).map(Arc::new), is_read_only);
        (Reads::Shared(writer.clone()), writers, storage)
    } else {
        let file = File::of_url(url, time, sqlite).map_err(|error| ConnectError::Url(error.to_string()))?;
        let failed = |error: sqlx::Error| unreachable(name.clone(), &DbErr::Conn(RuntimeErr::SqlxError(error.into())));
        let storage = Storage::of_file(file.identity().cloned(), file.is_read_only().await.map_err(failed)?);
        let failed = |error: DbErr| unreachable(name.clone(), &error);
        let written = Pool::new(Opener::Sqlite(file.written()), 1, liveness.clone()).map_err(failed)?;
        let reader = Pool::open(Opener::Sqlite(file), settings.database_connections, liveness.clone()).await;
        (Reads::Pool(reader.map_err(failed)?), writers.with(written), storage)
    };
    let replicas = Replicas::default();
    Ok(Pools {
        name,
        reader,
        writer,
        writers,
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
    !is_in_memory(url) && file.is_some_and(|file| matches!(file.get_filename().try_exists(), Ok(false)))
}

fn is_in_memory(url: &str) -> bool {
    let (path, _) = url.split_once('?').unwrap_or((url, ""));
    path.ends_with(":memory:") || parameters(url).any(|parameter| parameter == "mode=memory")
}

fn parameters(url: &str) -> impl Iterator<Item = &str> {
    url.split_once('?').unwrap_or_default().1.split('&')
}

/// Creates the file for its owner alone, unless it is there. Those that SQLite creates beside it have its permissions. If this
/// fails, so does opening it, which says why.
fn create(path: &Path) {
    let mut options = fs::File::options();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, OWNER_ALONE);
    let _ = options.write(true).create_new(true).open(path);
}

/// The only connection to a file on a full disk, on which the shared memory of several connections (`-shm`) cannot be made: the
/// connection has its index of the log in its own memory. It reads, and it writes what there is room for.
async fn alone(connecting: impl Future<Output = Result<DatabaseConnection, DbErr>>) -> Result<DatabaseConnection, ()> {
    let connection = connecting.await.map_err(drop)?;
    connection.execute_unprepared("SELECT 1 FROM sqlite_master LIMIT 1").await.map_err(drop)?;
    Ok(connection)
}

/// Gives each connection its time limit, and closes connections that cannot be reused.
fn set_deadline(pool: PoolOptions<Sqlite>, deadline: &Deadline) -> PoolOptions<Sqlite> {
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
    let options = common(options, settings).create_if_missing(!is_read_only);
    // The mode is written into the file.
    if is_read_only { options } else { options.journal_mode(SqliteJournalMode::Wal) }
}

/// The options of a connection that no other one shares the file with. The file keeps its mode.
fn alone_configured(options: SqliteConnectOptions, settings: config::Sqlite, _: bool) -> SqliteConnectOptions {
    common(options, settings).create_if_missing(false).locking_mode(SqliteLockingMode::Exclusive)
}

fn common(options: SqliteConnectOptions, settings: config::Sqlite) -> SqliteConnectOptions {
    let options = options
        // For writes by other processes; this one has a single writer.
        .busy_timeout(CONNECT_TIMEOUT)
        // Prepared statements per connection. One that reads the lists of a hundred books takes a megabyte.
        .statement_cache_capacity(64);
    let options = WRITING.into_iter().fold(options, |options, (name, value)| options.pragma(name, value));
    settings.pragmas().into_iter().fold(options, |options, (name, value)| options.pragma(name, value))
}
