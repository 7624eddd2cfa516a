//! A database for one test.

use std::path::PathBuf;

use sea_orm::{ConnectOptions, ConnectionTrait, Database, DatabaseConnection, DbErr};
use uuid::Uuid;

/// An empty database, which is deleted when this value is dropped.
#[derive(Debug)]
pub struct TestDb {
    /// The URL of the database.
    pub url: String,
    location: Location,
}

#[derive(Debug)]
enum Location {
    File(PathBuf),
    Server { admin: String, name: String },
}

impl TestDb {
    /// Creates a database where `TEST_DATABASE_URL` says.
    ///
    /// # Panics
    ///
    /// If the server in `TEST_DATABASE_URL` cannot be reached: a requested test must not be skipped.
    pub async fn new() -> Self {
        #[expect(clippy::disallowed_methods, reason = "the one setting of the tests")]
        match std::env::var("TEST_DATABASE_URL") {
            Ok(admin) => Self::postgres(&admin).await.expect("TEST_DATABASE_URL names a PostgreSQL server"),
            Err(_) => Self::sqlite(),
        }
    }

    /// Creates a SQLite file. It exists from the first connection.
    #[must_use]
    pub fn sqlite() -> Self {
        let path = std::env::temp_dir().join(format!("{}.db", unused_name()));
        let url = format!("sqlite://{}?mode=rwc", path.display());
        Self { url, location: Location::File(path) }
    }

    /// Creates a database on the PostgreSQL server of this URL, which names any of its databases.
    ///
    /// # Errors
    ///
    /// [`DbErr`] if the URL names no database, or if the server cannot be reached or does not permit it.
    pub async fn postgres(admin: &str) -> Result<Self, DbErr> {
        let name = unused_name();
        let (server, _) = admin
            .rsplit_once('/')
            .ok_or_else(|| DbErr::Custom(format!("expected a URL that ends in a database name, not `{admin}`")))?;
        run(admin, format!("CREATE DATABASE {name}")).await?;
        Ok(Self { url: format!("{server}/{name}"), location: Location::Server { admin: admin.to_owned(), name } })
    }

    /// A pool of one connection: settings of the connection apply to every statement.
    ///
    /// # Panics
    ///
    /// If the connection fails.
    pub async fn connect(&self) -> DatabaseConnection {
        connect(&self.url).await.expect("the test database accepts a connection")
    }
}

impl Drop for TestDb {
    fn drop(&mut self) {
        match &self.location {
            Location::File(path) => {
                for suffix in ["", "-wal", "-shm", "-lock"] {
                    let _ = std::fs::remove_file(format!("{}{suffix}", path.display()));
                }
            }
            // `drop` may run inside a runtime and cannot block it, so another thread has its own.
            Location::Server { admin, name } => {
                let (admin, sql) = (admin.clone(), format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)"));
                let drop = std::thread::spawn(move || {
                    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
                    runtime.map(|runtime| runtime.block_on(run(&admin, sql)))
                });
                let _ = drop.join();
            }
        }
    }
}

fn unused_name() -> String {
    format!("bookends_test_{}", Uuid::now_v7().simple())
}

async fn connect(url: &str) -> Result<DatabaseConnection, DbErr> {
    let mut options = ConnectOptions::new(url);
    options.max_connections(1).test_before_acquire(false).sqlx_logging(false);
    Database::connect(options).await
}

async fn run(url: &str, sql: String) -> Result<(), DbErr> {
    let db = connect(url).await?;
    db.execute_unprepared(&sql).await?;
    db.close().await
}
