//! `Order`.

use ::entity::book_order;
use bookends_server::{ObjectType, RowObject};

use super::key::add_key_fields;
use super::search::SearchArgument;

/// A customer's order of a book.
#[derive(Clone, Copy, Debug)]
pub enum BookOrder {}

impl RowObject for BookOrder {
    type Entity = book_order::Entity;
    const NAME: &str = "Order";
}

/// The type `Order`. Its tag is part of every id that a client has stored.
pub fn object() -> ObjectType {
    let mut order = ObjectType::named::<BookOrder>();
    order.describe("A customer's order of a book.");
    order.id(3).describe("The global id. `node` returns the order with this id.");
    order.column(book_order::Column::TotalPrice).describe("The total price, exact to the cent.");
    order.created_at("createdAt").describe("The time when the order was placed, to the millisecond.");
    add_key_fields(&mut order);
    order.to_one("book", "Book", &[book_order::Column::BookId.into()]).describe("The ordered book.");
    order.describe_sorts("The fields by which orders can be sorted.").describe_order(crate::app::ORDER_BY).as_of();
    order.argument(SearchArgument::of("orders", book_order::Column::BookId));
    order
}
