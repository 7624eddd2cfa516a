//! Into PostgreSQL, by `COPY`.

use std::fmt::Write;

use sea_orm::sqlx::{self, AssertSqlSafe, Executor, PgConnection, Row};
use sea_orm::{DatabaseConnection, Value};

use super::progress::Progress;
use super::shop::{Shop, Table};

/// A batch is sent when it is this long, in bytes.
const BATCH: usize = 256 * 1024;

/// Fills the tables in one transaction.
pub async fn fill(db: &DatabaseConnection, shop: &Shop, progress: Progress) -> Result<(), sqlx::Error> {
    let mut transaction = db.get_postgres_connection_pool().begin().await?;
    transaction.execute("SET LOCAL statement_timeout = 0").await?;
    let indexes = drop_indexes(&mut transaction).await?;
    for table in shop.tables() {
        copy(&mut transaction, shop, table, progress).await?;
    }
    // No index is made while foreign keys wait to be checked.
    transaction.execute("SET CONSTRAINTS ALL IMMEDIATE").await?;
    for definition in indexes {
        transaction.execute(AssertSqlSafe(definition)).await?;
    }
    transaction.commit().await
}

/// Drops the indexes, to be made again from these definitions when the tables are full: sorting all entries once costs
/// a fraction of finding a place for each.
async fn drop_indexes(db: &mut PgConnection) -> Result<Vec<String>, sqlx::Error> {
    let sql = "SELECT indexname::text, indexdef FROM pg_indexes
        WHERE schemaname = current_schema()
            AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = format('%I.%I', schemaname, indexname)::regclass)";
    let mut definitions = Vec::new();
    for index in db.fetch_all(sql).await? {
        let name: String = index.try_get(0)?;
        definitions.push(index.try_get(1)?);
        db.execute(AssertSqlSafe(format!("DROP INDEX {name}"))).await?;
    }
    Ok(definitions)
}

async fn copy(db: &mut PgConnection, shop: &Shop, table: Table, progress: Progress) -> Result<(), sqlx::Error> {
    let bar = progress.table(table.title, table.rows);
    let statement = format!("COPY {} ({}) FROM STDIN", table.name, table.columns.join(", "));
    let mut copy = db.copy_in_raw(&statement).await?;
    let mut batch = String::with_capacity(BATCH + 1024);
    for number in 0..table.rows {
        let [a, b, c] = table.row(shop, number);
        push(&mut batch, &a, '\t');
        push(&mut batch, &b, '\t');
        push(&mut batch, &c, '\n');
        bar.add(1);
        if batch.len() >= BATCH {
            copy.send(batch.as_bytes()).await?;
            batch.clear();
            // A socket that always has room never waits, and whoever listens for Ctrl-C would not get to hear it.
            tokio::task::yield_now().await;
        }
    }
    copy.send(batch.as_bytes()).await?;
    copy.finish().await?;
    bar.finish();
    Ok(())
}

/// A field in the text format of `COPY`. Nothing in the shop needs an escape.
fn push(batch: &mut String, value: &Value, end: char) {
    // Writing into a string does not fail.
    let _ = match value {
        Value::Uuid(Some(id)) => write!(batch, "{id}{end}"),
        Value::String(Some(text)) => write!(batch, "{text}{end}"),
        Value::Decimal(Some(number)) => write!(batch, "{number}{end}"),
        number => write!(batch, "{number}{end}"),
    };
}
