//! The keys that the database makes, and those that it refuses.

use std::collections::HashSet;
use std::time::Duration;

use ::entity::{book, id};
use bookends::db::Db;
use chrono::Utc;
use migration::{Migrator, MigratorTrait};
use sea_orm::prelude::*;
use sea_orm::{DbBackend, FromQueryResult, QueryOrder, Set, Statement};
use uuid::{Uuid, Variant};

use crate::shop::{SMALL, Shop, empty};

const TABLES: [&str; 3] = ["book", "book_rating", "book_order"];

/// The values of the only column.
async fn values<T: sea_orm::TryGetable>(db: &Db, sql: &str) -> Vec<T> {
    let statement = Statement::from_string(db.writer.get_database_backend(), sql);
    let rows = db.writer.query_all_raw(statement).await.unwrap();
    rows.iter().map(|row| row.try_get_by_index(0).unwrap()).collect()
}

/// The expression by which the database makes the key of a table.
async fn default(db: &Db, table: &str) -> String {
    let sql = match db.writer.get_database_backend() {
        DbBackend::Postgres => {
            format!(
                "SELECT column_default FROM information_schema.columns WHERE table_name = '{table}' AND column_name = 'id'"
            )
        }
        _ => format!("SELECT dflt_value FROM pragma_table_info('{table}') WHERE name = 'id'"),
    };
    values::<String>(db, &sql).await.remove(0)
}

/// So many keys by this expression, made in one statement.
async fn made(db: &Db, expression: &str, number: u32) -> Vec<Uuid> {
    let rows = match db.writer.get_database_backend() {
        DbBackend::Postgres => format!("generate_series(1, {number})"),
        _ => format!(
            "(WITH RECURSIVE rows (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM rows WHERE n < {number}) SELECT n FROM rows)"
        ),
    };
    values(db, &format!("SELECT {expression} FROM {rows}")).await
}

#[tokio::test]
async fn the_database_makes_a_million_different_keys_of_version_7() {
    let (_test, db) = empty().await;
    for table in TABLES {
        let expression = default(&db, table).await;
        let number = if table == "book" { 1_000_000 } else { 1_000 };
        let before = Utc::now();
        let keys = made(&db, &expression, number).await;
        let after = Utc::now();
        let second = Duration::from_secs(1);
        for key in &keys {
            assert_eq!((key.get_version_num(), key.get_variant()), (7, Variant::RFC4122), "{key}");
            assert!((before - second..=after + second).contains(&id::created_at(*key)), "{key}");
        }
        assert_eq!(keys.len(), number as usize);
        assert_eq!(keys.into_iter().collect::<HashSet<_>>().len(), number as usize);
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
    let keys = made(&db, &default(&db, "book").await, 1_000).await;
    // 62 after the variant. Before it, PostgreSQL has a part of the millisecond.
    check_random_bits(&keys, (1 << 62) - 1);
    if db.writer.get_database_backend() == DbBackend::Sqlite {
        check_random_bits(&keys, 0xfff << 64);
    }
}

#[tokio::test]
async fn rows_of_other_programs_stand_in_the_order_of_their_milliseconds() {
    let (_test, db) = empty().await;
    for year in 0..20 {
        db.writer.execute_unprepared(&format!("INSERT INTO book (name, year) VALUES ('x', {year})")).await.unwrap();
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    let books = book::Entity::find().order_by_asc(book::Column::Id).all(&db.writer).await.unwrap();
    assert_eq!(books.iter().map(|book| book.year).collect::<Vec<_>>(), (0..20).collect::<Vec<_>>());
}

#[tokio::test]
async fn postgres_makes_a_million_different_ulids() {
    let (_test, db) = empty().await;
    if db.writer.get_database_backend() == DbBackend::Sqlite {
        return;
    }
    let before = Utc::now();
    let keys = made(&db, "bookends_ulid()", 1_000_000).await;
    let after = Utc::now();
    let second = Duration::from_secs(1);
    assert!(keys.iter().all(|key| (before - second..=after + second).contains(&id::created_at(*key))));
    check_random_bits(&keys[..1_000], (1 << 80) - 1);
    assert_eq!(keys.into_iter().collect::<HashSet<_>>().len(), 1_000_000);
    let mut first = 0;
    for _ in 0..20 {
        let next = made(&db, "bookends_ulid()", 1).await[0].as_u128() >> 80;
        assert!(next > first);
        first = next;
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
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

/// Inserts a row with this key into each table.
async fn insert(db: &Db, key: Uuid) -> Vec<Result<(), DbErr>> {
    let book = book::ActiveModel { name: Set("x".into()), year: Set(1), ..Default::default() };
    let book_id = Set(book.insert(&db.writer).await.unwrap().id);
    let stars = ::entity::book_rating::ActiveModel { id: Set(key), rating: Set(1), book_id: book_id.clone() };
    let order = ::entity::book_order::ActiveModel { id: Set(key), total_price: Set(Decimal::ONE), book_id };
    let book = book::ActiveModel { id: Set(key), name: Set("x".into()), year: Set(1) };
    vec![
        book.insert(&db.writer).await.map(drop),
        stars.insert(&db.writer).await.map(drop),
        order.insert(&db.writer).await.map(drop),
    ]
}

#[tokio::test]
async fn a_key_that_holds_no_time_of_four_digits_is_refused() {
    let (_test, db) = empty().await;
    for key in [
        "ffffffff-ffff-ffff-ffff-ffffffffffff",
        "00000000-0000-0000-0000-000000000000",
        "5251aaaa-0000-4000-8000-000000000000",
        // Neighbours of version 7, and of the variant.
        "019b4c3e-9000-6fff-8000-000000000000",
        "019b4c3e-9000-8000-8000-000000000000",
        "019b4c3e-9000-7000-7fff-ffffffffffff",
        "019b4c3e-9000-7000-c000-000000000000",
        // The first millisecond of the year 10000.
        "e677d21f-dc00-7000-8000-000000000000",
    ] {
        for (table, inserted) in TABLES.into_iter().zip(insert(&db, key.parse().unwrap()).await) {
            let error = inserted.unwrap_err().to_string();
            assert!(error.contains(&format!("{table}_id_is_v7")), "{key}: {error}");
        }
    }
    for key in [
        "00000000-0000-7000-8000-000000000000",
        "019b4c3e-9000-7fff-bfff-ffffffffffff",
        "e677d21f-dbff-7fff-bfff-ffffffffffff",
    ] {
        for inserted in insert(&db, key.parse().unwrap()).await {
            inserted.unwrap();
        }
    }
    let last = book::Entity::find().order_by_desc(book::Column::Id).one(&db.writer).await.unwrap().unwrap();
    assert_eq!(id::created_at(last.id).to_rfc3339(), "9999-12-31T23:59:59.999+00:00");
}

/// An object of the schema: a table, an index, a trigger or a constraint.
#[derive(Debug, PartialEq, FromQueryResult)]
struct Defined {
    name: String,
    text: Option<String>,
}

async fn schema(db: &Db) -> Vec<Defined> {
    let sql = match db.writer.get_database_backend() {
        DbBackend::Postgres => {
            "SELECT conrelid::regclass || '.' || conname AS name, pg_get_constraintdef(oid) AS text FROM pg_constraint
             UNION ALL SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = 'public'
             UNION ALL SELECT tgname || tgrelid, pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal
             UNION ALL SELECT proname, prosrc FROM pg_proc WHERE pronamespace = 'public'::regnamespace
             ORDER BY name"
        }
        _ => "SELECT type || ' ' || name AS name, sql AS text FROM sqlite_schema ORDER BY name",
    };
    let statement = Statement::from_string(db.writer.get_database_backend(), sql);
    Defined::find_by_statement(statement).all(&db.writer).await.unwrap()
}

/// The last change that is about keys, and those after it.
async fn down(db: &Db) {
    let changes = Migrator::migrations();
    let position = changes.iter().position(|change| change.name() == "m20261122_000001_keys").unwrap();
    db.migrate_down(u32::try_from(changes.len() - position).unwrap()).await.unwrap();
}

#[tokio::test]
async fn the_change_keeps_rows_indexes_triggers_and_foreign_keys() {
    let shop = Shop::new(SMALL).await;
    let db = &shop.db;
    let rows = shop.data("{ books { nodes { id name ratings { nodes { id } } averageRating } } }").await;
    let after = schema(db).await;
    down(db).await;
    let before = schema(db).await;
    let is_ours = |defined: &&Defined| {
        let text = defined.text.as_deref().unwrap_or_default();
        text.contains("_id_is_v7") || defined.name.contains("_id_is_v7") || defined.name == "bookends_ulid"
    };
    assert!(!before.iter().any(|defined| is_ours(&defined)), "{before:#?}");
    // Three constraints, and on PostgreSQL the function.
    let added = if db.writer.get_database_backend() == DbBackend::Sqlite { 3 } else { 4 };
    assert_eq!(after.iter().filter(is_ours).count(), added);
    let kept: Vec<_> = after.iter().filter(|defined| !is_ours(defined)).collect();
    assert!(kept.iter().all(|defined| before.contains(defined)), "{before:#?}");

    db.migrate().await.unwrap();
    assert_eq!(schema(db).await, after);
    assert_eq!(shop.data("{ books { nodes { id name ratings { nodes { id } } averageRating } } }").await, rows);
    crate::stats::check(db).await;
    let checked = match db.writer.get_database_backend() {
        DbBackend::Sqlite => values::<String>(db, "PRAGMA integrity_check").await,
        _ => vec!["ok".into()],
    };
    assert_eq!(checked, ["ok"]);
    assert!(book::Entity::delete_many().exec(&db.writer).await.is_err(), "ratings refer to books");
}

#[tokio::test]
async fn a_database_with_other_keys_is_not_changed_and_says_where_they_are() {
    let (_test, db) = empty().await;
    down(&db).await;
    let key: Uuid = "5251aaaa-0000-4000-8000-000000000000".parse().unwrap();
    for inserted in insert(&db, key).await {
        inserted.unwrap();
    }
    let before = schema(&db).await;
    for table in TABLES {
        let error = db.migrate().await.unwrap_err().to_string();
        let expected = format!("{table}: 1 keys of this table are not UUIDv7 from before the year 10000");
        assert!(error.contains(&expected), "{error}");
        assert_eq!(schema(&db).await, before);
        let count = values::<i64>(&db, &format!("SELECT count(*) FROM {table}")).await;
        assert_eq!(count, [if table == "book" { 2 } else { 1 }]);
        let refused = match db.writer.get_database_backend() {
            DbBackend::Postgres => format!("'{key}'"),
            _ => format!("x'{}'", key.simple()),
        };
        db.writer.execute_unprepared(&format!("DELETE FROM {table} WHERE id = {refused}")).await.unwrap();
    }
    db.migrate().await.unwrap();
}
