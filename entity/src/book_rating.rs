//! What a reader gave a book.

use sea_orm::Set;
use sea_orm::entity::prelude::*;

use crate::id;

/// The stars that a rating can have.
pub const STARS: std::ops::RangeInclusive<i16> = 1..=5;

/// A row of `book_rating`.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "book_rating")]
pub struct Model {
    /// UUIDv7: says when the row was made, see [`id::created_at`].
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    /// Stars: 1 to 5.
    pub rating: i16,
    /// The book that was rated.
    pub book_id: Uuid,
    /// The book that was rated.
    #[sea_orm(belongs_to, from = "book_id", to = "id")]
    pub book: BelongsTo<super::book::Entity>,
}

impl ActiveModelBehavior for ActiveModel {
    fn new() -> Self {
        Self { id: Set(id::next()), ..ActiveModelTrait::default() }
    }
}
