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
    /// Creates a database.
    ///
    /// # Panics
    ///
    /// If the server in `TEST_DATABASE_URL` cannot be reached: a requested test must not be skipped.
    pub async fn new() -> Self {
        let name = format!("bookends_test_{}", Uuid::now_v7().simple());
        #[expect(clippy::disallowed_methods, reason = "the one setting of the tests")]
        let Ok(admin) = std::env::var("TEST_DATABASE_URL") else {
            let path = std::env::temp_dir().join(format!("{name}.db"));
            let url = format!("sqlite://{}?mode=rwc", path.display());
            return Self { url, location: Location::File(path) };
        };
        run(&admin, format!("CREATE DATABASE {name}")).await.expect("TEST_DATABASE_URL names a PostgreSQL server");
        let (server, _) = admin.rsplit_once('/').expect("TEST_DATABASE_URL ends in a database name");
        Self { url: format!("{server}/{name}"), location: Location::Server { admin, name } }
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
