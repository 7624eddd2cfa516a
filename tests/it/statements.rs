//! Statements that would run for ever, and databases that do not answer.

use std::time::{Duration, Instant};

use bookends::config::{Bounds, Seconds, Settings};
use bookends::db::{Db, Outage, Reader};
use sea_orm::{ConnectionTrait, DbBackend, DbErr, Statement, TransactionTrait};
use tokio::time::timeout;

use crate::served::LONG;
use crate::shop::{SMALL, Shop};

/// Counts without end.
const ENDLESS: &str = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT -i FROM n) SELECT count(*) FROM n";

const LIMIT: Duration = Duration::from_millis(300);

/// A shop whose statements may take [`LIMIT`], on two connections.
async fn hurried() -> (Shop, Db) {
    let shop = Shop::new(SMALL).await;
    let bounds = Bounds { request_timeout: Seconds(LIMIT), ..Bounds::DEFAULT };
    let settings = Settings { database_connections: 2, bounds, ..Settings::new(&shop.test.url) };
    let db = Db::connect(&settings).await.unwrap();
    (shop, db)
}

async fn run(db: &Db, sql: &str) -> Result<(), DbErr> {
    let statement = Statement::from_string(db.reader.get_database_backend(), sql);
    Reader::new(db).query_one_raw(statement).await.map(drop)
}

#[tokio::test]
async fn a_statement_that_takes_too_long_ends() {
    let (_shop, db) = hurried().await;
    for _ in 0..2 {
        let ends = [(); 4].map(|()| run(&db, ENDLESS));
        let ends = timeout(LONG, async_graphql::futures_util::future::join_all(ends)).await.unwrap();
        for end in ends {
            assert_eq!(Outage::of(&end.unwrap_err()), Some(Outage::TimedOut));
        }
        run(&db, "SELECT 1").await.unwrap();
    }
}

#[tokio::test]
async fn a_statement_that_nobody_waits_for_ends() {
    let (_shop, db) = hurried().await;
    for _ in 0..4 {
        // Each takes a connection, and there are two.
        assert!(timeout(LIMIT / 10, run(&db, ENDLESS)).await.is_err());
    }
    run(&db, "SELECT 1").await.unwrap();
}

#[tokio::test]
async fn statements_have_the_whole_time_each() {
    let (_shop, db) = hurried().await;
    let short = ENDLESS.replace("-i FROM n", "i + 1 FROM n WHERE i < 20000");
    let begun = Instant::now();
    while begun.elapsed() < 3 * LIMIT {
        run(&db, &short).await.unwrap();
    }
}

#[tokio::test]
async fn a_query_that_takes_too_long_says_so() {
    let (shop, db) = hurried().await;
    for sql in [
        "ALTER TABLE book RENAME TO hidden",
        &format!("CREATE VIEW book AS {}", ENDLESS.replace("count(*)", "i AS id")),
    ] {
        shop.db.writer.execute_unprepared(sql).await.unwrap();
    }
    let api = bookends::graphql::Api::new(db, bookends::config::Limits::DEFAULT);
    let answer = serde_json::to_value(api.execute("{ books { totalCount } }").await).unwrap();
    assert_eq!(answer["errors"][0]["extensions"]["code"], "TIMEOUT", "{answer}");
}

/// What changes tables may take as long as it takes.
#[tokio::test]
async fn migrations_and_seeds_have_no_time_limit() {
    let test = testdb::TestDb::new().await;
    let bounds = Bounds { request_timeout: Seconds(Duration::from_millis(20)), ..Bounds::DEFAULT };
    let db = Db::connect(&Settings { bounds, ..crate::shop::settings(&test.url) }).await.unwrap();
    drop(db.turn().await.unwrap());
    db.migrate().await.unwrap();
    let plan = bookends::config::Plan { books: 100, ratings: 50_000, orders: 50_000, rng_seed: 0 };
    bookends::seed::fill(&db, plan, bookends::seed::Progress::Lines).await.unwrap();
}

#[tokio::test]
async fn where_no_connection_is_free_the_database_is_unavailable() {
    let shop = Shop::new(SMALL).await;
    let mut held = Vec::new();
    while let Ok(transaction) = shop.db.reader.begin().await {
        held.push(transaction);
    }
    assert_eq!(shop.code("{ books { totalCount } }").await, "UNAVAILABLE");
    drop(held);
    assert_eq!(shop.data("{ books { totalCount } }").await["books"]["totalCount"], 8);
}

/// A server that restarts takes all connections with it.
#[tokio::test]
async fn reads_do_not_notice_that_connections_were_lost() {
    let shop = Shop::new(SMALL).await;
    if shop.db.reader.get_database_backend() != DbBackend::Postgres {
        return;
    }
    let mut open = Vec::new();
    for _ in 0..4 {
        open.push(shop.db.reader.begin().await.unwrap());
    }
    for transaction in open {
        transaction.rollback().await.unwrap();
    }
    let admin = shop.test.connect().await;
    let kill = "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid()";
    admin.execute_unprepared(kill).await.unwrap();
    for _ in 0..16 {
        assert_eq!(shop.data("{ books { totalCount } }").await["books"]["totalCount"], 8);
    }
}
