//! What a customer paid for a book.

use sea_orm::entity::prelude::*;
use sea_orm::sea_query::Func;
use sea_orm::{DbBackend, ExprTrait, Set};

use crate::id;

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
    /// ten digits reads back exactly (a double is good for fifteen); for sums see [`revenue`].
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

/// The sum of `total_price`, exact to the cent on both databases; NULL over no rows.
///
/// SQLite would add doubles, whose error grows with the number of rows, so there whole cents are added, as integers,
/// and divided at the end:
///
/// ```sql
/// SUM(total_price)                                            -- PostgreSQL
/// SUM(CAST(ROUND(total_price * 100) AS INTEGER)) / 100.0      -- SQLite: exact up to 10^13
/// ```
pub fn revenue(backend: DbBackend) -> Expr {
    let price = Column::TotalPrice.into_expr();
    match backend {
        DbBackend::Sqlite => {
            let cents = Func::round(price.mul(100)).cast_as("integer");
            cents.sum().div(100.0)
        }
        _ => price.sum(),
    }
}
