//! Statements that would run for ever, and databases that do not answer.

use std::time::{Duration, Instant};

use async_graphql::futures_util::future::join;
use bookends_server::config::{Bounds, Limits, Seconds, Settings};
use bookends_server::db::{Db, Failure};
use bookends_server::http::{Access, Server};
use keyset::ReadRows;
use sea_orm::{ConnectionTrait, DbBackend, DbErr, Statement, TransactionTrait};
use tokio::io::AsyncWriteExt;
use tokio::time::timeout;

use crate::support::counter::Client;
use crate::support::patience::until;
use crate::support::served::{LONG, Served, code, get, post, writable, write};
use crate::support::station::{self, SMALL, Station, engine, set_pragma};

/// Counts without end.
const ENDLESS: &str = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT -i FROM n) SELECT count(*) FROM n";

const WRITE: &str = "mutation { createSensor(input: { name: \"x\", year: 1 }) { clientMutationId } }";

const LIMIT: Duration = Duration::from_millis(300);

/// A station whose statements may take [`LIMIT`], on two connections.
async fn hurried() -> (Station, Db) {
    within(LIMIT).await
}

async fn within(limit: Duration) -> (Station, Db) {
    let station = Station::new(SMALL).await;
    let bounds = Bounds { request_timeout: Seconds(limit), ..Bounds::DEFAULT };
    let settings = Settings { database_connections: 2, bounds, ..Settings::new(&station.test.url) };
    let db = station::connect(&settings).await.unwrap();
    (station, db)
}

async fn sensors(station: &Station) -> serde_json::Value {
    station.data("{ sensors { totalCount } }").await["sensors"]["totalCount"].clone()
}

/// Has sensors without end: whoever counts them is not done.
async fn have_endless_sensors(station: &Station) {
    for sql in [
        "ALTER TABLE sensor RENAME TO hidden",
        &format!("CREATE VIEW sensor AS {}", ENDLESS.replace("count(*)", "i AS id")),
    ] {
        station.db.writer.execute_unprepared(sql).await.unwrap();
    }
}

async fn run(db: &Db, sql: &str) -> Result<(), DbErr> {
    let statement = Statement::from_string(db.reader.backend(), sql);
    db.reader.read(statement).await.map(drop)
}

#[tokio::test]
async fn a_statement_that_takes_too_long_ends() {
    let (_station, db) = hurried().await;
    for _ in 0..2 {
        let ends = [(); 4].map(|()| run(&db, ENDLESS));
        let ends = timeout(LONG, async_graphql::futures_util::future::join_all(ends)).await.unwrap();
        for end in ends {
            assert_eq!(Failure::of(&end.unwrap_err()), Failure::TimedOut);
        }
        run(&db, "SELECT 1").await.unwrap();
    }
}

#[tokio::test]
async fn an_abandoned_statement_ends() {
    let (_station, db) = hurried().await;
    for _ in 0..4 {
        // Each takes a connection, and there are two.
        assert!(timeout(LIMIT / 10, run(&db, ENDLESS)).await.is_err());
    }
    run(&db, "SELECT 1").await.unwrap();
}

#[tokio::test]
async fn each_statement_has_the_whole_time_limit() {
    let (_station, db) = hurried().await;
    let short = ENDLESS.replace("-i FROM n", "i + 1 FROM n WHERE i < 20000");
    let begun = Instant::now();
    while begun.elapsed() < 3 * LIMIT {
        run(&db, &short).await.unwrap();
    }
}

#[tokio::test]
async fn a_query_that_takes_too_long_says_so() {
    let (station, db) = hurried().await;
    have_endless_sensors(&station).await;
    let api = station::api(db, Limits::DEFAULT);
    let answer = serde_json::to_value(api.execute("{ sensors(where: {}) { totalCount } }").await).unwrap();
    assert_eq!(answer["errors"][0]["extensions"]["code"], "TIMEOUT", "{answer}");
}

#[tokio::test]
async fn a_write_that_takes_too_long_says_so_and_has_not_been_done() {
    let (station, db) = hurried().await;
    let (dawdle, no_more): (&[&str], _) = match db.writer.get_database_backend() {
        DbBackend::Postgres => (
            &[
                "CREATE FUNCTION dawdle() RETURNS trigger LANGUAGE plpgsql AS \
                    $$ BEGIN PERFORM pg_sleep(60); RETURN NEW; END $$",
                "CREATE TRIGGER dawdle BEFORE INSERT ON sensor FOR EACH ROW EXECUTE FUNCTION dawdle()",
            ],
            "DROP TRIGGER dawdle ON sensor",
        ),
        _ => (
            &[
                &format!("CREATE VIEW endless AS {ENDLESS}"),
                "CREATE TRIGGER dawdle AFTER INSERT ON sensor BEGIN SELECT * FROM endless; END",
            ],
            "DROP TRIGGER dawdle",
        ),
    };
    for sql in dawdle {
        station.db.writer.execute_unprepared(sql).await.unwrap();
    }
    let hurried = Station::over(db, Limits::DEFAULT, station.test);
    for _ in 0..2 {
        assert_eq!(hurried.code(WRITE).await, "TIMEOUT");
    }
    hurried.db.writer.execute_unprepared(no_more).await.unwrap();
    assert_eq!(sensors(&hurried).await, 8);
    hurried.data(WRITE).await;
    assert_eq!(sensors(&hurried).await, 9);
}

/// On SQLite, where it began: it is begun again on a thread that may block.
#[tokio::test]
async fn a_write_that_takes_long_is_done_once() {
    let station = Station::new(SMALL).await;
    if station.db.writer.get_database_backend() != DbBackend::Sqlite {
        return;
    }
    for sql in [
        "CREATE TABLE attempts (number INTEGER)",
        "CREATE VIEW long AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300000) SELECT i FROM n",
        "CREATE TRIGGER dawdle AFTER INSERT ON sensor BEGIN INSERT INTO attempts SELECT count(*) FROM long; END",
    ] {
        station.db.writer.execute_unprepared(sql).await.unwrap();
    }
    station.data(WRITE).await;
    assert_eq!(sensors(&station).await, 9);
    let attempts = Statement::from_string(DbBackend::Sqlite, "SELECT count(*) AS attempts FROM attempts");
    assert_eq!(station.db.reader.read(attempts).await.unwrap()[0].count("attempts").unwrap(), 1);
}

/// As an upgrade does, or a person who adds an index.
#[tokio::test]
async fn a_schema_that_another_program_changes_breaks_no_write() {
    let station = Station::new(SMALL).await;
    let db = station::connect(&crate::support::station::settings(&station.test.url)).await.unwrap();
    let other = Station::over(db, Limits::DEFAULT, station.test);
    for (sql, expected) in [("CREATE VIEW a AS SELECT 1", 9), ("CREATE VIEW b AS SELECT 1", 10)] {
        station.db.writer.execute_unprepared(sql).await.unwrap();
        other.data(WRITE).await;
        assert_eq!(sensors(&other).await, expected);
    }
}

/// SQLite takes the transaction back by itself then.
#[tokio::test]
async fn a_full_disk_does_not_end_the_server() {
    let station = Station::new(SMALL).await;
    if station.db.writer.get_database_backend() != DbBackend::Sqlite {
        return;
    }
    let large = "INSERT INTO seaql_migrations (version, applied_at) VALUES (hex(randomblob(1000000)), 0)";
    // No fewer than there are.
    set_pragma(&station.db, "max_page_count = 1").await;
    let transaction = station.db.writer.begin().await.unwrap();
    let full = transaction.execute_unprepared(large).await.unwrap_err().to_string();
    assert!(full.contains("disk is full"), "{full}");
    drop(transaction);
    let mut transaction = engine(&station.db).await;
    let full = transaction.write(Statement::from_string(DbBackend::Sqlite, large)).await.unwrap_err().to_string();
    assert!(full.contains("disk is full"), "{full}");
    // SQLite has rolled it back: nothing may be written outside of it.
    transaction.write(Statement::from_string(DbBackend::Sqlite, "DELETE FROM sensor")).await.unwrap_err();
    drop(transaction);
    set_pragma(&station.db, "max_page_count = 1000000").await;
    for expected in [9, 10] {
        station.data(WRITE).await;
        assert_eq!(sensors(&station).await, expected);
    }
}

/// An operation on a WebSocket takes a permit and has a timeout, like a request; a subscription, until it has begun.
#[tokio::test]
async fn operations_on_a_websocket_are_bounded_as_requests_are() {
    let (station, db) = within(LONG).await;
    have_endless_sensors(&station).await;
    let bounds = Bounds { max_requests: 1, request_timeout: Seconds(Duration::from_secs(2)), ..Bounds::DEFAULT };
    let served = Served::of(Server::new(station::api(db, Limits::DEFAULT), Access::Nobody, bounds)).await;
    let mut client = Client::acknowledged(&served.address).await;
    client.subscribe("slow", "{ sensors(where: {}) { totalCount } }").await;
    client.subscribe("beyond", "{ repairs { totalCount } }").await;
    client.subscribe("listens", "subscription { readingCreated { cursor } }").await;
    for (id, code) in [("beyond", "OVERLOADED"), ("listens", "OVERLOADED"), ("slow", "TIMEOUT")] {
        let error = client.hear().await;
        assert_eq!((&error["type"], &error["id"]), (&"error".into(), &id.into()));
        assert_eq!(error["payload"][0]["extensions"]["code"], code, "{error}");
    }
    client.subscribe("listens", "subscription { readingCreated { cursor } }").await;
    client.subscribe("after", "{ repairs { totalCount } }").await;
    assert_eq!(client.hear().await["payload"]["data"]["repairs"]["totalCount"], 10);
}

/// Otherwise a client that reconnects could start any number of writes.
#[tokio::test]
async fn a_write_keeps_its_permit_when_its_client_disconnects() {
    let station = Station::new(SMALL).await;
    let bounds = Bounds { max_requests: 1, ..Bounds::DEFAULT };
    let server = Served::of(Server::new(station.api.clone(), writable(), bounds)).await;
    let says = async |line: &str| {
        until(async || server.ask(get("/metrics")).await.lines().any(|said| said.starts_with(line))).await;
    };
    let mut held = Vec::new();
    while let Ok(transaction) = station.db.begin().await {
        held.push(transaction);
    }
    let mut client = server.connect().await;
    client.write_all(write(&serde_json::json!({ "query": WRITE }).to_string()).as_bytes()).await.unwrap();
    says("bookends_operations_in_flight 1").await;
    drop(client);
    says("bookends_request_duration_seconds_count{route=\"/graphql\",method=\"POST\",status=\"dropped\"} 1").await;
    assert_eq!(code(&server.ask(post(r#"{"query":"{ __typename }"}"#)).await), "OVERLOADED");
    drop(held);
    says("bookends_operations_in_flight 0").await;
    assert_eq!(sensors(&station).await, 9);
}

/// Whoever is told so can only look.
#[tokio::test]
async fn a_commit_that_is_cut_off_has_an_unknown_outcome() {
    let station = Station::new(SMALL).await;
    if station.db.writer.get_database_backend() != DbBackend::Postgres {
        return;
    }
    for sql in [
        "CREATE SEQUENCE tries",
        "CREATE FUNCTION cut() RETURNS trigger LANGUAGE plpgsql AS \
            $$ BEGIN PERFORM nextval('tries'), pg_terminate_backend(pg_backend_pid()); RETURN NEW; END $$",
        "CREATE CONSTRAINT TRIGGER cut AFTER INSERT ON sensor DEFERRABLE INITIALLY DEFERRED \
            FOR EACH ROW EXECUTE FUNCTION cut()",
    ] {
        station.db.writer.execute_unprepared(sql).await.unwrap();
    }
    assert_eq!(station.code(WRITE).await, "OUTCOME_UNKNOWN");
    let tries = Statement::from_string(DbBackend::Postgres, "SELECT last_value FROM tries");
    let tries: i64 = station.db.writer.query_one_raw(tries).await.unwrap().unwrap().try_get("", "last_value").unwrap();
    assert_eq!(tries, 1, "it is not done again");
    assert_eq!(sensors(&station).await, 8);
}

/// What changes tables may take as long as it takes.
#[tokio::test]
async fn migrations_and_seeds_have_no_time_limit() {
    let test = testdb::TestDb::new().await;
    let bounds = Bounds { request_timeout: Seconds(Duration::from_millis(20)), ..Bounds::DEFAULT };
    let db = station::connect(&Settings { bounds, ..crate::support::station::settings(&test.url) }).await.unwrap();
    drop(db.lock().await.unwrap());
    db.migrate().await.unwrap();
    let plan = station::Plan { sensors: 100, readings: 50_000, repairs: 50_000 };
    station::fill(&db, plan).await.unwrap();
}

#[tokio::test]
async fn where_no_connection_is_free_the_database_is_unavailable() {
    let station = Station::new(SMALL).await;
    let mut held = Vec::new();
    while let Ok(snapshot) = station.db.reader.begin().await {
        held.push(snapshot);
    }
    let mut writing = Vec::new();
    while let Ok(transaction) = station.db.begin().await {
        writing.push(transaction);
    }
    let codes = join(station.code("{ sensors { totalCount } }"), station.code(WRITE)).await;
    assert_eq!(codes, ("UNAVAILABLE".into(), "UNAVAILABLE".into()));
    drop((held, writing));
    assert_eq!(sensors(&station).await, 8);
    station.data(WRITE).await;
}

/// A server that restarts takes all connections with it.
#[tokio::test]
async fn reads_succeed_after_connections_are_lost() {
    let station = Station::new(SMALL).await;
    if station.db.writer.get_database_backend() != DbBackend::Postgres {
        return;
    }
    let mut open = Vec::new();
    for _ in 0..4 {
        open.push(station.db.reader.begin().await.unwrap());
    }
    drop(open);
    let admin = station.test.connect().await;
    let kill = "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid()";
    admin.execute_unprepared(kill).await.unwrap();
    for _ in 0..16 {
        assert_eq!(sensors(&station).await, 8);
    }
}
