//! How many books there are.

use sea_orm::entity::prelude::*;

/// A row of `book_count`: a part of the number of books, which the database keeps. Nobody else writes it.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "book_count")]
pub struct Model {
    /// Which part. On PostgreSQL each session adds to a row of its own.
    #[sea_orm(primary_key)]
    pub shard: i64,
    /// The rows that were added, less those that were removed: it can be negative, but the sum is not.
    pub rows: i64,
}

impl ActiveModelBehavior for ActiveModel {}
