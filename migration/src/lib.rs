//! The schema of the book shop, one file per change.
//!
//! A migration is never edited once it has been released: a new one follows it. The indexes that an order needs stand
//! beside the table that they are of.
//!
//! Foreign keys are checked at the end of the transaction on PostgreSQL, and at once on SQLite: there an `INSERT ...
//! RETURNING` outside a transaction hands out its row before it commits, and nobody would hear of the failed commit.

use sea_orm_migration::prelude::*;

mod dialect;
mod m20260101_000001_uuidv7;
mod m20260101_000002_book;
mod m20260101_000003_book_rating;
mod m20260101_000004_book_order;
mod m20261121_000001_book_name;
mod m20261121_000002_orders;
mod m20261121_000003_book_stats;
mod m20261121_000004_book_search;

/// Every change, in order.
#[derive(Debug)]
pub struct Migrator;

#[async_trait::async_trait]
impl MigratorTrait for Migrator {
    fn migrations() -> Vec<Box<dyn MigrationTrait>> {
        vec![
            Box::new(m20260101_000001_uuidv7::Migration),
            Box::new(m20260101_000002_book::Migration),
            Box::new(m20260101_000003_book_rating::Migration),
            Box::new(m20260101_000004_book_order::Migration),
            Box::new(m20261121_000001_book_name::Migration),
            Box::new(m20261121_000002_orders::Migration),
            Box::new(m20261121_000003_book_stats::Migration),
            Box::new(m20261121_000004_book_search::Migration),
        ]
    }
}

pub use m20261121_000004_book_search::folded_sqlite;
pub use sea_orm_migration::{MigrationStatus, MigratorTrait};
