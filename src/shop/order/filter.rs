//! The conditions on an order.

use ::entity::book_order;
use async_graphql::InputObject;
use keyset_graphql::filter::all;
use keyset_graphql::{Comparison, DateTime, Filter, IdFilter, Logic, Scope};
use sea_orm::Condition;

use crate::request::Result;
use crate::shop::book::{BookFilter, match_book};
use crate::shop::decimal::Decimal;
use crate::shop::node_type::NodeType;

/// Conditions on an order. All given conditions must match. A null condition is ignored.
#[derive(Clone, Debug, InputObject)]
pub struct OrderFilter {
    /// The global id.
    id: Option<IdFilter>,
    /// The total price.
    total_price: Option<Comparison<Decimal>>,
    /// The time when the order was placed.
    created_at: Option<Comparison<DateTime>>,
    /// The ordered book.
    book: Option<Box<BookFilter>>,
    #[graphql(flatten)]
    logic: Logic<OrderFilter>,
}

impl Filter for OrderFilter {
    fn logic(&self) -> &Logic<Self> {
        &self.logic
    }

    fn fields(&self, scope: &mut Scope) -> Result<Condition> {
        let Self { id, total_price, created_at, book, logic: _ } = self;
        all([
            id.as_ref().map(|ids| ids.on(book_order::Column::Id, NodeType::Order, scope)),
            total_price.as_ref().map(|prices| prices.on(book_order::Column::TotalPrice, scope)),
            created_at.as_ref().map(|instants| instants.on_key(book_order::Column::Id, scope)),
            book.as_ref().map(|books| match_book(books, book_order::Column::BookId, scope)),
        ])
    }
}
