//! Writes that others are in the way of.

use std::time::Duration;

use bookends::config::{Limits, Settings};
use bookends::db::Db;
use sea_orm::{ConnectionTrait, DbBackend, SqliteTransactionMode, TransactionOptions, TransactionTrait};
use testdb::TestDb;

use crate::shop::{SMALL, Shop, settings};

/// Another server on the same database. On SQLite it does not wait before it tries again.
async fn impatient(shop: &Shop) -> Shop {
    // On PostgreSQL a quarter of the connections is for writes: none of three writes waits for one.
    let settings = Settings { database_connections: 16, ..settings(&shop.test.url) };
    let db = Db::connect(&settings).await.unwrap();
    if db.writer.get_database_backend() == DbBackend::Sqlite {
        db.writer.execute_unprepared("PRAGMA busy_timeout = 0").await.unwrap();
    }
    Shop::over(db, Limits::DEFAULT, TestDb::new().await)
}

/// Holds what every write needs.
async fn hold(shop: &Shop) -> sea_orm::DatabaseTransaction {
    let options = TransactionOptions {
        sqlite_transaction_mode: Some(SqliteTransactionMode::Immediate),
        ..TransactionOptions::default()
    };
    let held = shop.db.writer.begin_with_options(options).await.unwrap();
    held.execute_unprepared("UPDATE book SET year = year").await.unwrap();
    held
}

#[tokio::test]
async fn a_write_that_others_stay_in_the_way_of_is_a_conflict() {
    let shop = Shop::new(SMALL).await;
    let [book, ..] = shop.first_of_each().await;
    let held = hold(&shop).await;
    // Others wait for their turn behind the first.
    let other = impatient(&shop).await;
    let update = format!("mutation {{ updateBook(input: {{ id: {book:?}, year: 7 }}) {{ book {{ year }} }} }}");
    let codes = tokio::join!(other.code(&update), other.code(&update), other.code(&update));
    assert_eq!(codes, ("CONFLICT".into(), "CONFLICT".into(), "CONFLICT".into()));
    held.rollback().await.unwrap();
    assert_eq!(other.data(&update).await["updateBook"]["book"]["year"], 7, "nothing is left of the tries");
}

#[tokio::test]
async fn a_write_that_others_were_in_the_way_of_is_tried_again() {
    let shop = Shop::new(SMALL).await;
    let [book, ..] = shop.first_of_each().await;
    let held = hold(&shop).await;
    let other = impatient(&shop).await;
    let update = format!("mutation {{ updateBook(input: {{ id: {book:?}, year: 7 }}) {{ book {{ year }} }} }}");
    // One try waits for the lock no longer than five seconds, or not at all: what succeeds after that was tried again.
    let is_sqlite = shop.db.writer.get_database_backend() == DbBackend::Sqlite;
    let leaving = async {
        tokio::time::sleep(Duration::from_millis(if is_sqlite { 300 } else { 6000 })).await;
        held.rollback().await.unwrap();
    };
    let (data, ()) = tokio::join!(other.data(&update), leaving);
    assert_eq!(data["updateBook"]["book"]["year"], 7);
}
