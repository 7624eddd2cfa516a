//! Fills SQLite with prepared inserts of many rows.

use sea_orm::{ConnectionTrait, DatabaseConnection, DbBackend, DbErr, Statement, TransactionTrait, Value};

use super::progress::Progress;
use super::shop::{Shop, Table};

/// The rows of one statement: enough to make its fixed cost small.
const BATCH: u64 = 500;

/// The page cache while filling, in KiB. Ratings and orders update the sums of books all over their table, and an index is
/// sorted in runs of this size.
const CACHE: i64 = 256 * 1024;

/// Fills the tables in one transaction.
pub async fn fill(db: &DatabaseConnection, shop: &Shop, progress: Progress) -> Result<(), DbErr> {
    let usual = db.query_one_raw(Statement::from_string(DbBackend::Sqlite, "PRAGMA cache_size")).await?;
    let usual: i64 = usual.map_or(Ok(0), |row| row.try_get_by_index(0))?;
    set_cache(db, -CACHE).await?;
    let filled = fill_tables(db, shop, progress).await;
    set_cache(db, usual).await?;
    filled
}

/// Sets the page cache, in pages, or in KiB below zero.
async fn set_cache(db: &DatabaseConnection, size: i64) -> Result<(), DbErr> {
    db.execute_unprepared(&format!("PRAGMA cache_size = {size}")).await.map(drop)
}

async fn fill_tables(db: &DatabaseConnection, shop: &Shop, progress: Progress) -> Result<(), DbErr> {
    let transaction = db.begin().await?;
    let indexes = drop_indexes(&transaction).await?;
    for table in shop.tables() {
        insert(&transaction, shop, table, progress).await?;
    }
    for definition in indexes {
        transaction.execute_unprepared(&definition).await?;
    }
    transaction.commit().await
}

/// Drops the indexes, and returns their definitions. Creating an index on a full table costs a fraction of inserting each
/// entry.
async fn drop_indexes(db: &impl ConnectionTrait) -> Result<Vec<String>, DbErr> {
    // The index of a constraint has no definition, and stays.
    let sql = "SELECT name, sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL";
    let mut definitions = Vec::new();
    for index in db.query_all_raw(Statement::from_string(DbBackend::Sqlite, sql)).await? {
        let name: String = index.try_get("", "name")?;
        definitions.push(index.try_get("", "sql")?);
        db.execute_unprepared(&format!("DROP INDEX {name}")).await?;
    }
    Ok(definitions)
}

async fn insert(db: &impl ConnectionTrait, shop: &Shop, table: Table, progress: Progress) -> Result<(), DbErr> {
    let bar = progress.table(table.title, table.rows);
    let whole = statement(table, BATCH);
    let mut start = 0;
    while start < table.rows {
        let end = table.rows.min(start + BATCH);
        let sql = if end - start == BATCH { whole.clone() } else { statement(table, end - start) };
        let values: Vec<Value> = (start..end).flat_map(|number| table.row(shop, number)).collect();
        db.execute_raw(Statement::from_sql_and_values(DbBackend::Sqlite, sql, values)).await?;
        bar.add(end - start);
        start = end;
    }
    bar.finish();
    Ok(())
}

fn statement(table: Table, rows: u64) -> String {
    let rows = (0..rows).map(|_| "(?, ?, ?)").collect::<Vec<_>>().join(", ");
    format!("INSERT INTO {} ({}) VALUES {rows}", table.name, table.columns.join(", "))
}
