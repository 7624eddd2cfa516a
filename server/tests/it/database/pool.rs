//! The connections that read: nothing of one statement reaches another, and none of them is lost.

use std::str::FromStr;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use async_graphql::futures_util::future::join_all;
use axum::Router;
use axum::routing::post;
use bookends_server::config::{Bounds, Settings, Sqlite};
use bookends_server::db::pool::{File, Opener, Pool, Statements, Usage};
use bookends_server::db::{Failure, Liveness};
use keyset::{Columns, Many, ManyBy, ReadRows, Record, StoredValue, length_of_list};
use sea_orm::sea_query::{Enum, OptionEnum};
use sea_orm::sqlx::postgres::{PgConnectOptions, PgSslMode};
use sea_orm::{ConnectionTrait, DbBackend, DbErr, Statement, Value};
use tokio::io::AsyncWriteExt;
use tokio::time::{sleep, timeout};

use crate::support::number::{first, number};
use crate::support::patience::{LONG, until};
use crate::support::served::Served;
use crate::support::station::{self, empty};
use crate::support::wire::post_with;

#[cfg(unix)]
mod outage;
mod proxy;
mod reread;
mod wire;

/// Counts without end.
const ENDLESS: &str = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT -i FROM n) SELECT count(*) AS n FROM n";

/// How many of these PostgreSQL executes.
const RUNNING: &str = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()
    AND state = 'active' AND query LIKE 'WITH RECURSIVE n(i) AS%'";

const CONNECTIONS: u32 = 4;

async fn pool(url: &str, limit: Duration) -> Pool {
    let opener = if url.starts_with("sqlite") {
        Opener::Sqlite(File::of_url(url, limit, Sqlite::default()).unwrap())
    } else {
        Opener::Postgres(Arc::new(postgres(url).into()), Statements::Prepared)
    };
    Pool::open(opener, CONNECTIONS, Liveness::default()).await.unwrap()
}

fn postgres(url: &str) -> PgConnectOptions {
    PgConnectOptions::from_str(url).unwrap().ssl_mode(PgSslMode::Disable)
}

/// What came is what was asked for.
async fn echo(db: &impl ReadRows, number: i64, rows: i64) -> Result<(), DbErr> {
    let backend = db.backend();
    let (number_at, rows_at) = if backend == DbBackend::Postgres { ("$1::int8", "$2::int8") } else { ("?", "?") };
    let sql = format!(
        "WITH RECURSIVE n(i, x) AS (SELECT 1, {number_at} UNION ALL SELECT i + 1, x FROM n WHERE i < {rows_at})
        SELECT x FROM n"
    );
    let statement = Statement::from_sql_and_values(backend, sql, [number.into(), rows.into()]);
    let found = db.read(statement).await?;
    assert_eq!(i64::try_from(found.len()).unwrap(), rows);
    for row in found {
        assert_eq!(first(&row), number);
    }
    Ok(())
}

/// Every connection can be used, at the same time.
async fn is_complete(pool: &Pool) {
    let snapshots: Vec<_> = (0..CONNECTIONS).map(|_| pool.snapshot()).collect();
    for (at, result) in join_all(snapshots.iter().map(|snapshot| echo(snapshot, 7, 3))).await.into_iter().enumerate() {
        result.unwrap_or_else(|error| panic!("{at}: {error}"));
    }
    assert_eq!(pool.usage(), Usage { used: CONNECTIONS as usize, idle: 0, spare: 0 });
    drop(snapshots);
    until(async || pool.usage().used == 0).await;
    // None of them is in a transaction.
    for result in join_all((0..64).map(|number| echo(pool, number, 1))).await {
        result.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_statement_sees_rows_of_one_that_was_dropped() {
    let (test, db) = empty().await;
    db.close().await.unwrap();
    let pool = pool(&test.url, LONG).await;
    let drops = Arc::new(Mutex::new(0));
    let clients = (0..8).map(|client| {
        let (pool, drops) = (pool.clone(), Arc::clone(&drops));
        tokio::spawn(async move {
            for at in 0.. {
                if *drops.lock().unwrap() >= 1000 {
                    return;
                }
                let number = client * 1_000_000 + at;
                // On SQLite, statements of few rows run in place, and cannot be dropped.
                let rows = 1 + fastrand::i64(0..if pool.backend() == DbBackend::Sqlite { 20_000 } else { 300 });
                let patience = Duration::from_micros(fastrand::u64(..1500));
                let statement = async {
                    if fastrand::bool() {
                        return echo(&pool, number, rows).await;
                    }
                    let snapshot = pool.snapshot();
                    echo(&snapshot, number, rows).await?;
                    echo(&snapshot, number + 1, rows).await
                };
                match timeout(patience, statement).await {
                    Ok(result) => result.unwrap(),
                    Err(_) => *drops.lock().unwrap() += 1,
                }
            }
        })
    });
    for client in join_all(clients).await {
        client.unwrap();
    }
    is_complete(&pool).await;
    pool.close().await;
    assert!(matches!(echo(&pool, 1, 1).await, Err(DbErr::ConnectionAcquire(_))));
}

/// Whoever no longer waits does not keep the database at work, nor its connection.
#[tokio::test]
async fn a_statement_that_was_dropped_stops() {
    let (test, db) = empty().await;
    let pool = pool(&test.url, LONG).await;
    for _ in 0..3 {
        let begun = Instant::now();
        let endless = (0..CONNECTIONS).map(|_| timeout(Duration::from_millis(20), number(&pool, ENDLESS)));
        assert!(join_all(endless).await.iter().all(Result::is_err));
        is_complete(&pool).await;
        assert!(begun.elapsed() < LONG / 10, "{:?}", begun.elapsed());
    }
    if db.writer.get_database_backend() == DbBackend::Postgres {
        until(async || number(&db.writer, RUNNING).await.unwrap() == 0).await;
    }
}

/// `benches/siege.sh` measures how soon.
#[tokio::test]
async fn a_client_that_disconnects_stops_its_statement() {
    let (test, db) = empty().await;
    let pool = pool(&test.url, LONG).await;
    let endless = pool.clone();
    let route = post(async move || number(&endless, ENDLESS).await.unwrap().to_string());
    let server = Served::new(Router::new().route("/graphql", route), Bounds::DEFAULT).await;
    let mut clients = Vec::new();
    for used in 1..=CONNECTIONS as usize {
        let mut client = server.connect().await;
        // Some have begun to send a further request.
        let further = if used % 2 == 0 { "POST /graphql" } else { "" };
        client.write_all((post_with("", "") + further).as_bytes()).await.unwrap();
        until(async || pool.usage().used == used).await;
        clients.push(client);
    }
    drop(clients);
    is_complete(&pool).await;
    if db.writer.get_database_backend() == DbBackend::Postgres {
        until(async || number(&db.writer, RUNNING).await.unwrap() == 0).await;
    }
}

#[tokio::test]
async fn a_statement_that_takes_too_long_fails() {
    let (test, _db) = empty().await;
    if !test.url.starts_with("sqlite") {
        return;
    }
    let pool = pool(&test.url, Duration::from_millis(50)).await;
    let error = number(&pool, ENDLESS).await.unwrap_err();
    assert_eq!(Failure::of(&error), Failure::TimedOut);
    is_complete(&pool).await;
}

/// On PostgreSQL the lists of several rows are arrays: the same values as in rows.
#[tokio::test]
async fn arrays_hold_the_values_of_rows() {
    const NAMES: [&str; 15] = [
        "id", "small", "big", "mood", "text", "padded", "yes", "real", "double", "price", "at", "day", "bytes", "uuid",
        "json",
    ];
    let (test, db) = empty().await;
    let pool = pool(&test.url, LONG).await;
    if test.url.starts_with("sqlite") {
        return assert_eq!(pool.reads_many(), ManyBy::Values);
    }
    assert_eq!(pool.reads_many(), ManyBy::Arrays);
    db.writer.execute_unprepared(
        "CREATE TYPE mood AS ENUM ('glad', 'sad');
         CREATE DOMAIN age AS smallint CHECK (VALUE > 0);
         CREATE TABLE kinds (id int, small age, big bigint, mood mood, text varchar, padded char(4), yes boolean, real real,
             double float8, price numeric, at timestamptz, day date, bytes bytea, uuid uuid, json jsonb);
         INSERT INTO kinds VALUES
             (1, 3, 9000000000, 'sad', 'a', 'b', true, 1.5, 0.1, 12.50, '2026-01-02 03:04:05.678Z', '2026-01-02', '\\x00ff',
                 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', '{\"a\": [1]}'),
             (2, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
             (3, 7, -1, 'glad', '', '', false, 'NaN', 'infinity', 'NaN', 'infinity', '0044-03-15 BC', '', NULL, 'null')",
    )
    .await
    .unwrap();
    let shown = |record: &Record, width: usize| match record {
        Record::Stored(stored) => (0..width).map(|place| format!("{:?}", stored.get(place))).collect::<Vec<_>>(),
        Record::Row(_) => panic!("a row of SeaORM"),
    };
    let of_postgres = |sql: String| Statement::from_string(DbBackend::Postgres, sql);
    let rows = pool.read(of_postgres("SELECT * FROM kinds ORDER BY id".into())).await.unwrap();
    let rows: Vec<_> = rows.iter().map(|row| shown(row, NAMES.len())).collect();
    let arrays = NAMES.map(|name| format!("array_agg(k.{name})")).join(", ");
    // Two lists of each of three rows: all, and none for the first; and those of one column.
    let nested = of_postgres(format!(
        "SELECT n, a.*, b.* FROM generate_series(0, 2) AS n
         LEFT JOIN LATERAL (SELECT {arrays} FROM (SELECT * FROM kinds WHERE n > 0 ORDER BY id) AS k) AS a ON TRUE
         LEFT JOIN LATERAL (SELECT array_agg(k.id) FROM (SELECT * FROM kinds WHERE id <= n ORDER BY id) AS k) AS b ON TRUE
         ORDER BY n"
    ));
    let lists = vec![Arc::new(Columns::new(NAMES)), Arc::new(Columns::new(["id"]))];
    for _ in 0..2 {
        let mut read = pool.read_many(nested.clone(), Many::Arrays(lists.clone())).await.unwrap();
        let (ids, all, outer) = (read.pop().unwrap(), read.pop().unwrap(), read.pop().unwrap());
        let lengths: Vec<_> = outer
            .iter()
            .map(|row| (0..2).map(|n| row.count(&length_of_list(n)).unwrap()).collect::<Vec<_>>())
            .collect();
        assert_eq!(lengths, [vec![0, 0], vec![3, 1], vec![3, 2]]);
        let all: Vec<_> = all.iter().map(|row| shown(row, NAMES.len())).collect();
        assert_eq!(all, [rows.clone(), rows.clone()].concat());
        assert_eq!(
            ids.iter().map(|row| shown(row, 1)).collect::<Vec<_>>().concat(),
            ["Integer(1)", "Integer(1)", "Integer(2)"]
        );
    }
    is_complete(&pool).await;
}

/// On SQLite a nested list is read by one statement, which is run for each parent.
#[tokio::test]
async fn all_runs_of_a_statement_share_one_time_limit() {
    let (test, _db) = empty().await;
    if !test.url.starts_with("sqlite") {
        return;
    }
    let count =
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000) SELECT count(*) + ? FROM n";
    let statement = Statement::from_sql_and_values(DbBackend::Sqlite, count, [0.into()]);
    let each = |runs: i64| Many::Values((0..runs).map(Into::into).collect());
    let few = pool(&test.url, LONG).await.read_many(statement.clone(), each(3)).await.unwrap();
    assert_eq!(few.iter().map(|run| first(&run[0])).collect::<Vec<_>>(), [1000, 1001, 1002]);
    let pool = pool(&test.url, Duration::from_millis(500)).await;
    let error = pool.read_many(statement.clone(), each(1_000_000)).await.unwrap_err();
    assert_eq!(Failure::of(&error), Failure::TimedOut);
    let dropped = timeout(Duration::from_millis(30), pool.read_many(statement, each(1_000_000))).await;
    assert!(dropped.is_err());
    is_complete(&pool).await;
}

/// SQLite accepts any bytes as a text.
#[tokio::test]
async fn a_text_that_is_not_utf8_cannot_be_read() {
    let (test, db) = empty().await;
    if test.url.starts_with("sqlite") {
        let statement = Statement::from_string(DbBackend::Sqlite, "SELECT CAST(x'ff' AS TEXT)");
        let records = db.reader.read(statement).await.unwrap();
        assert!(matches!(&records[..], [Record::Stored(row)] if row.get(0) == StoredValue::Unreadable));
    }
}

/// A page in an order by dates has cursors for it.
#[tokio::test]
async fn an_infinite_date_is_an_infinite_number() {
    let (test, db) = empty().await;
    if test.url.starts_with("postgres") {
        let dates = "SELECT 'infinity'::date, '-infinity'::date, 'infinity'::timestamp, '-infinity'::timestamptz";
        let records = db.reader.read(Statement::from_string(DbBackend::Postgres, dates)).await.unwrap();
        let [Record::Stored(row)] = &records[..] else { panic!("{records:?}") };
        let found: Vec<StoredValue> = (0..4).map(|position| row.get(position)).collect();
        let [least, greatest] = [f64::NEG_INFINITY, f64::INFINITY].map(StoredValue::Real);
        assert_eq!(found, [greatest, least, greatest, least]);
    }
}

#[tokio::test]
async fn a_value_of_an_enum_is_a_text_on_sqlite() {
    let (test, db) = empty().await;
    if test.url.starts_with("sqlite") {
        let of_type = Enum { type_name: "mood".into(), value: "happy".into() };
        let value = Value::Enum(OptionEnum::Some(Box::new(of_type)));
        let statement = Statement::from_sql_and_values(DbBackend::Sqlite, "SELECT ?", [value]);
        let records = db.reader.read(statement).await.unwrap();
        assert!(matches!(&records[..], [Record::Stored(row)] if row.get(0) == StoredValue::Text("happy")));
    }
}

/// A long statement of SQLite does not hold up what else runs on its thread.
#[tokio::test]
async fn a_long_statement_leaves_its_thread() {
    let (test, _db) = empty().await;
    let pool = pool(&test.url, LONG).await;
    let count =
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000) SELECT count(*) FROM n";
    for in_snapshot in [false, true] {
        let (done, turns) = (AtomicBool::new(false), AtomicUsize::new(0));
        let read = async {
            let snapshot = pool.snapshot();
            let counted = if in_snapshot { number(&snapshot, count).await } else { number(&pool, count).await };
            done.store(true, SeqCst);
            counted
        };
        let other = async {
            while !done.load(SeqCst) {
                turns.fetch_add(1, SeqCst);
                tokio::task::yield_now().await;
            }
        };
        assert_eq!(tokio::join!(read, other).0, Ok(100_000));
        assert!(turns.load(SeqCst) > 0);
    }
    is_complete(&pool).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_snapshot_is_of_one_moment() {
    let (test, db) = empty().await;
    let pool = pool(&test.url, LONG).await;
    for sql in ["CREATE TABLE counter (n bigint)", "INSERT INTO counter VALUES (0)"] {
        db.writer.execute_unprepared(sql).await.unwrap();
    }
    let done = Arc::new(AtomicBool::new(false));
    let writer = {
        let (done, writer) = (Arc::clone(&done), db.writer.clone());
        tokio::spawn(async move {
            while !done.load(SeqCst) {
                writer.execute_unprepared("UPDATE counter SET n = n + 1").await.unwrap();
            }
        })
    };
    let count = "SELECT n FROM counter";
    let begun = Instant::now();
    let (mut snapshots, mut first, mut last) = (0, 0, 0);
    while snapshots < 300 || first == last {
        assert!(begun.elapsed() < LONG);
        let snapshot = pool.snapshot();
        let seen = join_all((0..4).map(|_| number(&snapshot, count))).await;
        last = *seen[0].as_ref().unwrap();
        assert!(seen.into_iter().all(|seen| seen.unwrap() == last));
        first = if snapshots == 0 { last } else { first };
        snapshots += 1;
        if snapshots % 16 == 0 {
            sleep(Duration::from_millis(1)).await;
        }
    }
    done.store(true, SeqCst);
    writer.await.unwrap();
    // A statement of its own sees what is there now.
    assert_eq!(number(&pool, count).await.unwrap(), number(&db.writer, count).await.unwrap());
}

/// A database in memory has one connection: the snapshot holds it, and a write waits.
#[tokio::test]
async fn a_database_in_memory_has_snapshots_too() {
    let db = station::connect(&Settings::new("sqlite::memory:")).await.unwrap();
    db.migrate().await.unwrap();
    let count = "SELECT count(*) FROM sensor";
    for expected in 0..3 {
        let snapshot = db.reader.snapshot();
        assert_eq!(number(&snapshot, count).await.unwrap(), expected);
        let added = "INSERT INTO sensor (id, name, year) VALUES (randomblob(16), 'x', 1)";
        let write = async { db.writer.execute_unprepared(added).await.unwrap() };
        let read = async {
            sleep(Duration::from_millis(10)).await;
            assert_eq!(number(&snapshot, count).await.unwrap(), expected);
            drop(snapshot);
        };
        tokio::join!(write, read);
    }
    assert_eq!(number(&db.reader, count).await.unwrap(), 3);
}

/// In PostgreSQL nothing can follow a failure in a transaction: later statements say why.
#[tokio::test]
async fn a_statement_that_fails_harms_no_other_snapshot() {
    let (test, _db) = empty().await;
    let pool = pool(&test.url, LONG).await;
    for _ in 0..2 * CONNECTIONS {
        let snapshot = pool.snapshot();
        let failed = number(&snapshot, "SELECT nothing").await.unwrap_err().to_string();
        assert!(failed.contains("nothing"), "{failed}");
        match number(&snapshot, "SELECT count(*) FROM sensor").await {
            Ok(count) => assert_eq!(count, 0),
            Err(error) => assert_eq!(error.to_string(), failed),
        }
        assert!(number(&pool, "SELECT nothing").await.is_err());
    }
    is_complete(&pool).await;
}

#[test]
fn a_runtime_ends_while_connections_are_in_use() {
    let runtime = || tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let outer = runtime();
    let (test, _db) = outer.block_on(empty());
    let inner = runtime();
    let pool = inner.block_on(async {
        let pool = pool(&test.url, LONG).await;
        let (idle, running) = (pool.snapshot(), pool.snapshot());
        echo(&idle, 1, 1).await.unwrap();
        tokio::spawn(async move { number(&running, ENDLESS).await });
        tokio::spawn(async move { (std::future::pending::<()>().await, idle) });
        until(async || pool.usage().used == 2).await;
        pool
    });
    drop(inner);
    assert_eq!(pool.usage().used, 0);
    outer.block_on(echo(&pool, 2, 1)).unwrap();
}

#[tokio::test]
async fn where_no_connection_is_free_a_statement_waits_and_gives_up() {
    let (test, _db) = empty().await;
    let pool = pool(&test.url, LONG).await;
    let held: Vec<_> = (0..CONNECTIONS).map(|_| pool.snapshot()).collect();
    for snapshot in &held {
        echo(snapshot, 1, 1).await.unwrap();
    }
    let begun = Instant::now();
    assert!(matches!(echo(&pool, 1, 1).await, Err(DbErr::ConnectionAcquire(_))));
    assert!(begun.elapsed() >= Duration::from_secs(5));
    let freed = async {
        sleep(Duration::from_millis(20)).await;
        drop(held);
    };
    tokio::join!(async { echo(&pool, 1, 1).await.unwrap() }, freed);
    is_complete(&pool).await;
}

#[tokio::test]
async fn every_statement_is_seen() {
    let (test, _db) = empty().await;
    let mut pool = pool(&test.url, LONG).await;
    let seen = Arc::new(Mutex::new(Vec::new()));
    let sink = Arc::clone(&seen);
    pool.set_metric_callback(move |info| sink.lock().unwrap().push((info.statement.sql.clone(), info.failed)));
    let snapshot = pool.snapshot();
    for sql in ["SELECT count(*) FROM sensor", "SELECT count(*) FROM reading"] {
        number(&snapshot, sql).await.unwrap();
    }
    drop(snapshot);
    until(async || seen.lock().unwrap().iter().any(|(sql, _)| sql == "COMMIT")).await;
    number(&pool, "SELECT nothing").await.unwrap_err();
    let seen = std::mem::take(&mut *seen.lock().unwrap());
    let seen: Vec<_> = seen.iter().map(|(sql, failed)| (sql.as_str(), *failed)).collect();
    let isolated = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";
    let begin = [(if pool.backend() == DbBackend::Postgres { isolated } else { "BEGIN" }, false)];
    let rest = [
        ("SELECT count(*) FROM sensor", false),
        ("SELECT count(*) FROM reading", false),
        ("COMMIT", false),
        ("SELECT nothing", true),
    ];
    assert_eq!(seen, [&begin[..], &rest].concat());
}
