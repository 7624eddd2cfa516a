//! `Order`.

use ::entity::{book_order, id};
use async_graphql::Enum;
use keyset_graphql::{DateTime, Fields, Keyed, Listed, RowObject, Scope, SortField, sort};
use sea_orm::{EntityTrait, Select};
use uuid::Uuid;

mod filter;

pub use filter::OrderFilter;

use super::book::Book;
use super::decimal::Decimal;
use super::key::add_key_fields;
use super::list::{ShopArgs, ShopObject};
use super::node_type::NodeType;
use crate::request::Result;

/// A customer's order of a book.
#[derive(Clone, Copy, Debug)]
pub enum BookOrder {}

/// The fields by which orders can be sorted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Enum)]
pub enum OrderSortField {
    /// The time when the order was placed.
    CreatedAt,
    /// The total price.
    TotalPrice,
}

impl RowObject for BookOrder {
    type Entity = book_order::Entity;
    const NAME: &str = "Order";

    fn fields(fields: &mut Fields<Self>) {
        fields.describe("A customer's order of a book.");
        fields.id(NodeType::Order, "The global id. `node` returns the order with this id.");
        fields.computed("totalPrice", "The total price, exact to the cent.", |order| Decimal(order.total_price));
        fields.of_key("createdAt", "The time when the order was placed, to the millisecond.", |id| {
            DateTime(id::created_at(id))
        });
        add_key_fields(fields);
        fields.to_one::<Book>("book", "The ordered book.", book_order::Column::BookId);
    }
}

impl Keyed for BookOrder {
    type Key = Uuid;

    fn key_column() -> book_order::Column {
        book_order::Column::Id
    }
}

impl Listed for BookOrder {
    type Args = ShopArgs<Self>;

    const FOLLOWS_FROM_ARGS: bool = true;

    fn rows(args: &ShopArgs<Self>, scope: &mut Scope) -> Result<(Select<book_order::Entity>, keyset::Order)> {
        let order = sort::by_columns::<book_order::Entity, _>(&args.order_by)?;
        let rows = args.filtered(book_order::Entity::find(), book_order::Column::Id, &order, scope)?;
        Ok(args.searched(book_order::Column::BookId, rows, order, scope))
    }
}

impl ShopObject for BookOrder {
    type SortField = OrderSortField;
    type Filter = OrderFilter;
    const WITH_TITLE: [&str; 2] = ["orders of a book whose title", "A search can read the whole list."];
}

impl SortField for OrderSortField {
    type Column = book_order::Column;
}

impl From<OrderSortField> for book_order::Column {
    fn from(field: OrderSortField) -> Self {
        match field {
            OrderSortField::CreatedAt => Self::Id,
            OrderSortField::TotalPrice => Self::TotalPrice,
        }
    }
}
