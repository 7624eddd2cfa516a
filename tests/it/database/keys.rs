//! The keys that the database makes, and those that it refuses.

mod change;
mod made;
mod refused;

use ::entity::{book, book_order, book_rating};
use bookends_server::db::Db;
use sea_orm::prelude::*;
use sea_orm::{DbBackend, Set, Statement, TryGetable};

const TABLES: [&str; 3] = ["book", "book_rating", "book_order"];

/// The values of the only column.
async fn values<T: TryGetable>(db: &Db, sql: &str) -> Vec<T> {
    let statement = Statement::from_string(db.writer.get_database_backend(), sql);
    let rows = db.writer.query_all_raw(statement).await.unwrap();
    rows.iter().map(|row| row.try_get_by_index(0).unwrap()).collect()
}

/// The expression by which the database makes the key of a table.
async fn default(db: &Db, table: &str) -> String {
    let sql = match db.writer.get_database_backend() {
        DbBackend::Postgres => {
            format!(
                "SELECT column_default FROM information_schema.columns WHERE table_name = '{table}' AND column_name = 'id'"
            )
        }
        _ => format!("SELECT dflt_value FROM pragma_table_info('{table}') WHERE name = 'id'"),
    };
    values::<String>(db, &sql).await.remove(0)
}

/// Inserts a row with this key into each table.
async fn insert(db: &Db, key: Uuid) -> Vec<Result<(), DbErr>> {
    let book = book::ActiveModel { name: Set("x".into()), year: Set(1), ..Default::default() };
    let book_id = Set(book.insert(&db.writer).await.unwrap().id);
    let stars = book_rating::ActiveModel { id: Set(key), rating: Set(1), book_id: book_id.clone() };
    let order = book_order::ActiveModel { id: Set(key), total_price: Set(Decimal::ONE), book_id };
    let book = book::ActiveModel { id: Set(key), name: Set("x".into()), year: Set(1) };
    vec![
        book.insert(&db.writer).await.map(drop),
        stars.insert(&db.writer).await.map(drop),
        order.insert(&db.writer).await.map(drop),
    ]
}
