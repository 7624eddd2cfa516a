//! Generated rows, always the same, for trials, tests and measurements.

mod plan;
mod postgres;
mod progress;
mod shop;
mod sqlite;
mod words;

use ::entity::{book, book_order, book_rating};
use bookends_server::db::{Db, Reads};
use keyset::ReadRows;
use sea_orm::{ConnectionTrait, DbBackend, DbErr, EntityTrait, QuerySelect, QueryTrait, RuntimeErr};

pub use plan::Plan;
pub use progress::Progress;
pub use shop::Shop;

/// Why an empty database was not filled. The database is unchanged.
#[derive(Debug, thiserror::Error)]
pub enum SeedError {
    /// There are rows, with which generated ids could collide.
    #[error("the database is not empty")]
    NotEmpty,
    /// Every rating and every order belongs to a book.
    #[error("ratings and orders need at least one book")]
    NoBooks,
    /// The database failed.
    #[error(transparent)]
    Database(#[from] DbErr),
}

/// Whether every table is empty.
///
/// # Errors
///
/// [`DbErr`] if the database fails.
pub async fn is_empty(db: &Db) -> Result<bool, DbErr> {
    async fn none<E: EntityTrait>(db: &Reads) -> Result<bool, DbErr> {
        Ok(db.read(E::find().limit(1).build(db.backend())).await?.is_empty())
    }
    let db = &db.reader;
    Ok(none::<book::Entity>(db).await?
        && none::<book_rating::Entity>(db).await?
        && none::<book_order::Entity>(db).await?)
}

/// Fills an empty database, in one transaction: all of it or nothing. Dropping the future rolls the transaction back.
///
/// # Errors
///
/// [`SeedError`]; the database is then unchanged.
pub async fn fill(db: &Db, plan: Plan, progress: Progress) -> Result<(), SeedError> {
    if plan.books == 0 && plan.ratings + plan.orders > 0 {
        return Err(SeedError::NoBooks);
    }
    if !is_empty(db).await? {
        return Err(SeedError::NotEmpty);
    }
    let shop = Shop::new(plan);
    let _suspension = db.suspend_deadline();
    copy(db, &shop, progress).await?;
    maintain(db).await;
    Ok(())
}

/// Updates the planner's statistics, and on PostgreSQL notes which pages every transaction sees: until then, a row that an
/// index holds is looked up in its table, too. Autovacuum would do both only minutes later. A failure does not affect the rows.
async fn maintain(db: &Db) {
    let statements: &[&str] = match db.writer.get_database_backend() {
        DbBackend::Postgres => &[
            "ANALYZE",
            "VACUUM book",
            "VACUUM book_rating",
            "VACUUM book_order",
            "VACUUM book_stats",
            "VACUUM book_word",
        ],
        _ => &["ANALYZE"],
    };
    for statement in statements {
        if let Err(error) = db.writer.execute_unprepared(statement).await {
            tracing::warn!(%error, statement, "the filled tables are not maintained: queries may be slow at first");
        }
    }
}

async fn copy(db: &Db, shop: &Shop, progress: Progress) -> Result<(), DbErr> {
    match db.writer.get_database_backend() {
        DbBackend::Postgres => postgres::fill(&db.writer, shop, progress)
            .await
            .map_err(|error| DbErr::Exec(RuntimeErr::SqlxError(error.into()))),
        _ => sqlite::fill(&db.writer, shop, progress).await,
    }
}
