//! `seed`: deterministic, all or nothing.

use std::io::{BufRead, BufReader};
use std::process::{Command, Output, Stdio};

use ::entity::{book, book_order, book_rating};
use bookshop::seed::Plan;
use bookshop::seed::{self, Progress, SeedError};
use sea_orm::{ConnectionTrait, DbBackend, EntityTrait, QueryOrder, Statement};
use testdb::{Cluster, TestDb};

use crate::support::pooled::unprepared;
use crate::support::program::{fails, succeeds};
use crate::support::shop::{SMALL, Shop, bookshop, empty, settings};

/// The same ids, byte for byte, on both databases.
#[tokio::test]
async fn the_rows_are_the_same_on_both_databases() {
    let shop = Shop::new(SMALL).await;
    let db = &shop.db.writer;
    let books = book::Entity::find().order_by_asc(book::Column::Id).all(db).await.unwrap();
    let ratings = book_rating::Entity::find().order_by_asc(book_rating::Column::Id).all(db).await.unwrap();
    let orders = book_order::Entity::find().order_by_asc(book_order::Column::Id).all(db).await.unwrap();
    let books = books.iter().map(|row| format!("{} {} {}", row.id, row.year, row.name));
    let ratings = ratings.iter().map(|row| format!("{} {} {}", row.id, row.rating, row.book_id));
    let orders = orders.iter().map(|row| format!("{} {:.2} {}", row.id, row.total_price, row.book_id));
    let rows: Vec<String> = books.chain(ratings).chain(orders).collect();
    insta::assert_snapshot!("rows", rows.join("\n"));
}

/// So that a planner knows the tables at once, and PostgreSQL reads from an index alone what it holds.
#[tokio::test]
async fn the_filled_tables_are_maintained() {
    let test = TestDb::new().await;
    // A worker of autovacuum that reads at the same time would keep old versions of rows.
    let quiet = if test.url.starts_with("sqlite") { None } else { Cluster::start(&["autovacuum=off"]) };
    let url = quiet.as_ref().map_or_else(|| test.url.clone(), |cluster| cluster.url(""));
    succeeds(bookshop(&url).args(["seed", "--books", "8", "--ratings", "25", "--orders", "10"]));
    let db = bookshop::connect(&settings(&url)).await.unwrap().writer;
    let maintained = match db.get_database_backend() {
        DbBackend::Postgres => {
            "SELECT relname::text AS name FROM pg_class
             WHERE relkind = 'r' AND reltuples > 0 AND relpages > 0 AND relallvisible = relpages"
        }
        _ => "SELECT DISTINCT tbl AS name FROM sqlite_stat1",
    };
    let rows = db.query_all_raw(Statement::from_string(db.get_database_backend(), maintained)).await.unwrap();
    let names: Vec<String> = rows.iter().map(|row| row.try_get("", "name").unwrap()).collect();
    for table in ["book", "book_rating", "book_order", "book_stats", "book_word"] {
        assert!(names.iter().any(|name| name == table), "{table} is not maintained: {names:?}");
    }
}

/// `VACUUM` keeps what any snapshot may see.
#[tokio::test]
async fn the_lock_of_start_up_keeps_no_snapshot() {
    let test = TestDb::new().await;
    if test.url.starts_with("sqlite") {
        return;
    }
    for settings in [settings(&test.url), unprepared(&test.url)] {
        let db = bookshop::connect(&settings).await.unwrap();
        let lock = db.lock().await.unwrap();
        let open = "SELECT backend_xmin::text AS xmin FROM pg_stat_activity
            WHERE datname = current_database() AND state = 'idle in transaction'";
        let open = db.writer.query_all_raw(Statement::from_string(DbBackend::Postgres, open)).await.unwrap();
        let oldest: Vec<Option<String>> = open.iter().map(|row| row.try_get("", "xmin").unwrap()).collect();
        assert_eq!(oldest, [None], "{:?}", settings.pooler);
        drop(lock);
        db.close().await.unwrap();
    }
}

#[tokio::test]
async fn only_an_empty_database_is_filled() {
    let shop = Shop::new(SMALL).await;
    let again = seed::fill(&shop.db, SMALL, Progress::Lines).await;
    assert!(matches!(again, Err(SeedError::NotEmpty)));
    assert!(!seed::is_empty(&shop.db).await.unwrap());
}

#[tokio::test]
async fn ratings_need_a_book() {
    let (_test, db) = empty().await;
    let none = seed::fill(&db, Plan { books: 0, ..SMALL }, Progress::Lines).await;
    assert!(matches!(none, Err(SeedError::NoBooks)));
    assert!(seed::is_empty(&db).await.unwrap());
}

#[cfg(unix)]
#[tokio::test]
async fn ctrl_c_leaves_no_half_filled_tables() {
    let test = TestDb::new().await;
    let sizes = ["--books", "10", "--ratings", "10", "--orders", "10000000"];
    let mut seed = bookshop(&test.url);
    let mut seed = seed.arg("seed").args(sizes).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // Two tables are full, inside the transaction.
    let mut lines = BufReader::new(seed.stdout.take().unwrap()).lines().map(Result::unwrap);
    assert_eq!((lines.next().unwrap(), lines.next().unwrap()), ("books: 10 rows".into(), "ratings: 10 rows".into()));
    succeeds(Command::new("kill").args(["-INT", &seed.id().to_string()]));
    let Output { status, stderr, .. } = seed.wait_with_output().unwrap();
    assert_eq!(String::from_utf8(stderr).unwrap(), "bookshop: interrupted: the change in progress was rolled back\n");
    assert_eq!(status.code(), Some(130));
    let db = bookshop::connect(&settings(&test.url)).await.unwrap();
    assert!(bookshop::seed::is_empty(&db).await.unwrap());
}

#[tokio::test]
async fn seed_reports_in_plain_lines() {
    let test = TestDb::new().await;
    let sizes = ["--books", "3", "--ratings", "1200", "--orders", "0"];
    let said = succeeds(bookshop(&test.url).arg("seed").args(sizes));
    assert_eq!(said, "books: 3 rows\nratings: 1,200 rows\norders: 0 rows\n");
    fails(bookshop(&test.url).arg("seed"), "the database is not empty");
}
