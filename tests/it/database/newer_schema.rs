//! A schema that a newer version has changed, while this one still runs.

use bookends::db::{Db, MigrateError};
use sea_orm::{ConnectionTrait, DbBackend};
use testdb::TestDb;

use crate::operations::cli::{fails, succeeds};
use crate::support::program::{Program, address_of, bookends};
use crate::support::shop::empty;
use crate::support::wire::{ask, get, post, write};

const LATER: &str = "m99991231_000001_later";

/// Records that a version has applied this migration.
async fn record(db: &Db, migration: &str) {
    let sql = format!("INSERT INTO seaql_migrations (version, applied_at) VALUES ('{migration}', 0)");
    db.writer.execute_unprepared(&sql).await.unwrap();
}

/// Adds what a newer version may add, and this one does not know: columns, indexes, a table, and triggers that write to it.
pub async fn expand(db: &Db) {
    let trigger = match db.writer.get_database_backend() {
        DbBackend::Postgres => {
            "CREATE OR REPLACE FUNCTION later() RETURNS trigger LANGUAGE plpgsql AS
                $$ BEGIN INSERT INTO later VALUES (TG_TABLE_NAME); RETURN NULL; END $$;
            CREATE TRIGGER later_{table} AFTER INSERT OR UPDATE OR DELETE ON {table} EXECUTE FUNCTION later()"
        }
        // SQLite has triggers for rows only.
        _ => "CREATE TRIGGER later_{table} AFTER INSERT ON {table} BEGIN INSERT INTO later VALUES ('{table}'); END",
    };
    let columns = "ALTER TABLE {table} ADD COLUMN later integer;
        ALTER TABLE {table} ADD COLUMN later_with_default text NOT NULL DEFAULT 'none';
        CREATE INDEX {table}_later ON {table} (later_with_default, id)";
    db.writer.execute_unprepared("CREATE TABLE later (name text NOT NULL)").await.unwrap();
    for table in ["book", "book_rating", "book_order"] {
        for script in [columns, trigger] {
            db.writer.execute_unprepared(&script.replace("{table}", table)).await.unwrap();
        }
    }
    record(db, LATER).await;
}

/// An empty database that a newer version has expanded.
async fn expanded() -> (TestDb, Db) {
    let (test, db) = empty().await;
    expand(&db).await;
    (test, db)
}

#[tokio::test]
async fn a_server_starts_on_a_schema_that_a_newer_version_has_expanded() {
    let (test, db) = expanded().await;
    db.close().await.unwrap();
    let program = Program::start(&mut bookends(&test.url));
    let said = program.says_until("open http://");
    let warns = |line: &&String| line.contains("the schema is newer than this version") && line.contains(LATER);
    assert_eq!(said.iter().filter(warns).count(), 1, "{said:#?}");
    let address = address_of(said.last().unwrap());
    assert_eq!(ask(&address, get("/ready")).body, "ready\n");
    let add = r#"{"query":"mutation { addBook(input: { name: \"x\", year: 1 }) { bookEdge { node { name } } } }"}"#;
    assert_eq!(ask(&address, write(add)).body, r#"{"data":{"addBook":{"bookEdge":{"node":{"name":"x"}}}}}"#);
    let found = ask(&address, post(r#"{"query":"{ books(last: 1) { totalCount nodes { name } } }"}"#));
    assert_eq!(found.body, r#"{"data":{"books":{"totalCount":1001,"nodes":[{"name":"x"}]}}}"#);
}

#[tokio::test]
async fn migrate_up_leaves_a_newer_schema_as_it_is_and_status_shows_it() {
    let (test, db) = expanded().await;
    db.close().await.unwrap();
    let before = succeeds(bookends(&test.url).args(["migrate", "status"]));
    assert_eq!(before.lines().last(), Some(&*format!("unknown  {LATER}")), "{before}");
    assert_eq!(succeeds(bookends(&test.url).args(["migrate", "up"])), before);
}

#[tokio::test]
async fn migrate_down_refuses_what_it_does_not_know_and_reverts_nothing() {
    let (test, db) = expanded().await;
    assert!(matches!(db.migrate_down(1).await, Err(MigrateError::Irreversible(unknown)) if unknown == [LATER]));
    let before = db.history().await.unwrap();
    assert_eq!(before.pending, Vec::<String>::new());
    let down = "revert them with the version that applied them: m99991231_000001_later";
    fails(bookends(&test.url).args(["migrate", "down"]), down);
    assert_eq!(db.history().await.unwrap(), before);
}

#[tokio::test]
async fn a_schema_of_another_line_of_versions_is_refused() {
    let (test, db) = empty().await;
    record(&db, "m20260101_000001_zzz").await;
    assert!(matches!(db.migrate().await, Err(MigrateError::Foreign(_))), "it is among those of this version");
    fails(&mut bookends(&test.url), "which do not follow those of this version: m20260101_000001_zzz");

    let (_test, db) = empty().await;
    db.migrate_down(1).await.unwrap();
    record(&db, LATER).await;
    let before = db.history().await.unwrap();
    assert!(matches!(db.migrate().await, Err(MigrateError::Foreign(_))), "it lacks one of this version");
    assert_eq!(db.history().await.unwrap(), before);
}
