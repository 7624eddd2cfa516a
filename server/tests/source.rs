//! A server whose application comes from its database.

use std::net::TcpListener;
use std::time::Duration;

use bookends_server::app::App;
use bookends_server::config::{Reproducible, Settings};
use bookends_server::db::Db;
use bookends_server::keyset::ReadRows as _;
use bookends_server::{Application, Console, Declaring, Identity, OwnError, Source};
use sea_orm::{ConnectionTrait, DatabaseConnection, DbBackend, DbErr, Statement};
use serde_json::{Value, json};
use testdb::TestDb;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};

use tables::{reading, sensor};

#[path = "../examples/station/tables.rs"]
#[allow(dead_code, clippy::disallowed_methods, reason = "an example, of which not all is used")]
mod tables;

/// The tables of a station, as far as they are there.
struct Tables;

const IDENTITY: Identity = Identity { name: "station", version: "1.0.0" };

async fn columns(db: &Db) -> Result<Vec<String>, DbErr> {
    let sql = match db.reader.backend() {
        DbBackend::Postgres => {
            "SELECT table_name || ' ' || column_name || ' ' || data_type AS name FROM information_schema.columns \
            WHERE table_schema = 'public' ORDER BY 1"
        }
        _ => {
            "SELECT t.name || ' ' || c.name || ' ' || c.type AS name FROM sqlite_schema t, pragma_table_info(t.name) c ORDER BY 1"
        }
    };
    let rows = db.writer.query_all_raw(Statement::from_string(db.reader.backend(), sql)).await?;
    rows.iter().map(|row| row.try_get("", "name")).collect()
}

impl Source for Tables {
    fn identity(&self) -> Identity {
        IDENTITY
    }

    async fn application(&self, db: &Db, _: Console) -> Result<Application, OwnError> {
        let columns = columns(db).await?;
        let has = |column: &str| columns.iter().any(|found| found.starts_with(column));
        if has("trouble ") {
            return Err("there is trouble".into());
        }
        let mut tables = Declaring::new("Query");
        tables.entity::<sensor::Entity>();
        if has("reading ") {
            tables.entity::<reading::Entity>();
        }
        Ok(App::new(IDENTITY.name, IDENTITY.version, tables).check()?)
    }

    async fn version(&self, db: &Db) -> Result<Option<String>, DbErr> {
        Ok(Some(columns(db).await?.join("\n")))
    }
}

/// Waits until something is so.
async fn until(mut is: impl AsyncFnMut() -> bool) {
    let so = async {
        while !is().await {
            sleep(Duration::from_millis(20)).await;
        }
    };
    timeout(Duration::from_secs(30), so).await.expect("it is so within half a minute");
}

struct Server {
    address: String,
    serving: JoinHandle<()>,
}

impl Server {
    async fn start(test: &TestDb) -> Self {
        let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        let settings = Settings { listen: free, database_connections: 8, ..Settings::new(&test.url) };
        let console = Console::new(IDENTITY.name, bookends_server::config::LogFormat::Text);
        let serving = async move {
            bookends_server::serve(Tables, &settings, Reproducible::default(), console).await.unwrap();
        };
        let server = Self { address: free.to_string(), serving: tokio::spawn(serving) };
        until(async || TcpStream::connect(&server.address).await.is_ok()).await;
        server
    }

    /// The body of the response, whose status must be 200.
    async fn send(&self, request: &str, body: &str) -> String {
        let mut socket = TcpStream::connect(&self.address).await.unwrap();
        let head = "Host: localhost\r\nConnection: close\r\nContent-Type: application/json";
        let request = format!("{request} HTTP/1.1\r\n{head}\r\nContent-Length: {}\r\n\r\n{body}", body.len());
        socket.write_all(request.as_bytes()).await.unwrap();
        let mut response = String::new();
        socket.read_to_string(&mut response).await.unwrap();
        let (head, body) = response.split_once("\r\n\r\n").unwrap();
        assert!(head.starts_with("HTTP/1.1 200"), "{response}");
        body.to_owned()
    }

    async fn query(&self, query: &str) -> Value {
        serde_json::from_str(&self.send("POST /graphql", &json!({ "query": query }).to_string()).await).unwrap()
    }

    async fn sdl(&self) -> String {
        self.send("GET /schema.graphql", "").await
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

/// A database with a table that nobody has migrated.
async fn database() -> (TestDb, DatabaseConnection) {
    let test = TestDb::new().await;
    let db = test.connect().await;
    run(&db, "CREATE TABLE sensor (id UUID PRIMARY KEY, name VARCHAR(100) NOT NULL, year INTEGER NOT NULL)").await;
    (test, db)
}

async fn run(db: &DatabaseConnection, sql: &str) {
    db.execute_unprepared(sql).await.unwrap();
}

const READING: &str = "CREATE TABLE reading (id UUID PRIMARY KEY, value SMALLINT NOT NULL, sensor_id UUID NOT NULL REFERENCES sensor (id))";

#[tokio::test(flavor = "multi_thread")]
async fn a_server_follows_the_tables_of_its_database() {
    let (test, db) = database().await;
    let server = Server::start(&test).await;
    let sdl = server.sdl().await;
    assert!(sdl.contains("sensors(") && !sdl.contains("readings("), "{sdl}");
    assert!(!sdl.contains("type Mutation"));
    run(&db, READING).await;
    until(async || server.sdl().await.contains("readings(")).await;
    let counted = json!({ "data": { "readings": { "totalCount": 0 } } });
    assert_eq!(server.query("{ readings { totalCount } }").await, counted);

    // What cannot be served changes nothing.
    run(&db, "CREATE TABLE trouble (id INTEGER PRIMARY KEY)").await;
    run(&db, "CREATE TABLE more (id INTEGER PRIMARY KEY)").await;
    sleep(Duration::from_millis(2500)).await;
    assert_eq!(server.query("{ readings { totalCount } }").await, counted);
    run(&db, "DROP TABLE trouble").await;
    run(&db, "DROP TABLE reading").await;
    until(async || !server.sdl().await.contains("readings(")).await;
    // Nobody has asked for a table of migrations.
    let tables = if db.get_database_backend() == DbBackend::Postgres {
        "SELECT 1 FROM information_schema.tables WHERE table_name LIKE 'seaql%'"
    } else {
        "SELECT 1 FROM sqlite_schema WHERE name LIKE 'seaql%'"
    };
    let found = db.query_all_raw(Statement::from_string(db.get_database_backend(), tables)).await.unwrap();
    assert!(found.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_statement_for_a_column_that_is_gone_fails_with_a_code_until_the_server_has_seen_it() {
    let (test, db) = database().await;
    let server = Server::start(&test).await;
    let query = "{ sensors { nodes { name } } }";
    assert_eq!(server.query(query).await, json!({ "data": { "sensors": { "nodes": [] } } }));
    run(&db, "ALTER TABLE sensor RENAME COLUMN name TO title").await;
    let answer = server.query(query).await;
    assert_eq!(answer["errors"][0]["extensions"]["code"], "SCHEMA_CHANGED", "{answer}");
    assert_eq!(answer["errors"][0]["message"], "the schema of the database has changed: try again");
    assert_eq!(answer["errors"][0]["path"], json!(["sensors", "nodes"]));
    // `Tables` knows nothing else than a name.
    run(&db, "ALTER TABLE sensor RENAME COLUMN title TO name").await;
    until(async || server.query(query).await.get("errors").is_none()).await;
}

/// PostgreSQL refuses a prepared statement whose columns have other types now.
#[tokio::test(flavor = "multi_thread")]
async fn a_column_of_another_type_is_read_by_connections_that_have_prepared_statements() {
    let (test, db) = database().await;
    run(&db, READING).await;
    let server = Server::start(&test).await;
    let is_postgres = db.get_database_backend() == DbBackend::Postgres;
    let id = if is_postgres { "'00000000-0000-7000-8000-000000000001'" } else { "x'00000000000070008000000000000001'" };
    run(&db, &format!("INSERT INTO sensor VALUES ({id}, 'a', 7)")).await;
    let query = "{ sensors { nodes { name year } } readings { totalCount } }";
    let before = server.query(query).await;
    assert_eq!(before["data"]["sensors"]["nodes"], json!([{ "name": "a", "year": 7 }]));
    if is_postgres {
        run(&db, "ALTER TABLE sensor ALTER COLUMN name TYPE TEXT, ALTER COLUMN year TYPE SMALLINT").await;
    }
    for _ in 0..20 {
        assert_eq!(server.query(query).await, before);
    }
}
