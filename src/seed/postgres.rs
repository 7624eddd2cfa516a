//! Fills PostgreSQL with `COPY`.

use std::fmt::Write;

use sea_orm::sqlx::{self, AssertSqlSafe, Connection, Executor, PgConnection, Row};
use sea_orm::{DatabaseConnection, Value};

use super::progress::Progress;
use super::shop::{Shop, Table};

/// The size of a batch, in bytes.
const BATCH: usize = 256 * 1024;

/// Fills the tables in one transaction.
pub async fn fill(db: &DatabaseConnection, shop: &Shop, progress: Progress) -> Result<(), sqlx::Error> {
    // Taken out of the pool, which would log a warning about a connection whose `COPY` was interrupted.
    let mut connection = db.get_postgres_connection_pool().acquire().await?.detach();
    let mut transaction = connection.begin().await?;
    transaction.execute("SET LOCAL statement_timeout = 0").await?;
    let indexes = drop_indexes(&mut transaction).await?;
    for table in shop.tables() {
        copy(&mut transaction, shop, table, progress).await?;
    }
    // An index cannot be created while checks of foreign keys are pending.
    transaction.execute("SET CONSTRAINTS ALL IMMEDIATE").await?;
    for definition in indexes {
        transaction.execute(AssertSqlSafe(definition)).await?;
    }
    transaction.commit().await?;
    // The rows are there: an error while closing does not matter.
    let _ = connection.close().await;
    Ok(())
}

/// Drops the indexes, and returns their definitions. Creating an index on a full table costs a fraction of inserting each
/// entry. Those of partitions belong to the index of the whole.
async fn drop_indexes(db: &mut PgConnection) -> Result<Vec<String>, sqlx::Error> {
    let sql = "SELECT indexrelid::regclass::text, replace(pg_get_indexdef(indexrelid), ' ON ONLY ', ' ON ')
        FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
        WHERE relnamespace = current_schema()::regnamespace AND NOT relispartition
            AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid)";
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
            // A socket that never blocks would keep Ctrl-C from being noticed.
            tokio::task::yield_now().await;
        }
    }
    copy.send(batch.as_bytes()).await?;
    copy.finish().await?;
    bar.finish();
    Ok(())
}

/// A field in the text format of `COPY`. No generated value needs escaping.
fn push(batch: &mut String, value: &Value, end: char) {
    // Writing into a string does not fail.
    let _ = match value {
        Value::Uuid(Some(id)) => write!(batch, "{id}{end}"),
        Value::String(Some(text)) => write!(batch, "{text}{end}"),
        Value::Decimal(Some(number)) => write!(batch, "{number}{end}"),
        number => write!(batch, "{number}{end}"),
    };
}
