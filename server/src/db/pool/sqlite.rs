//! A connection to a SQLite file.
//!
//! A page takes less time than its way to another thread and back. So a statement first runs where it is awaited, for
//! 100,000 instructions of SQLite. One that takes longer, or waits for a lock, is stopped and run again on a thread that
//! may block. (sqlx has a thread for each connection, and sends it each statement, and each row back.)
//!
//! Where it stops a statement that writes, SQLite rolls its transaction back. The whole transaction is then run again, on a thread that may
//! block. So is what a commit leaves to do: a checkpoint waits for the disk.

use std::cell::Cell;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use keyset::{Columns, StoredRows};
use rusqlite::{CachedStatement, Connection, ErrorCode, MAIN_DB, OpenFlags, StatementStatus};
use sea_orm::Value;
use sea_orm::sqlx::Error;
use sea_orm::sqlx::sqlite::SqliteConnectOptions;
use tokio::task::{JoinHandle, spawn_blocking};

mod value;

use value::{Bound, stored};

use super::stop::{INSTRUCTIONS, Stop};
use super::work::{Runs, Work};
use super::writing::Blocking;
use crate::config;
use crate::db::file_identity::FileIdentity;
use crate::db::sqlite_error::{self, failed};
use crate::db::timeout::CONNECT_TIMEOUT;

/// Prepared statements per connection.
const PREPARED: usize = 64;

/// How connections write. Without recursive triggers, the row that `REPLACE` removes would stay in the sums of its parent. In WAL mode,
/// a crash of the machine can lose the last transactions, but cannot corrupt the file.
pub const WRITING: [(&str, &str); 3] =
    [("foreign_keys", "ON"), ("recursive_triggers", "ON"), ("synchronous", "NORMAL")];

/// How long a transaction waits to write while another process does. It is then begun again, after those of this process that wait, too.
const BUSY: Duration = Duration::from_millis(100);

/// Begins a transaction that writes. It takes the lock at once: one that begins by reading cannot wait for it later.
const BEGIN: &str = "BEGIN IMMEDIATE";

/// Loads the schema if another program changed it. An insert would notice in the middle of its triggers, and fail.
pub const LOAD_SCHEMA: &str = "SELECT 1 FROM sqlite_schema LIMIT 0";

/// The rows for which there is room at first: those of a small page with its neighbours, or of a nested page for each parent.
const ROOM: usize = 16;
const ROOM_FOR_EACH: usize = 8;

/// The pages of the write-ahead log from which it is copied into the file: as many as by default in SQLite.
const LONG_LOG: i32 = 1000;

thread_local! {
    /// The pages of the log after the last commit on this thread.
    static LOG: Cell<i32> = const { Cell::new(0) };
}

/// How often the progress handler is called before a statement leaves the thread of the runtime. Where the pages are in
/// memory, that is after about 2 ms.
const INLINE: u32 = 5;

/// The same where they are not.
const INLINE_TIME: Duration = Duration::from_millis(20);

/// The file, and how to open it.
#[derive(Clone, Debug)]
pub struct File {
    path: PathBuf,
    /// SQLite's own, from the URL of the database.
    parameters: String,
    limit: Duration,
    settings: config::Sqlite,
    is_written: bool,
    /// None if SQLite does not keep it in a file of the system.
    identity: Option<Arc<FileIdentity>>,
}

pub struct Sqlite {
    connection: Arc<Mutex<Connection>>,
    stop: Arc<Stop>,
    limit: Duration,
    is_written: bool,
    /// Whether the next commit may begin the log anew.
    restarts: AtomicBool,
    /// The statement on a thread that may block. It stays there if its future is dropped.
    running: Option<JoinHandle<Result<Runs, Error>>>,
}

impl File {
    /// The file in a URL, which exists, the time limit of a statement, and how connections use memory.
    ///
    /// # Errors
    ///
    /// [`Error::Configuration`] if the URL is malformed.
    pub fn of_url(url: &str, limit: Duration, settings: config::Sqlite) -> Result<Self, Error> {
        let options = SqliteConnectOptions::from_str(url)?;
        let (_, parameters) = url.split_once('?').unwrap_or_default();
        // With a shared cache, readers would wait for the writer.
        let parameters: Vec<_> = parameters.split('&').filter(|parameter| !parameter.starts_with("cache=")).collect();
        let path = options.get_filename().to_path_buf();
        Ok(Self {
            identity: FileIdentity::of(&path).map(Arc::new),
            path,
            parameters: parameters.join("&"),
            limit,
            settings,
            is_written: false,
        })
    }

    /// The same, with connections that write.
    #[must_use]
    pub fn written(&self) -> Self {
        Self { is_written: true, ..self.clone() }
    }

    /// Which file it is.
    pub fn identity(&self) -> Option<&Arc<FileIdentity>> {
        self.identity.as_ref()
    }

    /// Checks that the file is the one that was opened first.
    ///
    /// # Errors
    ///
    /// [`Error::Database`] if it was deleted or replaced.
    pub(super) fn check(&self) -> Result<(), Error> {
        self.identity.as_ref().map_or(Ok(()), |identity| identity.check())
    }

    /// Whether the system opens the file for reading only.
    ///
    /// # Errors
    ///
    /// [`Error::Database`] if it cannot be opened.
    pub async fn is_read_only(&self) -> Result<bool, Error> {
        let connection = self.open().await?.connection;
        lock(&connection).is_readonly(MAIN_DB).map_err(failed)
    }

    /// Opens a connection.
    pub(super) async fn open(&self) -> Result<Sqlite, Error> {
        let file = self.clone();
        spawn_blocking(move || file.connect().map_err(failed)).await.unwrap_or(Err(Error::WorkerCrashed))
    }

    fn connect(&self) -> rusqlite::Result<Sqlite> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = if self.parameters.is_empty() {
            Connection::open_with_flags(&self.path, flags)?
        } else {
            let path = self.path.to_string_lossy().replace('%', "%25").replace('?', "%3f").replace('#', "%23");
            let uri = format!("file:{path}?{}", self.parameters);
            Connection::open_with_flags(uri, flags | OpenFlags::SQLITE_OPEN_URI | OpenFlags::SQLITE_OPEN_CREATE)?
        };
        for (name, value) in self.settings.pragmas() {
            connection.pragma_update(None, name, value)?;
        }
        let is_written = self.is_written;
        if is_written {
            // Instead of a checkpoint within the commit.
            connection.wal_hook(Some(|_, pages| {
                LOG.set(pages);
                Ok(())
            }));
        }
        let pragmas = if is_written { &WRITING[..] } else { &[("query_only", "ON")] };
        for (name, value) in pragmas {
            connection.pragma_update(None, name, value)?;
        }
        connection.set_prepared_statement_cache_capacity(PREPARED);
        let stop = Arc::new(Stop::new());
        let handler = Arc::clone(&stop);
        connection.progress_handler(INSTRUCTIONS, Some(move || !handler.may_continue()))?;
        Ok(Sqlite {
            connection: Arc::new(Mutex::new(connection)),
            stop,
            limit: self.limit,
            is_written,
            restarts: AtomicBool::new(false),
            running: None,
        })
    }
}

impl Sqlite {
    /// Runs a statement. All of its runs share one time limit, which starts anew on another thread.
    pub async fn run(&mut self, work: Work<'_>) -> Result<Runs, Error> {
        self.stop.begin(self.limit.min(INLINE_TIME), INLINE);
        match runs(&lock(&self.connection), work, Duration::ZERO) {
            Err(error) if is_late(&error) => {}
            result => return result.map_err(failed),
        }
        self.stop.begin(self.limit, u32::MAX);
        let (connection, busy) = (Arc::clone(&self.connection), CONNECT_TIMEOUT.min(self.limit));
        let (statement, each) = (work.statement.clone(), work.each.map(<[Value]>::to_vec));
        let running = spawn_blocking(move || {
            let work = Work { each: each.as_deref(), ..Work::once(&statement) };
            runs(&lock(&connection), work, busy).map_err(failed)
        });
        let result = self.running.insert(running).await;
        self.running = None;
        result.unwrap_or(Err(Error::WorkerCrashed))
    }

    /// Runs a statement of a transaction that writes, which begins here where this says how. Returns its rows, and how many it has
    /// written. The statements of a transaction share one time limit.
    pub fn write(&self, work: Work<'_>, begins: Option<Blocking>) -> Result<(Runs, u64), Error> {
        let connection = lock(&self.connection);
        if let Some(blocking) = begins {
            if blocking == Blocking::No && self.restarts.load(Ordering::Relaxed) {
                return Err(sqlite_error::error(sqlite_error::BUSY, "the next commit waits for the disk".to_owned()));
            }
            self.restarts.store(false, Ordering::Relaxed);
            let (limit, calls, busy) = match blocking {
                Blocking::Yes => (self.limit, u32::MAX, BUSY),
                Blocking::No => (self.limit.min(INLINE_TIME), INLINE, Duration::ZERO),
            };
            self.stop.begin(limit, calls);
            LOG.set(0);
            connection.busy_timeout(busy).map_err(failed)?;
            [BEGIN, LOAD_SCHEMA].into_iter().try_for_each(|sql| execute(&connection, sql)).map_err(failed)?;
        } else if connection.is_autocommit() {
            return Err(rolled_back());
        }
        let runs = each_run(&connection, work).map_err(failed)?;
        Ok((runs, connection.changes()))
    }

    /// Whether the log was long after the last commit.
    pub fn has_long_log(&self) -> bool {
        self.is_written && LOG.get() >= LONG_LOG
    }

    /// Copies the log into the file, and waits for the disk. What is still read stays in the log. If nothing stays, the next commit
    /// begins the log anew, and waits for the disk, too.
    pub fn shorten_log(&self) {
        self.restarts.store(true, Ordering::Relaxed);
        if let Err(error) = lock(&self.connection).pragma_query(None, "wal_checkpoint", |_| Ok(())) {
            tracing::warn!(%error, "the write-ahead log could not be copied into the file: it grows until a later commit");
        }
    }

    /// Stops the statement whose future was dropped.
    pub fn abandon(&self) {
        self.stop.abandon();
    }

    /// Waits for the end of the statement whose future was dropped.
    pub async fn drain(&mut self) -> Result<(), Error> {
        if let Some(running) = &mut self.running {
            // Its rows, or its error, are for nobody.
            let _ = running.await;
        }
        self.running = None;
        Ok(())
    }

    /// Whether a snapshot is open. SQLite ends it by itself after some errors.
    pub fn is_in_snapshot(&self) -> bool {
        !lock(&self.connection).is_autocommit()
    }

    /// Ends a transaction that writes. SQLite may have rolled it back by itself: then it cannot be committed.
    pub fn end_write(&self, how: &str) -> Result<(), Error> {
        if how == "COMMIT" && !self.is_in_snapshot() { Err(rolled_back()) } else { self.end(how) }
    }

    /// Ends a transaction, which may not have begun.
    pub fn end(&self, how: &str) -> Result<(), Error> {
        if self.is_in_snapshot() { self.execute(how) } else { Ok(()) }
    }

    /// Runs a statement that begins or ends a snapshot.
    pub fn execute(&self, sql: &str) -> Result<(), Error> {
        self.stop.begin(self.limit, u32::MAX);
        execute(&lock(&self.connection), sql).map_err(failed)
    }
}

fn rolled_back() -> Error {
    Error::Protocol("the transaction was rolled back".into())
}

fn lock(connection: &Mutex<Connection>) -> MutexGuard<'_, Connection> {
    connection.lock().unwrap_or_else(PoisonError::into_inner)
}

fn execute(connection: &Connection, sql: &str) -> rusqlite::Result<()> {
    connection.prepare_cached(sql)?.execute([]).map(drop)
}

/// Whether a statement was stopped for its time, or for a lock of another process.
fn is_late(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::OperationInterrupted | ErrorCode::DatabaseBusy))
}

/// Runs a statement, all of whose runs see one state, and waits this long for locks of other processes.
fn runs(connection: &Connection, work: Work<'_>, busy: Duration) -> rusqlite::Result<Runs> {
    connection.busy_timeout(busy)?;
    let begins = work.each.is_some() && connection.is_autocommit();
    if begins {
        execute(connection, "BEGIN")?;
    }
    let runs = each_run(connection, work);
    if begins && !connection.is_autocommit() {
        execute(connection, "COMMIT")?;
    }
    runs
}

fn each_run(connection: &Connection, work: Work<'_>) -> rusqlite::Result<Runs> {
    let mut statement = connection.prepare_cached(&work.statement.sql)?;
    // By this counter SQLite calls the progress handler. It goes on from run to run.
    statement.reset_status(StatementStatus::VmStep);
    let columns = Arc::new(Columns::new(statement.column_names()));
    let mut found = StoredRows::with_room(columns, work.each.map_or(ROOM, |each| ROOM_FOR_EACH * each.len()));
    let values = work.values();
    for (parameter, value) in (1..).zip(values) {
        statement.raw_bind_parameter(parameter, Bound(value))?;
    }
    let mut ends = Vec::new();
    for run in 0..work.each.map_or(1, <[Value]>::len) {
        // The other parameters stay bound.
        if let Some(each) = work.each.filter(|_| !values.is_empty()) {
            statement.raw_bind_parameter(values.len(), Bound(&each[run]))?;
        }
        rows(&mut statement, &mut found)?;
        ends.push(found.len());
    }
    let (mut begin, mut records) = (0, found.records().into_iter());
    let run = |end| records.by_ref().take(end - std::mem::replace(&mut begin, end)).collect();
    Ok(ends.into_iter().map(run).collect())
}

/// Runs a statement, and adds its rows.
fn rows(statement: &mut CachedStatement<'_>, found: &mut StoredRows) -> rusqlite::Result<()> {
    let width = statement.column_count();
    let mut rows = statement.raw_query();
    while let Some(row) = rows.next()? {
        for column in 0..width {
            found.push(stored(row.get_ref(column)?));
        }
    }
    Ok(())
}
