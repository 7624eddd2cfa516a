//! Into PostgreSQL, by `COPY`.

use std::fmt::Write;

use sea_orm::sqlx::{self, PgConnection};
use sea_orm::{DatabaseConnection, Value};

use super::progress::Progress;
use super::shop::{Shop, Table};

/// A batch is sent when it is this long, in bytes.
const BATCH: usize = 256 * 1024;

/// Fills the tables in one transaction.
pub async fn fill(db: &DatabaseConnection, shop: &Shop, progress: Progress) -> Result<(), sqlx::Error> {
    let mut transaction = db.get_postgres_connection_pool().begin().await?;
    for table in shop.tables() {
        copy(&mut transaction, shop, table, progress).await?;
    }
    transaction.commit().await
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
