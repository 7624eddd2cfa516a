//! What readers and customers gave a book, added up.

use sea_orm::entity::prelude::*;

/// A row of `book_stats`: every book has one, which the database keeps. Nobody writes it.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "book_stats")]
pub struct Model {
    /// The book.
    #[sea_orm(primary_key, auto_increment = false)]
    pub book_id: Uuid,
    /// How many ratings it has.
    pub rating_count: i32,
    /// The mean of its ratings, 1 to 5; none without one.
    pub average_rating: Option<f64>,
    /// How many orders it has.
    pub order_count: i32,
    /// What its orders brought in, exact to the cent; none without one.
    #[sea_orm(column_type = "Decimal(Some((20, 2)))", nullable)]
    pub total_revenue: Option<Decimal>,
    /// The book.
    #[sea_orm(belongs_to, from = "book_id", to = "id")]
    pub book: BelongsTo<super::book::Entity>,
}

impl ActiveModelBehavior for ActiveModel {}
