//! `seed`: deterministic, all or nothing.

use ::entity::{book, book_order, book_rating};
use bookends::config::Plan;
use bookends::seed::{self, Progress, SeedError};
use sea_orm::{EntityTrait, QueryOrder};

use crate::shop::{SMALL, Shop, empty};

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
