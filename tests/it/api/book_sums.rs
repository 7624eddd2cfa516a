//! `book_stats` against the aggregates that it stands for.

use std::collections::BTreeMap;

use ::entity::{book, book_order, book_rating, book_stats};
use bookends_server::db::Db;
use bookshop::seed::Plan;
use keyset::find_models;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};
use sea_orm::prelude::*;
use sea_orm::{DbBackend, QueryOrder, Set, SqlErr, TransactionTrait};

use crate::support::shop::{SMALL, Shop, down};

/// Compares every row with sums made here, of rows read in the same transaction.
pub async fn check(db: &Db) {
    let snapshot = db.reader.begin().await.unwrap();
    let books = find_models(&snapshot, &book::Entity::find()).await.unwrap();
    let mut expected: BTreeMap<Uuid, (i32, i64, i32, Decimal)> =
        books.into_iter().map(|book| (book.id, (0, 0, 0, Decimal::ZERO))).collect();
    for rating in find_models(&snapshot, &book_rating::Entity::find()).await.unwrap() {
        let sums = expected.get_mut(&rating.book_id).unwrap();
        *sums = (sums.0 + 1, sums.1 + i64::from(rating.rating), sums.2, sums.3);
    }
    for order in find_models(&snapshot, &book_order::Entity::find()).await.unwrap() {
        let sums = expected.get_mut(&order.book_id).unwrap();
        *sums = (sums.0, sums.1, sums.2 + 1, sums.3 + order.total_price);
    }
    #[expect(clippy::cast_precision_loss, reason = "small sums")]
    let expected: Vec<_> = expected
        .into_iter()
        .map(|(book_id, (ratings, stars, orders, revenue))| book_stats::Model {
            book_id,
            rating_count: ratings,
            average_rating: (ratings > 0).then(|| stars as f64 / f64::from(ratings)),
            order_count: orders,
            total_revenue: (orders > 0).then_some(revenue),
        })
        .collect();
    let found =
        find_models(&snapshot, &book_stats::Entity::find().order_by_asc(book_stats::Column::BookId)).await.unwrap();
    assert_eq!(found, expected);
}

/// One random write. It may only be refused because another writer was faster: its row is gone, or its book.
pub async fn write(db: &Db, random: &mut ChaCha8Rng) {
    let writer = &db.writer;
    let mut below = |end: usize| usize::try_from(random.next_u32()).unwrap() % end.max(1);
    let books = book::Entity::find().all(&db.writer).await.unwrap();
    let ratings = book_rating::Entity::find().all(&db.writer).await.unwrap();
    let orders = book_order::Entity::find().all(&db.writer).await.unwrap();
    let (one, other) = (books[below(books.len())].id, books[below(books.len())].id);
    let stars = i16::try_from(1 + below(5)).unwrap();
    let price = Decimal::new(i64::try_from(below(1_000_000)).unwrap(), 2);
    let rating = ratings[below(ratings.len())].id;
    let order = orders[below(orders.len())].id;
    let rated = |book| book_rating::ActiveModel { rating: Set(stars), book_id: Set(book), ..Default::default() };
    let written: Result<(), DbErr> = match below(10) {
        0 | 1 => rated(one).insert(writer).await.map(drop),
        2 => book_rating::Entity::insert_many([rated(one), rated(other), rated(one)]).exec(writer).await.map(drop),
        3 => book_rating::Entity::delete_by_id(rating).exec(writer).await.map(drop),
        4 => {
            let changed = book_rating::Entity::update_many().col_expr(book_rating::Column::Rating, stars.into());
            changed.filter(book_rating::Column::Rating.eq(6 - stars)).exec(writer).await.map(drop)
        }
        5 => {
            let moved = book_rating::Entity::update_many().col_expr(book_rating::Column::BookId, Expr::value(other));
            moved.filter(book_rating::Column::BookId.eq(one)).exec(writer).await.map(drop)
        }
        6 => {
            let order = book_order::ActiveModel { total_price: Set(price), book_id: Set(other), ..Default::default() };
            order.insert(writer).await.map(drop)
        }
        7 => {
            let changed = book_order::ActiveModel { id: Set(order), total_price: Set(price), book_id: Set(one) };
            book_order::Entity::update(changed).exec(writer).await.map(drop)
        }
        8 if orders.len() > 1 => book_order::Entity::delete_by_id(order).exec(writer).await.map(drop),
        _ => {
            let book = book::ActiveModel { name: Set("new".into()), year: Set(2000), ..Default::default() };
            book.insert(writer).await.unwrap();
            // Only a book without ratings and orders can go.
            book::Entity::delete_by_id(one).exec(writer).await.map(drop)
        }
    };
    let refused = |error: &DbErr| {
        matches!(error, DbErr::RecordNotUpdated)
            || matches!(error.sql_err(), Some(SqlErr::ForeignKeyConstraintViolation(_)))
    };
    if let Err(error) = written {
        assert!(refused(&error), "{error}");
    }
}

#[tokio::test]
async fn sums_are_exact_after_a_seed_and_after_random_writes() {
    let shop = Shop::new(Plan { books: 50, ratings: 500, orders: 500, rng_seed: 0 }).await;
    check(&shop.db).await;
    let mut random = ChaCha8Rng::seed_from_u64(1);
    for round in 0..150 {
        write(&shop.db, &mut random).await;
        if round % 10 == 0 {
            check(&shop.db).await;
        }
    }
    check(&shop.db).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn sums_are_exact_under_concurrent_writers() {
    // Few books: the writers meet.
    let shop = Shop::new(Plan { books: 5, ratings: 60, orders: 60, rng_seed: 0 }).await;
    let writers: Vec<_> = (0..4)
        .map(|seed| {
            let db = shop.db.clone();
            tokio::spawn(async move {
                let mut random = ChaCha8Rng::seed_from_u64(seed);
                for _ in 0..60 {
                    write(&db, &mut random).await;
                }
            })
        })
        .collect();
    for writer in writers {
        writer.await.unwrap();
    }
    check(&shop.db).await;
}

#[tokio::test]
async fn sums_are_exact_for_rows_that_were_there_before() {
    let shop = Shop::new(SMALL).await;
    down(&shop.db, "m20261121_000003_book_stats").await;
    shop.db.migrate().await.unwrap();
    check(&shop.db).await;
}

#[tokio::test]
async fn sums_are_exact_after_a_replacement_and_a_truncation() {
    let shop = Shop::new(SMALL).await;
    let writer = &shop.db.writer;
    if writer.get_database_backend() == DbBackend::Sqlite {
        let replaced = "REPLACE INTO book_rating (id, rating, book_id)
            SELECT id, 1, (SELECT max(id) FROM book) FROM book_rating WHERE rating > 3";
        writer.execute_unprepared(replaced).await.unwrap();
        check(&shop.db).await;
        let replaced =
            "PRAGMA foreign_keys = OFF; REPLACE INTO book (id, name, year) SELECT id, name, year + 1 FROM book;
            PRAGMA foreign_keys = ON;";
        writer.execute_unprepared(replaced).await.unwrap();
    } else {
        writer.execute_unprepared("TRUNCATE book_rating").await.unwrap();
    }
    check(&shop.db).await;
    writer.execute_unprepared("DELETE FROM book_order").await.unwrap();
    check(&shop.db).await;
}

#[tokio::test]
async fn the_key_of_a_book_never_changes() {
    let shop = Shop::new(SMALL).await;
    let id = Value::from(Uuid::now_v7());
    let change = book::Entity::update_many().col_expr(book::Column::Id, Expr::value(id));
    let one = book::Entity::find().one(&shop.db.writer).await.unwrap().unwrap();
    assert!(change.filter(book::Column::Id.eq(one.id)).exec(&shop.db.writer).await.is_err());
}

/// A book is deleted while somebody rates it: one of the two is refused, and nobody waits in a circle.
#[tokio::test]
async fn a_deletion_and_a_rating_do_not_deadlock() {
    let shop = Shop::new(Plan { ratings: 0, orders: 0, ..SMALL }).await;
    let writer = &shop.db.writer;
    if writer.get_database_backend() == DbBackend::Sqlite {
        return;
    }
    for book in book::Entity::find().all(writer).await.unwrap() {
        let rates = writer.begin().await.unwrap();
        let rating = book_rating::ActiveModel { rating: Set(1), book_id: Set(book.id), ..Default::default() };
        rating.insert(&rates).await.unwrap();
        let db = shop.db.clone();
        let deletion = tokio::spawn(async move { book::Entity::delete_by_id(book.id).exec(&db.writer).await });
        tokio::task::yield_now().await;
        rates.commit().await.unwrap();
        // It may have come before the rating, and waited for it; then the rating stands in its way.
        let error = deletion.await.unwrap().unwrap_err();
        assert!(matches!(error.sql_err(), Some(SqlErr::ForeignKeyConstraintViolation(_))), "{error}");
    }
    check(&shop.db).await;
}

/// Statements over the same books in opposite orders, beside deletions of these books, wait for each other in no circle.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn statements_over_many_books_do_not_deadlock() {
    let shop = Shop::new(Plan { books: 40, ratings: 0, orders: 0, rng_seed: 0 }).await;
    if shop.db.writer.get_database_backend() == DbBackend::Sqlite {
        return;
    }
    let add = |order| format!("INSERT INTO book_rating (rating, book_id) SELECT 4, id FROM book ORDER BY id {order}");
    let remove =
        "BEGIN; DELETE FROM book WHERE id = (SELECT id FROM book ORDER BY random() LIMIT 1); ROLLBACK".to_owned();
    let writers = [add("ASC"), add("DESC"), remove.clone(), add("ASC"), add("DESC"), remove].map(|sql| {
        let db = shop.db.clone();
        tokio::spawn(async move {
            for _ in 0..20 {
                db.writer.execute_unprepared(&sql).await.unwrap();
            }
        })
    });
    for writer in writers {
        writer.await.unwrap();
    }
    check(&shop.db).await;
}

/// PostgreSQL checks foreign keys at the end of the transaction: a row can come before its book, and outlive it.
#[tokio::test]
async fn sums_are_exact_whatever_comes_first() {
    let shop = Shop::new(SMALL).await;
    let writer = &shop.db.writer;
    if writer.get_database_backend() == DbBackend::Sqlite {
        return;
    }
    for sql in [
        // Rows before their book.
        "INSERT INTO book_rating (rating, book_id) VALUES (5, '00000000-0000-7000-8000-000000000001');
         INSERT INTO book (id, name, year) VALUES ('00000000-0000-7000-8000-000000000001', 'x', 1);",
        // A book that goes and comes back under its rows.
        "CREATE TEMPORARY TABLE kept ON COMMIT DROP AS SELECT * FROM book; DELETE FROM book;
         INSERT INTO book (id, name, year) SELECT id, name, year FROM kept;",
        // A row that comes while its book is gone.
        "CREATE TEMPORARY TABLE kept ON COMMIT DROP AS SELECT * FROM book; DELETE FROM book;
         INSERT INTO book_rating (rating, book_id) SELECT 1, id FROM kept;
         INSERT INTO book (id, name, year) SELECT id, name, year FROM kept;",
        // Under a search path that finds nothing.
        "SET LOCAL search_path = ''; INSERT INTO public.book (name, year) VALUES ('y', 1);
         INSERT INTO public.book_rating (rating, book_id) SELECT 2, id FROM public.book;
         UPDATE public.book_rating SET rating = 3; DELETE FROM public.book_order;",
        // Rows that move away from a book that is gone.
        "DELETE FROM book WHERE id = '00000000-0000-7000-8000-000000000001';
         UPDATE book_rating SET book_id = (SELECT min(id::text)::uuid FROM book)
         WHERE book_id = '00000000-0000-7000-8000-000000000001';",
    ] {
        let transaction = writer.begin().await.unwrap();
        transaction.execute_unprepared(sql).await.unwrap();
        transaction.commit().await.unwrap();
        check(&shop.db).await;
    }
}
