//! The words of a title.

use sea_orm::entity::prelude::*;

/// A row of `book_words`: every book has one, which the database keeps. Nobody writes it.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "book_words")]
pub struct Model {
    /// The book.
    #[sea_orm(primary_key, auto_increment = false)]
    pub book_id: Uuid,
    /// The words of its title in their order, folded, and separated by one space.
    pub words: String,
}

impl ActiveModelBehavior for ActiveModel {}
