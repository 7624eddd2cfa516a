//! The cost of a statement, counted instead of timed.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use sea_orm::{ConnectionTrait, DatabaseConnection, DbBackend, DbErr, RuntimeErr, Statement, sqlx};
use serde_json::Value;

/// The work of a statement in units that do not depend on the machine: on PostgreSQL, the buffers that it reads; on
/// SQLite, the instructions of the virtual machine.
///
/// On SQLite the connection must be a pool of one.
///
/// # Panics
///
/// If the statement fails.
pub async fn work(db: &DatabaseConnection, statement: Statement) -> u64 {
    try_work(db, statement).await.expect("the statement runs")
}

/// Like [`work`], for statements that may fail.
///
/// # Errors
///
/// [`DbErr`] if the statement fails.
pub async fn try_work(db: &DatabaseConnection, statement: Statement) -> Result<u64, DbErr> {
    match db.get_database_backend() {
        DbBackend::Postgres => {
            let plan = &explain(db, statement, "ANALYZE, BUFFERS, FORMAT JSON").await?[0]["Plan"];
            Ok(["Shared Hit Blocks", "Shared Read Blocks"].iter().filter_map(|count| plan[count].as_u64()).sum())
        }
        _ => instructions(db, statement).await,
    }
}

/// The nodes of the statement's plan, one per line: on SQLite, the text of `EXPLAIN QUERY PLAN`; on PostgreSQL, the node
/// type, the relation, and the rows that were read and removed.
///
/// # Panics
///
/// If the statement fails.
pub async fn plan(db: &DatabaseConnection, statement: Statement) -> Vec<String> {
    if db.get_database_backend() == DbBackend::Postgres {
        let mut lines = Vec::new();
        let plan = explain(db, statement, "ANALYZE, FORMAT JSON").await.expect("the statement runs");
        describe(&plan[0]["Plan"], &mut lines);
        return lines;
    }
    let explain = Statement { sql: format!("EXPLAIN QUERY PLAN {}", statement.sql), ..statement };
    let rows = db.query_all_raw(explain).await.expect("the statement has a plan");
    rows.iter().map(|row| row.try_get("", "detail").expect("a plan has details")).collect()
}

/// The rows of a table of PostgreSQL that the scans of a statement return, before any filter: entries of indexes, and rows
/// of sequential scans. Partitions are parts of the table. `EXPLAIN` rounds the mean of many loops; this is their sum.
///
/// The connection must be a pool of one.
///
/// # Panics
///
/// If the statement fails.
pub async fn rows_read(db: &DatabaseConnection, statement: Statement, table: &str) -> u64 {
    let counter = format!(
        "SELECT coalesce(sum(pg_stat_get_xact_tuples_returned(oid)), 0)::bigint FROM (
            WITH part AS (SELECT '{table}'::regclass AS oid UNION SELECT relid FROM pg_partition_tree('{table}'))
            SELECT oid FROM part UNION ALL SELECT indexrelid FROM pg_index JOIN part ON indrelid = oid
        ) AS relation"
    );
    let count = async || {
        let row = db.query_one_raw(Statement::from_string(DbBackend::Postgres, counter.as_str())).await;
        let count: i64 = row.expect("the rows are counted").expect("a sum").try_get_by_index(0).expect("a number");
        u64::try_from(count).expect("a count is not negative")
    };
    // Counters are reset between transactions.
    db.execute_unprepared("BEGIN").await.expect("a transaction begins");
    let before = count().await;
    db.query_all_raw(statement).await.expect("the statement runs");
    let read = count().await - before;
    db.execute_unprepared("COMMIT").await.expect("a transaction ends");
    read
}

async fn explain(db: &DatabaseConnection, statement: Statement, options: &str) -> Result<Value, DbErr> {
    let explain = Statement { sql: format!("EXPLAIN ({options}) {}", statement.sql), ..statement };
    let row = db.query_one_raw(explain).await?;
    row.ok_or_else(|| DbErr::RecordNotFound("the plan".to_owned()))?.try_get_by_index(0)
}

fn describe(node: &Value, lines: &mut Vec<String>) {
    let text = |name: &str| node[name].as_str().unwrap_or_default().to_owned();
    let count = |name: &str| node[name].as_f64().unwrap_or_default();
    let read = count("Actual Rows") * count("Actual Loops");
    let removed = count("Rows Removed by Filter") * count("Actual Loops");
    let name = [text("Node Type"), text("Relation Name"), text("Index Name")].join(" ");
    lines.push(format!("{} read {read} removed {removed}", name.trim()));
    for child in node["Plans"].as_array().into_iter().flatten() {
        describe(child, lines);
    }
}

async fn instructions(db: &DatabaseConnection, statement: Statement) -> Result<u64, DbErr> {
    let count = Arc::new(AtomicU64::new(0));
    let counter = Arc::clone(&count);
    let pool = db.get_sqlite_connection_pool();
    let mut connection = pool.acquire().await.map_err(failed)?;
    connection.lock_handle().await.map_err(failed)?.set_progress_handler(1, move || {
        counter.fetch_add(1, Ordering::Relaxed);
        true
    });
    drop(connection);

    let result = db.query_all_raw(statement).await;

    let mut connection = pool.acquire().await.map_err(failed)?;
    connection.lock_handle().await.map_err(failed)?.remove_progress_handler();
    result.map(|_| count.load(Ordering::Relaxed))
}

fn failed(error: sqlx::Error) -> DbErr {
    DbErr::Conn(RuntimeErr::SqlxError(error.into()))
}
