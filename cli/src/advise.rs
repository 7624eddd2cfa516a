//! What a database lacks: indexes for orders, relations and rules, and counters; and which indexes nothing has used.

use std::fmt::Write as _;

use bookends_server::db::Db;
use bookends_server::{Application, Declaration, ObjectType, OwnError};
use keyset::{ReadRows as _, Statistics};
use sea_orm::{ConnectionTrait as _, DbBackend, DbErr, Statement};

use crate::counters;

/// The rows from which on a count is worth a counter.
const COUNTED: u64 = 10_000;

/// The bytes of an entry of an index beside its values, and the share of a page that entries fill at first.
const ENTRY: u64 = 16;

/// The bytes that a value takes where the database does not say.
const VALUE: u64 = 8;

const UNUSED: &str = "
    SELECT quote_ident(s.indexrelname) AS name, s.relname::text AS table, pg_size_pretty(pg_relation_size(s.indexrelid)) AS size
    FROM pg_stat_user_indexes s JOIN pg_index i USING (indexrelid)
    WHERE s.idx_scan = 0 AND NOT i.indisunique AND pg_table_is_visible(s.relid)
        AND NOT EXISTS (SELECT FROM pg_constraint k WHERE k.conindid = s.indexrelid)
    ORDER BY pg_relation_size(s.indexrelid) DESC";

const WIDTHS: &str = "
    SELECT tablename::text AS table, attname::text AS column, avg_width::bigint AS width FROM pg_stats
    WHERE schemaname = ANY (current_schemas(false))";

/// What to create and what to drop, as SQL with comments.
///
/// # Errors
///
/// [`OwnError`] if the database fails.
pub async fn advise(db: &Db, application: &Application) -> Result<String, OwnError> {
    let (declaration, statistics) = (application.declaration(), Statistics::read(&db.reader).await?);
    let mut text = indexes(db, declaration, &statistics).await?;
    text += &counted(db, declaration, &statistics);
    text += &unused(db).await?;
    if text.is_empty() {
        text.push_str("-- The database lacks nothing.\n");
    }
    Ok(text)
}

async fn indexes(db: &Db, declaration: &Declaration, statistics: &Statistics) -> Result<String, OwnError> {
    let widths = widths(db).await?;
    let mut text = String::new();
    let mut advice = declaration.index_advice(&db.reader).await?;
    advice.extend(declaration.suggested_indexes(db.reader.backend())?);
    for lack in advice {
        let Some(index) = &lack.index else {
            let _ = writeln!(text, "-- {lack}");
            continue;
        };
        let rows = statistics.rows(index.table());
        let width = |column: &str| {
            let known = widths.iter().find(|(table, name, _)| table == index.table() && name == column);
            known.map_or(VALUE, |(_, _, width)| *width)
        };
        let entry: u64 = ENTRY + index.columns().map(width).sum::<u64>();
        let lists: Vec<&str> = lack.lists.iter().map(|offered| offered.list.as_str()).take(3).collect();
        let _ = writeln!(text, "-- {}: {rows} rows, about {}", lists.join(", "), size(rows * entry * 10 / 9));
        let _ = writeln!(text, "{index};");
    }
    Ok(text)
}

/// The counters of large tables that have none.
fn counted(db: &Db, declaration: &Declaration, statistics: &Statistics) -> String {
    let mut text = String::new();
    // Triggers on a table do not see what is written to those that inherit from it.
    let is_countable = |object: &&ObjectType| !object.is_counted() && !object.has_rule() && !object.is_unknown();
    for object in declaration.object_types().filter(is_countable) {
        let table = object.table().name();
        let rows = statistics.rows(table);
        if rows >= COUNTED {
            let list = declaration.list_of(object.name()).unwrap_or_default();
            let _ = writeln!(text, "-- `totalCount` of `{list}` reads {rows} rows. With this counter, it reads a few.");
            text += &counters::create(table, db.reader.backend());
        }
    }
    text
}

/// The indexes that nothing has used since PostgreSQL counts. SQLite does not count.
async fn unused(db: &Db) -> Result<String, DbErr> {
    let mut text = String::new();
    if db.reader.backend() != DbBackend::Postgres {
        return Ok(text);
    }
    for row in db.writer.query_all_raw(Statement::from_string(DbBackend::Postgres, UNUSED)).await? {
        let (name, table, size): (String, String, String) =
            (row.try_get("", "name")?, row.try_get("", "table")?, row.try_get("", "size")?);
        let _ = writeln!(text, "-- Nothing has used this index of `{table}` since the statistics were reset: {size}.");
        let _ = writeln!(text, "-- DROP INDEX {name};");
    }
    Ok(text)
}

/// The mean widths of columns, which PostgreSQL knows.
async fn widths(db: &Db) -> Result<Vec<(String, String, u64)>, DbErr> {
    if db.reader.backend() != DbBackend::Postgres {
        return Ok(Vec::new());
    }
    let rows = db.writer.query_all_raw(Statement::from_string(DbBackend::Postgres, WIDTHS)).await?;
    let width = |row: &sea_orm::QueryResult| {
        let width: i64 = row.try_get("", "width")?;
        Ok((row.try_get("", "table")?, row.try_get("", "column")?, width.unsigned_abs()))
    };
    rows.iter().map(width).collect()
}

fn size(bytes: u64) -> String {
    match bytes {
        0..10_000 => "10 kB".to_owned(),
        10_000..10_000_000 => format!("{} kB", bytes / 1000),
        _ => format!("{} MB", bytes / 1_000_000),
    }
}
