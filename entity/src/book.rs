//! A book of the shop.

use sea_orm::Set;
use sea_orm::entity::prelude::*;

use crate::id;

/// A row of `book`.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "book")]
pub struct Model {
    /// UUIDv7: says when the row was made, see [`id::created_at`].
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    /// The title: 1 to 100 characters, at most 300 bytes.
    #[sea_orm(column_type = "String(StringLen::N(100))")]
    pub name: String,
    /// The year of publication, in the proleptic Gregorian calendar; before the common era it is negative.
    pub year: i32,
    /// Its sums.
    #[sea_orm(has_one)]
    pub stats: HasOne<super::book_stats::Entity>,
    /// What readers gave it.
    #[sea_orm(has_many)]
    pub ratings: HasMany<super::book_rating::Entity>,
    /// What customers paid for it.
    #[sea_orm(has_many)]
    pub orders: HasMany<super::book_order::Entity>,
}

impl ActiveModelBehavior for ActiveModel {
    fn new() -> Self {
        Self { id: Set(id::next()), ..ActiveModelTrait::default() }
    }
}
