//! A schema that a newer version has expanded.

use bookends_server::db::Db;
use sea_orm::{ConnectionTrait, DbBackend};

pub const LATER: &str = "m99991231_000001_later";

/// Records that a version has applied this migration.
pub async fn record(db: &Db, migration: &str) {
    let sql = format!("INSERT INTO seaql_migrations (version, applied_at) VALUES ('{migration}', 0)");
    db.writer.execute_unprepared(&sql).await.unwrap();
}

/// Adds what a newer version may add, and this one does not know: columns, indexes, a table, and triggers that write to it.
pub async fn expand(db: &Db, tables: &[&str]) {
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
    for table in tables {
        for script in [columns, trigger] {
            db.writer.execute_unprepared(&script.replace("{table}", table)).await.unwrap();
        }
    }
    record(db, LATER).await;
}
