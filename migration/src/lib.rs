//! The schema of the book shop, one file per change.
//!
//! A migration is never edited once it has been released: a new one follows it. The indexes that an order needs stand
//! beside the table that they are of.
//!
//! Foreign keys are checked at the end of the transaction on PostgreSQL, and at once on SQLite: there an `INSERT ...
//! RETURNING` outside a transaction hands out its row before it commits, and nobody would hear of the failed commit.

use sea_orm_migration::prelude::*;

mod change;
pub mod letters;

/// Declares the files of the changes, each of which the database remembers by its name.
macro_rules! changes {
    ($($file:ident),+ $(,)?) => {
        $(mod $file;)+

        fn changes() -> Vec<Box<dyn MigrationTrait>> {
            vec![$(Box::new(change::Named(stringify!($file), $file::change()))),+]
        }
    };
}

changes![
    m20260101_000001_uuidv7,
    m20260101_000002_book,
    m20260101_000003_book_rating,
    m20260101_000004_book_order,
    m20261121_000001_book_name,
    m20261121_000002_orders,
    m20261121_000003_book_stats,
    m20261121_000004_book_search,
    m20261121_000005_book_search_nesting,
    m20261122_000001_keys,
    m20261122_000002_keys_checked,
    m20261123_000001_counts,
    m20261123_000002_book_word,
    m20261123_000003_orders_by_counts,
    m20261123_000004_search_before,
    m20261126_000001_books_that_return,
];

/// Every change, in order.
#[derive(Debug)]
pub struct Migrator;

#[async_trait::async_trait]
impl MigratorTrait for Migrator {
    fn migrations() -> Vec<Box<dyn MigrationTrait>> {
        changes()
    }
}

pub use sea_orm_migration::{MigrationStatus, MigratorTrait, seaql_migrations};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_changes_ascend() {
        let own: Vec<String> = Migrator::migrations().iter().map(|change| change.name().to_owned()).collect();
        assert!(own.is_sorted_by(|one, next| one < next), "{own:?}");
    }
}
