//! What a customer paid for a book.

use sea_orm::Set;
use sea_orm::entity::prelude::*;

use crate::id;

/// The dearest order, in cents.
pub const DEAREST: i64 = 9_999_999_999;

/// Whether a price is one that an order can have: 0.00 to [`DEAREST`], in whole cents.
pub fn can_cost(price: Decimal) -> bool {
    price.scale() <= 2 && !price.is_sign_negative() && price <= Decimal::new(DEAREST, 2)
}

/// A row of `book_order`.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "book_order")]
pub struct Model {
    /// UUIDv7: says when the row was made, see [`id::created_at`].
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    /// The price of the whole order: 0.00 to 99,999,999.99, in whole cents.
    ///
    /// `numeric(10,2)` on PostgreSQL. SQLite has no decimals and keeps the nearest double, from which a price of
    /// ten digits reads back exactly (a double is good for fifteen); sums are kept in whole cents.
    #[sea_orm(column_type = "Decimal(Some((10, 2)))")]
    pub total_price: Decimal,
    /// The book that was bought.
    pub book_id: Uuid,
    /// The book that was bought.
    #[sea_orm(belongs_to, from = "book_id", to = "id")]
    pub book: BelongsTo<super::book::Entity>,
}

impl ActiveModelBehavior for ActiveModel {
    fn new() -> Self {
        Self { id: Set(id::next()), ..ActiveModelTrait::default() }
    }
}
