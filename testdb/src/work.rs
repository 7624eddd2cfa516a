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
