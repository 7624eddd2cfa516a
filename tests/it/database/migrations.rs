//! The schema of the database, up and down, and what it refuses.

use ::entity::{book, book_order, book_rating, book_stats};
use bookends_server::db::Db;
use migration::{Migrator, MigratorTrait};
use sea_orm::prelude::*;
use sea_orm::{DbBackend, Set, TransactionTrait};
use uuid::Uuid;

use crate::support::shop::empty;

#[tokio::test]
async fn every_change_goes_up_down_and_up_again() {
    let (_test, db) = empty().await;
    let changes = Migrator::migrations().len();
    for _ in 0..changes {
        Migrator::down(&db.writer, Some(1)).await.unwrap();
    }
    assert!(book::Entity::find().one(&db.writer).await.is_err());
    assert!(book_rating::Entity::find().one(&db.writer).await.is_err());
    assert!(book_order::Entity::find().one(&db.writer).await.is_err());
    db.migrate().await.unwrap();
    assert_eq!(book::Entity::find().one(&db.writer).await.unwrap(), None);
    assert_eq!(Migrator::get_pending_migrations(&db.writer).await.unwrap().len(), 0);
}

async fn insert_book(db: &Db, name: &str, year: i32) -> Result<book::Model, DbErr> {
    book::ActiveModel { name: Set(name.into()), year: Set(year), ..Default::default() }.insert(&db.writer).await
}

async fn insert_order(db: &Db, book_id: Uuid, price: &str) -> Result<book_order::Model, DbErr> {
    let total_price = Set(price.parse().unwrap());
    book_order::ActiveModel { book_id: Set(book_id), total_price, ..Default::default() }.insert(&db.writer).await
}

async fn insert_rating(db: &Db, book_id: Uuid, rating: i16) -> Result<book_rating::Model, DbErr> {
    book_rating::ActiveModel { book_id: Set(book_id), rating: Set(rating), ..Default::default() }
        .insert(&db.writer)
        .await
}

#[tokio::test]
async fn values_out_of_bounds_are_refused() {
    let (_test, db) = empty().await;
    let book = insert_book(&db, &"é".repeat(100), -800).await.unwrap();
    assert!(insert_book(&db, &"é".repeat(101), 2000).await.is_err());
    insert_book(&db, &"本".repeat(100), 2000).await.unwrap();
    insert_book(&db, &"🎼".repeat(75), 2000).await.unwrap();
    assert!(insert_book(&db, &"🎼".repeat(76), 2000).await.is_err(), "301 bytes and more");
    assert!(insert_book(&db, "", 2000).await.is_err());
    assert!(insert_book(&db, "x", 10_000).await.is_err());
    for rating in [1, 5] {
        insert_rating(&db, book.id, rating).await.unwrap();
    }
    for rating in [0, 6, -1] {
        assert!(insert_rating(&db, book.id, rating).await.is_err(), "{rating}");
    }
    for price in ["0", "0.01", "99999999.99"] {
        insert_order(&db, book.id, price).await.unwrap();
    }
    for price in ["-0.01", "100000000.00"] {
        assert!(insert_order(&db, book.id, price).await.is_err(), "{price}");
    }
}

#[tokio::test]
async fn a_rating_is_of_a_book_that_exists() {
    let (_test, db) = empty().await;
    assert!(insert_rating(&db, Uuid::now_v7(), 5).await.is_err());
    let book = insert_book(&db, "x", 2000).await.unwrap();
    insert_rating(&db, book.id, 5).await.unwrap();
    assert!(book::Entity::delete_by_id(book.id).exec(&db.writer).await.is_err());

    if db.writer.get_database_backend() != DbBackend::Postgres {
        return;
    }
    // Deferred: within one transaction the rating may come first.
    let transaction = db.writer.begin().await.unwrap();
    let later = Uuid::now_v7();
    let rating = book_rating::ActiveModel { book_id: Set(later), rating: Set(1), ..Default::default() };
    rating.insert(&transaction).await.unwrap();
    let book = book::ActiveModel { id: Set(later), name: Set("y".into()), year: Set(1) };
    book.insert(&transaction).await.unwrap();
    transaction.commit().await.unwrap();
}

#[tokio::test]
async fn money_is_exact_to_the_cent_in_sums_too() {
    let (_test, db) = empty().await;
    let book = insert_book(&db, "x", 2000).await.unwrap();
    let mut sum = Decimal::ZERO;
    // Cents that no double holds, small beside large.
    for cents in (1..300).chain([9_999_999_999, 9_999_999_998, 1_234_567_891, 33, 7, 1]) {
        let price = Decimal::new(cents, 2);
        let order = insert_order(&db, book.id, &price.to_string()).await.unwrap();
        let stored = book_order::Entity::find_by_id(order.id).one(&db.writer).await.unwrap().unwrap();
        assert_eq!(stored.total_price, price);
        sum += price;
    }
    let stats = book_stats::Entity::find_by_id(book.id).one(&db.writer).await.unwrap().unwrap();
    assert_eq!(stats.total_revenue, Some(sum));
}

#[tokio::test]
async fn ids_are_sixteen_bytes_and_the_database_can_make_them() {
    let (_test, db) = empty().await;
    let before = ::entity::id::next();
    if db.writer.get_database_backend() == DbBackend::Postgres {
        let sql = "INSERT INTO book (name, year) SELECT 'x', 2000 FROM generate_series(1, 50)";
        db.writer.execute_unprepared(sql).await.unwrap();
        for book in book::Entity::find().all(&db.writer).await.unwrap() {
            assert_eq!((book.id.get_version_num(), book.id.get_variant()), (7, uuid::Variant::RFC4122));
            let made = ::entity::id::created_at(book.id) - ::entity::id::created_at(before);
            assert!((0..60_000).contains(&made.num_milliseconds()), "{made}");
        }
    } else {
        let book = insert_book(&db, "x", 2000).await.unwrap();
        let sql = "SELECT typeof(id) || length(id) AS stored FROM book";
        let row = db.writer.query_one_raw(sea_orm::Statement::from_string(DbBackend::Sqlite, sql)).await.unwrap();
        assert_eq!(row.unwrap().try_get::<String>("", "stored").unwrap(), "blob16");
        assert!(book.id > before);
    }
}
