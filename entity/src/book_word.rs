//! Which titles have a word.

use sea_orm::entity::prelude::*;

/// A row of `book_word`: a book for each word of its title, which the database keeps. Nobody writes it.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "book_word")]
pub struct Model {
    /// The word, folded.
    #[sea_orm(primary_key, auto_increment = false)]
    pub word: String,
    /// The book.
    #[sea_orm(primary_key, auto_increment = false)]
    pub book_id: Uuid,
}

impl ActiveModelBehavior for ActiveModel {}
