//! The changes of the schema that are about keys.

use ::entity::book;
use bookends_server::db::Db;
use migration::{Migrator, MigratorTrait};
use sea_orm::prelude::*;
use sea_orm::{DbBackend, FromQueryResult, Statement, TransactionTrait};
use testdb::TestDb;

use super::{insert, values};
use crate::support::shop::{SMALL, Shop, down, empty, settings};

const KEYS: &str = "m20261122_000001_keys";
const CHECKED: &str = "m20261122_000002_keys_checked";

/// How many changes there are from this one on.
fn changes_from(change: &str) -> usize {
    let changes = Migrator::migrations();
    changes.len() - changes.iter().position(|other| other.name() == change).unwrap()
}

/// Reverts the changes that follow those about keys.
async fn down_to_keys(db: &Db) {
    db.migrate_down(u32::try_from(changes_from(CHECKED) - 1).unwrap()).await.unwrap();
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
             UNION ALL SELECT tgname || ' ' || tgrelid::regclass, pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal
             UNION ALL SELECT proname, prosrc FROM pg_proc WHERE pronamespace = 'public'::regnamespace
             ORDER BY name"
        }
        _ => "SELECT type || ' ' || name AS name, sql AS text FROM sqlite_schema WHERE name NOT LIKE 'sqlite_stat%' ORDER BY name",
    };
    let statement = Statement::from_string(db.writer.get_database_backend(), sql);
    Defined::find_by_statement(statement).all(&db.writer).await.unwrap()
}

/// The schema of an empty database that the changes have not reached.
async fn schema_before() -> Vec<Defined> {
    let test = TestDb::new().await;
    let db = bookshop::connect(&settings(&test.url)).await.unwrap();
    let changes = Migrator::migrations();
    let before = changes.iter().position(|change| change.name() == KEYS).unwrap();
    Migrator::up(&db.writer, Some(u32::try_from(before).unwrap())).await.unwrap();
    schema(&db).await
}

#[tokio::test]
async fn the_changes_keep_rows_indexes_triggers_and_foreign_keys() {
    let shop = Shop::new(SMALL).await;
    let db = &shop.db;
    let query = "{ books { nodes { id name ratings { nodes { id } } averageRating } } }";
    let rows = shop.data(query).await;
    down_to_keys(db).await;
    let after = schema(db).await;
    db.migrate_down(2).await.unwrap();
    let before = schema(db).await;
    assert_eq!(before, schema_before().await);
    // Three constraints, and on PostgreSQL the function. On SQLite they are parts of the definitions of the tables.
    let added = if db.writer.get_database_backend() == DbBackend::Sqlite { 0 } else { 4 };
    assert_eq!(after.len(), before.len() + added);
    let is_changed = |defined: &&Defined| defined.text.as_deref().unwrap_or_default().contains("_id_is_v7");
    let kept = after.iter().filter(|defined| before.contains(defined)).count();
    assert_eq!(kept, before.len() - after.iter().filter(is_changed).count());

    Migrator::up(&db.writer, Some(2)).await.unwrap();
    assert_eq!(schema(db).await, after);
    db.migrate().await.unwrap();
    assert_eq!(shop.data(query).await, rows);
    crate::api::book_sums::check(db).await;
    let checked = match db.writer.get_database_backend() {
        DbBackend::Sqlite => values::<String>(db, "PRAGMA integrity_check").await,
        _ => vec!["ok".into()],
    };
    assert_eq!(checked, ["ok"]);
    assert!(book::Entity::delete_many().exec(&db.writer).await.is_err(), "ratings refer to books");
}

#[tokio::test]
async fn connections_that_were_open_before_make_keys_after_the_changes() {
    let (test, db) = empty().await;
    down(&db, KEYS).await;
    let open = test.connect().await;
    assert_eq!(book::Entity::find().one(&open).await.unwrap(), None);
    db.migrate().await.unwrap();
    // A read first: after a change of the schema, SQLite fails the first write that runs triggers.
    assert_eq!(book::Entity::find().one(&open).await.unwrap(), None);
    open.execute_unprepared("INSERT INTO book (name, year) VALUES ('x', 1)").await.unwrap();
    let book = book::Entity::find().one(&open).await.unwrap().unwrap();
    assert_eq!(book.id.get_version_num(), 7);
}

#[tokio::test]
async fn a_database_with_other_keys_is_refused_and_says_where_they_are() {
    let (_test, db) = empty().await;
    down(&db, KEYS).await;
    let key: Uuid = "5251aaaa-0000-4000-8000-000000000000".parse().unwrap();
    for inserted in insert(&db, key).await {
        inserted.unwrap();
    }
    // On PostgreSQL the constraints hold for new rows, and the check of the others is pending.
    let pending = changes_from(if db.writer.get_database_backend() == DbBackend::Sqlite { KEYS } else { CHECKED });
    for table in ["book_rating", "book_order", "book"] {
        let error = db.migrate().await.unwrap_err().to_string();
        let expected = format!("keys in {table} that are not UUIDv7, or not from before the year 10000: 1");
        assert!(error.contains(&expected), "{error}");
        assert_eq!(Migrator::get_pending_migrations(&db.writer).await.unwrap().len(), pending);
        let count = values::<i64>(&db, &format!("SELECT count(*) FROM {table}")).await;
        assert_eq!(count, [if table == "book" { 2 } else { 1 }]);
        let refused = match db.writer.get_database_backend() {
            DbBackend::Postgres => format!("'{key}'"),
            _ => format!("x'{}'", key.simple()),
        };
        db.writer.execute_unprepared(&format!("DELETE FROM {table} WHERE id = {refused}")).await.unwrap();
    }
    db.migrate().await.unwrap();
    assert!(schema(&db).await.iter().all(|defined| !defined.text.as_deref().unwrap_or_default().contains("NOT VALID")));
}

/// Its definition was changed by another program.
#[tokio::test]
async fn a_table_of_sqlite_that_cannot_be_redefined_is_refused() {
    let (_test, db) = empty().await;
    if db.writer.get_database_backend() == DbBackend::Postgres {
        return;
    }
    for before in [true, false] {
        let (from, to) = if before { ("id) = 16", "id)=16") } else { ("_id_is_v7 CHECK", "_id_is_v7  CHECK") };
        if before {
            down(&db, KEYS).await;
        } else {
            down_to_keys(&db).await;
        }
        redefine(&db, from, to).await;
        let kept = schema(&db).await;
        let change = if before { db.migrate().await } else { db.migrate_down(2).await };
        let error = change.unwrap_err().to_string();
        assert!(error.contains("the definition of book_order does not have "), "{error}");
        assert_eq!(schema(&db).await, kept);
        let refused = insert(&db, "5251aaaa-0000-4000-8000-000000000000".parse().unwrap()).await;
        assert_eq!(refused.iter().filter(|inserted| inserted.is_err()).count(), if before { 0 } else { 3 });
        db.writer
            .execute_unprepared("DELETE FROM book_rating; DELETE FROM book_order; DELETE FROM book")
            .await
            .unwrap();
        redefine(&db, to, from).await;
        db.migrate().await.unwrap();
    }
}

/// Replaces a part of the definition of the orders.
async fn redefine(db: &Db, from: &str, to: &str) {
    let sql = format!(
        "PRAGMA writable_schema = ON;
        UPDATE sqlite_schema SET sql = replace(sql, '{from}', '{to}') WHERE name = 'book_order';
        PRAGMA writable_schema = RESET"
    );
    db.writer.execute_unprepared(&sql).await.unwrap();
}

#[tokio::test]
async fn writers_that_lock_tables_in_any_order_do_not_deadlock() {
    let (test, db) = empty().await;
    if db.writer.get_database_backend() == DbBackend::Sqlite {
        return;
    }
    let observer = test.connect().await;
    for [first, second] in [["book", "book_rating"], ["book_rating", "book"]] {
        down(&db, KEYS).await;
        let writer = db.writer.begin().await.unwrap();
        writer.execute_unprepared(&format!("LOCK TABLE {first} IN ROW EXCLUSIVE MODE")).await.unwrap();
        let change = tokio::spawn({
            let db = db.clone();
            async move { db.migrate().await }
        });
        let waiting = format!("SELECT 1 FROM pg_locks WHERE NOT granted AND relation = '{first}'::regclass");
        while observer.query_one_raw(Statement::from_string(DbBackend::Postgres, &waiting)).await.unwrap().is_none() {
            tokio::task::yield_now().await;
        }
        writer.execute_unprepared(&format!("LOCK TABLE {second} IN ROW EXCLUSIVE MODE")).await.unwrap();
        writer.commit().await.unwrap();
        change.await.unwrap().unwrap();
    }
}

#[tokio::test]
async fn the_check_of_stored_keys_waits_for_no_writer() {
    let (_test, db) = empty().await;
    if db.writer.get_database_backend() == DbBackend::Sqlite {
        return;
    }
    down(&db, CHECKED).await;
    let writer = db.writer.begin().await.unwrap();
    writer.execute_unprepared("LOCK TABLE book, book_rating, book_order IN ROW EXCLUSIVE MODE").await.unwrap();
    Migrator::up(&db.writer, Some(1)).await.unwrap();
    writer.commit().await.unwrap();
}
