//! A shop full of rows, the same ones for everybody: for trying things out, for tests, and for measurements.

mod postgres;
mod progress;
mod shop;
mod sqlite;
mod words;

use ::entity::{book, book_order, book_rating};
use sea_orm::{ConnectionTrait, DbBackend, DbErr, EntityTrait, QuerySelect, RuntimeErr};

pub use progress::Progress;
pub use shop::Shop;

use crate::config::Plan;
use crate::db::Db;

/// Why nothing was filled. The database is as it was.
#[derive(Debug, thiserror::Error)]
pub enum SeedError {
    /// Rows of one shop among those of another would collide with them.
    #[error("the database holds rows already, and only an empty one is filled")]
    NotEmpty,
    /// A rating or an order is of a book.
    #[error("ratings and orders need at least one book")]
    NoBooks,
    /// Somebody pressed Ctrl-C.
    #[error("interrupted, nothing was filled")]
    Interrupted,
    /// The database failed.
    #[error(transparent)]
    Database(#[from] DbErr),
}

/// Whether there is no row in any table.
///
/// # Errors
///
/// [`DbErr`] where the database fails.
pub async fn is_empty(db: &Db) -> Result<bool, DbErr> {
    async fn none<E: EntityTrait>(db: &impl ConnectionTrait) -> Result<bool, DbErr> {
        Ok(E::find().limit(1).one(db).await?.is_none())
    }
    let db = &db.reader;
    Ok(none::<book::Entity>(db).await?
        && none::<book_rating::Entity>(db).await?
        && none::<book_order::Entity>(db).await?)
}

/// Fills an empty database, in one transaction: all of it or nothing.
///
/// # Errors
///
/// [`SeedError`]; the database is then as it was.
pub async fn fill(db: &Db, plan: Plan, progress: Progress) -> Result<(), SeedError> {
    if plan.books == 0 && plan.ratings + plan.orders > 0 {
        return Err(SeedError::NoBooks);
    }
    if !is_empty(db).await? {
        return Err(SeedError::NotEmpty);
    }
    let shop = Shop::new(plan);
    let _waiver = db.waive_deadline();
    // Whoever is dropped half-way takes its transaction back.
    tokio::select! {
        filled = copy(db, &shop, progress) => filled?,
        _ = tokio::signal::ctrl_c() => return Err(SeedError::Interrupted),
    }
    // The planner's statistics would come by themselves, but minutes later. The rows are there without them.
    if let Err(error) = db.writer.execute_unprepared("ANALYZE").await {
        tracing::warn!(%error, "the filled tables were not analysed");
    }
    Ok(())
}

async fn copy(db: &Db, shop: &Shop, progress: Progress) -> Result<(), DbErr> {
    match db.writer.get_database_backend() {
        DbBackend::Postgres => postgres::fill(&db.writer, shop, progress)
            .await
            .map_err(|error| DbErr::Exec(RuntimeErr::SqlxError(error.into()))),
        _ => sqlite::fill(&db.writer, shop, progress).await,
    }
}
