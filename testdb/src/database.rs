//! A database for one test.

use std::path::PathBuf;
use std::time::Duration;

use sea_orm::sqlx::postgres::PgConnection;
use sea_orm::sqlx::{self, AssertSqlSafe, Connection as _, Executor as _};
use sea_orm::{
    ConnectOptions, ConnectionTrait, Database, DatabaseConnection, DbBackend, DbErr, QueryResult, RuntimeErr, Statement,
};
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
    /// On each of these servers.
    Servers {
        admins: Vec<String>,
        name: String,
    },
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

    /// Creates a database on the PostgreSQL server of this URL, which names any of its databases. The
    /// parameters of the URL stay.
    ///
    /// # Errors
    ///
    /// [`DbErr`] if it is no URL of PostgreSQL, or if the server cannot be reached or does not permit it.
    pub async fn postgres(admin: &str) -> Result<Self, DbErr> {
        let name = unused_name();
        // The URL may have a password, so the message does not have the URL.
        let url = with_database(admin, &name)
            .ok_or_else(|| DbErr::Custom("expected a URL such as `postgres://user@host/database`".to_owned()))?;
        run(admin, format!("CREATE DATABASE {name}")).await?;
        Ok(Self { url, location: Location::Servers { admins: vec![admin.to_owned()], name } })
    }

    /// Creates a database on the Citus cluster of the coordinator in `TEST_CITUS_URL`, with four shards for each table. The URL names a
    /// database that has workers. `None` if it is unset, and says so.
    ///
    /// # Panics
    ///
    /// If the cluster cannot be reached: a requested test must not be skipped.
    pub async fn distributed() -> Option<Self> {
        #[expect(clippy::disallowed_methods, reason = "a setting of the tests")]
        let Ok(admin) = std::env::var("TEST_CITUS_URL") else {
            println!("skipped: TEST_CITUS_URL names no Citus coordinator");
            return None;
        };
        Some(Self::on_workers(&admin).await.expect("TEST_CITUS_URL names a Citus coordinator with workers"))
    }

    async fn on_workers(admin: &str) -> Result<Self, DbErr> {
        let lock = connect(admin).await?;
        // The workers refuse roles and settings that two databases bring at a time. Any number will do.
        lock.execute_unprepared("SELECT pg_advisory_lock(4471092183)").await?;
        let nodes = "SELECT nodename, nodeport FROM pg_dist_node ORDER BY groupid";
        let nodes = lock.query_all_raw(Statement::from_string(DbBackend::Postgres, nodes)).await?;
        let node = |node: &QueryResult| Ok((node.try_get("", "nodename")?, node.try_get("", "nodeport")?));
        let nodes: Vec<(String, i32)> = nodes.iter().map(node).collect::<Result<_, DbErr>>()?;
        let name = unused_name();
        let at = |(host, port): &(String, i32)| with_server(admin, host, *port);
        let servers: Option<Vec<String>> = nodes.iter().map(at).collect();
        let admins = servers.filter(|servers| servers.len() > 1).ok_or_else(|| DbErr::Custom("no workers".into()))?;
        let urls: Option<Vec<String>> = admins.iter().map(|admin| with_database(admin, &name)).collect();
        let urls = urls.unwrap_or_default();
        for (admin, url) in admins.iter().zip(&urls) {
            run(admin, format!("CREATE DATABASE {name}")).await?;
            run(url, "CREATE EXTENSION citus".into()).await?;
        }
        let known = nodes.iter().enumerate().map(|(number, (host, port))| {
            let function = if number == 0 { "citus_set_coordinator_host" } else { "citus_add_node" };
            format!("SELECT {function}('{host}', {port});")
        });
        let known: String = known.collect();
        run(&urls[0], format!("ALTER DATABASE {name} SET citus.shard_count = 4; {known}")).await?;
        lock.close().await?;
        Ok(Self { url: urls[0].clone(), location: Location::Servers { admins, name } })
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
            Location::Servers { admins, name } => {
                let (admins, sql) = (admins.clone(), format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)"));
                let drop = std::thread::spawn(move || {
                    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
                    runtime.map(|runtime| {
                        for admin in admins {
                            let _ = runtime.block_on(run(&admin, sql.clone()));
                        }
                    })
                });
                let _ = drop.join();
            }
        }
    }
}

/// The URL of another database on the same server, with the same parameters.
fn with_database(url: &str, name: &str) -> Option<String> {
    let (scheme, rest) = url.split_once("://").filter(|(scheme, _)| ["postgres", "postgresql"].contains(scheme))?;
    // A parameter may have slashes, as the folder of a socket has.
    let (place, parameters) = rest.split_once('?').unwrap_or((rest, ""));
    let (server, _) = place.split_once('/').unwrap_or((place, ""));
    // This parameter would name the database again.
    let parameters: Vec<&str> =
        parameters.split('&').filter(|one| !one.is_empty() && !one.starts_with("dbname=")).collect();
    let mark = if parameters.is_empty() { "" } else { "?" };
    Some(format!("{scheme}://{server}/{name}{mark}{}", parameters.join("&")))
}

/// The URL of the same database on another server.
fn with_server(url: &str, host: &str, port: i32) -> Option<String> {
    let (scheme, rest) = url.split_once("://")?;
    let (place, after) = rest.split_once('/').unwrap_or((rest, ""));
    let user = place.rsplit_once('@').map_or_else(String::new, |(user, _)| format!("{user}@"));
    Some(format!("{scheme}://{user}{host}:{port}/{after}"))
}

fn unused_name() -> String {
    format!("bookends_test_{}", Uuid::now_v7().simple())
}

async fn connect(url: &str) -> Result<DatabaseConnection, DbErr> {
    let mut options = ConnectOptions::new(url);
    options.max_connections(1).test_before_acquire(false).sqlx_logging(false);
    // The statements of a test wait for each other, however busy the machine is.
    options.acquire_timeout(Duration::from_mins(10));
    Database::connect(options).await
}

/// Runs a statement on a connection that is no pool's: a pool would try for long to reach a server that refuses it.
async fn run(url: &str, sql: String) -> Result<(), DbErr> {
    let failed = |error: sqlx::Error| DbErr::Conn(RuntimeErr::SqlxError(error.into()));
    let mut connection = PgConnection::connect(url).await.map_err(failed)?;
    connection.execute(sqlx::raw_sql(AssertSqlSafe(sql))).await.map_err(failed)?;
    connection.close().await.map_err(failed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_keeps_its_server_and_its_parameters() {
        for (url, expected) in [
            ("postgres://me@host:1/postgres", "postgres://me@host:1/new"),
            ("postgresql://me:secret@host", "postgresql://me:secret@host/new"),
            ("postgres://me@host/db?sslmode=require", "postgres://me@host/new?sslmode=require"),
            ("postgres://me@localhost/db?host=/var/run&dbname=db", "postgres://me@localhost/new?host=/var/run"),
            ("postgres:///db?host=/var/run/postgresql", "postgres:///new?host=/var/run/postgresql"),
        ] {
            assert_eq!(with_database(url, "new").as_deref(), Some(expected));
        }
    }

    #[tokio::test]
    async fn what_is_no_url_is_refused_without_its_password() {
        for url in ["nowhere:secret", "sqlite://secret", ""] {
            let error = TestDb::postgres(url).await.unwrap_err().to_string();
            assert!(error.contains("expected a URL") && !error.contains("secret"), "{error}");
        }
    }
}
