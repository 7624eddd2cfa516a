//! The keys that the database makes.

use std::collections::HashSet;

use ::entity::{book, id};
use bookends_server::db::Db;
use sea_orm::prelude::*;
use sea_orm::{DbBackend, FromQueryResult, QueryOrder, Statement};
use uuid::{Uuid, Variant};

use super::{TABLES, default, values};
use crate::support::shop::empty;

/// A key, and the milliseconds that the clock of the database showed before and after it was made.
#[derive(FromQueryResult)]
struct Made {
    before: i64,
    key: Uuid,
    after: i64,
}

fn millis(key: &Uuid) -> i64 {
    id::created_at(*key).timestamp_millis()
}

/// So many thousand keys by this expression. Each holds the time of its making, and none is older than the one before.
async fn made(db: &Db, expression: &str, thousands: u32) -> Vec<Uuid> {
    let backend = db.writer.get_database_backend();
    let (clock, rows) = match backend {
        DbBackend::Postgres => {
            ("floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint", "SELECT generate_series(1, 1000)")
        }
        _ => (
            "CAST(round(unixepoch('subsec') * 1000) AS INTEGER)",
            "WITH RECURSIVE rows (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM rows WHERE n < 1000) SELECT n FROM rows",
        ),
    };
    let sql = format!("SELECT {clock} AS before, {expression} AS key, {clock} AS after FROM ({rows}) AS rows");
    let mut keys = Vec::new();
    for _ in 0..thousands {
        let statement = Statement::from_string(backend, &sql);
        for Made { before, key, after } in Made::find_by_statement(statement).all(&db.writer).await.unwrap() {
            assert!((before..=after).contains(&millis(&key)), "{key}: {before} to {after}");
            keys.push(key);
        }
    }
    assert_eq!(keys.len(), thousands as usize * 1_000);
    assert!(keys.is_sorted_by_key(millis));
    keys
}

#[track_caller]
fn check_distinct(keys: Vec<Uuid>) {
    let number = keys.len();
    assert_eq!(keys.into_iter().collect::<HashSet<_>>().len(), number);
}

#[tokio::test]
async fn the_database_makes_a_million_different_keys_of_version_7() {
    let (_test, db) = empty().await;
    for table in TABLES {
        let expression = default(&db, table).await;
        let keys = made(&db, &expression, if table == "book" { 1_000 } else { 1 }).await;
        for key in &keys {
            assert_eq!((key.get_version_num(), key.get_variant()), (7, Variant::RFC4122), "{key}");
        }
        check_distinct(keys);
    }
}

/// Each bit that is not fixed is 0 in some key and 1 in another.
#[track_caller]
fn check_random_bits(keys: &[Uuid], random: u128) {
    let bits = keys.iter().map(Uuid::as_u128);
    assert_eq!(bits.clone().fold(0, |seen, key| seen | key) & random, random);
    assert_eq!(bits.fold(u128::MAX, |seen, key| seen & key) & random, 0);
}

#[tokio::test]
async fn the_random_bits_of_a_key_are_random() {
    let (_test, db) = empty().await;
    let keys = made(&db, &default(&db, "book").await, 1).await;
    // 62 after the variant. Before it, PostgreSQL has a part of the millisecond.
    check_random_bits(&keys, (1 << 62) - 1);
    if db.writer.get_database_backend() == DbBackend::Sqlite {
        check_random_bits(&keys, 0xfff << 64);
    }
}

#[tokio::test]
async fn keys_of_other_programs_sort_by_millisecond() {
    let (_test, db) = empty().await;
    let mut latest = 0;
    for year in 0..20 {
        latest = inserted_after(&db, latest, year).await;
    }
    let books = book::Entity::find().order_by_asc(book::Column::Id).all(&db.writer).await.unwrap();
    assert_eq!(books.iter().map(|book| book.year).collect::<Vec<_>>(), (0..20).collect::<Vec<_>>());
}

/// Inserts a row without a key, again and again until its millisecond is later than this one.
async fn inserted_after(db: &Db, latest: i64, year: i32) -> i64 {
    loop {
        let sql = format!("INSERT INTO book (name, year) VALUES ('x', {year}) RETURNING id");
        let key = values::<Uuid>(db, &sql).await.remove(0);
        assert!(millis(&key) >= latest, "{key}");
        if millis(&key) > latest {
            return millis(&key);
        }
        book::Entity::delete_by_id(key).exec(&db.writer).await.unwrap();
    }
}

/// Without the milliseconds of its clock it would make keys of 1970.
#[tokio::test]
async fn sqlite_before_3_42_makes_no_key() {
    let (_test, db) = empty().await;
    if db.writer.get_database_backend() == DbBackend::Postgres {
        return;
    }
    for table in TABLES {
        let expression = default(&db, table).await;
        let older = expression.replace("unixepoch('subsec')", "NULL");
        assert_ne!(older, expression);
        assert_eq!(values::<Option<Uuid>>(&db, &format!("SELECT {older}")).await, [None]);
    }
    let error =
        db.writer.execute_unprepared("INSERT INTO book (id, name, year) VALUES (NULL, 'x', 1)").await.unwrap_err();
    assert!(error.to_string().contains("NOT NULL constraint failed: book.id"), "{error}");
}

#[tokio::test]
async fn postgres_makes_a_million_different_ulids() {
    let (_test, db) = empty().await;
    if db.writer.get_database_backend() == DbBackend::Sqlite {
        return;
    }
    let keys = made(&db, "bookends_ulid()", 1_000).await;
    check_random_bits(&keys[..1_000], (1 << 80) - 1);
    check_distinct(keys);
}

/// PostgreSQL 18 has a function of its own.
#[tokio::test]
async fn the_built_in_function_is_used_where_there_is_one() {
    let (_test, db) = empty().await;
    if db.writer.get_database_backend() == DbBackend::Sqlite {
        return;
    }
    let version = values::<i32>(&db, "SELECT current_setting('server_version_num')::int").await[0];
    let builtin = values::<bool>(&db, "SELECT to_regprocedure('pg_catalog.uuidv7()') IS NOT NULL").await[0];
    let own = values::<bool>(&db, "SELECT to_regprocedure('public.uuidv7()') IS NOT NULL").await[0];
    assert_eq!((builtin, own), (version >= 180_000, version < 180_000));
    println!("uuidv7() of PostgreSQL {version}: {}", if builtin { "built in" } else { "ours" });
}
