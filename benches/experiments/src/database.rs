//! The databases of an experiment: empty, deleted when it ends, and configured as the server configures them.

use std::fmt::Display;
use std::time::Duration;

use futures_util::future::try_join_all;
use sea_orm::sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqliteSynchronous};
use sea_orm::{ConnectOptions, ConnectionTrait, DatabaseConnection, DbBackend, QueryResult, Statement};
use testdb::TestDb;

use crate::Error;

/// How long a writer of SQLite waits for the others.
const BUSY_TIMEOUT: Duration = Duration::from_mins(5);

/// What an experiment runs on.
#[derive(Debug)]
pub struct Bench {
    /// SQLite, and PostgreSQL if there is a server.
    pub databases: Vec<Database>,
    /// The number of rows of a list.
    pub rows: u64,
    /// The number of keys that a generator makes.
    pub keys: u64,
}

/// A database, which is deleted when this value is dropped.
#[derive(Debug)]
pub struct Database {
    /// `SQLite` or `PostgreSQL`.
    pub name: &'static str,
    /// The version of the database.
    pub version: String,
    /// A pool of one connection.
    pub db: DatabaseConnection,
    test: TestDb,
}

impl Bench {
    /// Creates a SQLite database, and one on this PostgreSQL server.
    ///
    /// # Errors
    ///
    /// [`Error::Database`] if a database cannot be created.
    pub async fn open(postgres: Option<&str>, rows: u64, keys: u64) -> Result<Self, Error> {
        let mut databases = vec![Database::open(TestDb::sqlite()).await?];
        if let Some(url) = postgres {
            databases.push(Database::open(TestDb::postgres(url).await?).await?);
        }
        Ok(Self { databases, rows, keys })
    }

    /// The names of the databases.
    pub fn names(&self) -> Vec<String> {
        self.databases.iter().map(|database| database.name.to_owned()).collect()
    }
}

impl Database {
    async fn open(test: TestDb) -> Result<Self, Error> {
        let db = connect(&test.url).await?;
        let (name, version) = match db.get_database_backend() {
            DbBackend::Postgres => ("PostgreSQL", "SELECT current_setting('server_version')"),
            _ => ("SQLite", "SELECT sqlite_version()"),
        };
        let mut database = Self { name, version: String::new(), db, test };
        database.version = database.text(version).await?;
        Ok(database)
    }

    /// So many more connections, all of them open.
    pub(crate) async fn writers(&self, number: u64) -> Result<Vec<DatabaseConnection>, Error> {
        try_join_all((0..number).map(|_| connect(&self.test.url))).await
    }

    /// The file of a SQLite database.
    pub(crate) fn file(&self) -> Option<&str> {
        self.test.url.strip_prefix("sqlite://")?.split('?').next()
    }

    /// One of two values, by the database.
    pub(crate) fn choose<T>(&self, sqlite: T, postgres: T) -> T {
        if self.db.get_database_backend() == DbBackend::Postgres { postgres } else { sqlite }
    }

    /// A table with the numbers from `first` to `last` in a column `n`. Both may be parameters.
    pub(crate) fn numbers(&self, first: impl Display, last: impl Display) -> String {
        self.choose(
            format!(
                "(WITH RECURSIVE t(n) AS (SELECT {first} UNION ALL SELECT n + 1 FROM t WHERE n < {last})
                  SELECT n FROM t) AS numbers"
            ),
            format!("generate_series({first}::bigint, {last}::bigint) AS numbers(n)"),
        )
    }

    /// A statement without parameters.
    pub(crate) fn statement(&self, sql: impl Into<String>) -> Statement {
        Statement::from_string(self.db.get_database_backend(), sql)
    }

    /// Runs statements for their effect.
    pub(crate) async fn run(&self, sql: &str) -> Result<(), Error> {
        self.db.execute_unprepared(sql).await?;
        Ok(())
    }

    /// The only row of a statement's result.
    pub(crate) async fn row(&self, sql: impl Into<String>) -> Result<QueryResult, Error> {
        let row = self.db.query_one_raw(self.statement(sql)).await?;
        row.ok_or_else(|| Error::Unexpected("a row".to_owned()))
    }

    /// The whole number in the only row.
    pub(crate) async fn integer(&self, sql: impl Into<String>) -> Result<i64, Error> {
        Ok(self.row(sql).await?.try_get_by_index(0)?)
    }

    /// The text in the only row.
    pub(crate) async fn text(&self, sql: impl Into<String>) -> Result<String, Error> {
        Ok(self.row(sql).await?.try_get_by_index(0)?)
    }

    /// Does what the database does by itself minutes after a load: updates its statistics, and settles its tables.
    pub(crate) async fn settle(&self) -> Result<(), Error> {
        self.run(self.choose("ANALYZE; PRAGMA wal_checkpoint(TRUNCATE)", "VACUUM ANALYZE")).await
    }
}

/// A pool of one connection, which stays open: it holds temporary tables.
async fn connect(url: &str) -> Result<DatabaseConnection, Error> {
    let mut options = ConnectOptions::new(url);
    options.max_connections(1).test_before_acquire(false).sqlx_logging(false);
    options.acquire_timeout(BUSY_TIMEOUT).idle_timeout(None::<Duration>).max_lifetime(None::<Duration>);
    options.map_sqlx_sqlite_opts(as_the_server);
    options.map_sqlx_postgres_opts(|options| options.options([("enable_incremental_sort", "off")]));
    Ok(sea_orm::Database::connect(options).await?)
}

fn as_the_server(options: SqliteConnectOptions) -> SqliteConnectOptions {
    options
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Normal)
        .busy_timeout(BUSY_TIMEOUT)
        .pragma("cache_size", "-32768")
        // The size of the log counts what a statement writes: only a checkpoint that is asked for empties it.
        .pragma("wal_autocheckpoint", "0")
}
