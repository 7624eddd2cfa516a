//! A database for one test.

use std::path::PathBuf;

use sea_orm::{ConnectOptions, ConnectionTrait, Database, DatabaseConnection, DbErr};
use uuid::Uuid;

/// An empty database, gone when it is dropped.
#[derive(Debug)]
pub struct TestDb {
    /// Where it is, as a connection URL.
    pub url: String,
    place: Place,
}

#[derive(Debug)]
enum Place {
    File(PathBuf),
    Server { admin: String, name: String },
}

impl TestDb {
    /// Makes one.
    ///
    /// # Panics
    ///
    /// Where `TEST_DATABASE_URL` names a server that cannot be reached: a test that was asked for must not be skipped.
    pub async fn new() -> Self {
        let name = format!("bookends_test_{}", Uuid::now_v7().simple());
        #[expect(clippy::disallowed_methods, reason = "the one setting of the tests")]
        let Ok(admin) = std::env::var("TEST_DATABASE_URL") else {
            let path = std::env::temp_dir().join(format!("{name}.db"));
            let url = format!("sqlite://{}?mode=rwc", path.display());
            return Self { url, place: Place::File(path) };
        };
        run(&admin, format!("CREATE DATABASE {name}")).await.expect("TEST_DATABASE_URL names a PostgreSQL server");
        let (server, _) = admin.rsplit_once('/').expect("TEST_DATABASE_URL ends in a database name");
        Self { url: format!("{server}/{name}"), place: Place::Server { admin, name } }
    }

    /// A pool of one connection, so that what is set on the connection holds for every statement.
    ///
    /// # Panics
    ///
    /// Where there is no connection to be had.
    pub async fn connect(&self) -> DatabaseConnection {
        connect(&self.url).await.expect("the test database accepts a connection")
    }
}

impl Drop for TestDb {
    fn drop(&mut self) {
        match &self.place {
            Place::File(path) => {
                for suffix in ["", "-wal", "-shm"] {
                    let _ = std::fs::remove_file(format!("{}{suffix}", path.display()));
                }
            }
            // Drop cannot wait on the runtime it may be running in: another thread brings its own.
            Place::Server { admin, name } => {
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
