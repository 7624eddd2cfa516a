//! Placing and cancelling orders.

use ::entity::book_order;
use async_graphql::{Context, ID, InputObject, SimpleObject};
use keyset_graphql::{Edge, Object, Sort};
use sea_orm::Set;
use sea_orm::prelude::Decimal as Number;
use uuid::Uuid;

use super::created::{Created, Placement};
use super::input::{Input, Problems};
use super::of_book::{add_to_book, delete_of_book};
use super::transaction::Transaction;
use super::write::{Write, WriteResult};
use crate::events::Event;
use crate::request::{Code, Error, Result};
use crate::shop::book::Book;
use crate::shop::decimal::Decimal;
use crate::shop::node_type::{NodeId, NodeType};
use crate::shop::order::{BookOrder, OrderSortField};

/// An order to place.
#[derive(InputObject)]
pub struct PlaceOrderInput {
    /// The global id of the book.
    book_id: ID,
    /// The price of the whole order: 0.00 to 99999999.99, in whole cents.
    total_price: Decimal,
    /// The order of the list that the new edge is for, as that list has it.
    order_by: Option<Vec<Sort<OrderSortField>>>,
    /// Comes back in the payload.
    client_mutation_id: Option<String>,
}

pub struct PlaceOrder {
    book: Uuid,
    total_price: Number,
    placement: Placement<BookOrder>,
}

pub struct PlacedOrder {
    created: Created<BookOrder>,
    book: Object<Book>,
}

impl Input for PlaceOrderInput {
    type Write = PlaceOrder;

    fn client_mutation_id(&self) -> Option<String> {
        self.client_mutation_id.clone()
    }

    fn check(self, context: &Context<'_>, problems: &mut Problems) -> Option<PlaceOrder> {
        let book = problems.key("bookId", &self.book_id, NodeType::Book);
        let total_price = problems.check("totalPrice", price(self.total_price));
        let placement = problems.check("orderBy", Placement::new(context, self.order_by));
        Some(PlaceOrder { book: book?, total_price: total_price?, placement: placement? })
    }
}

impl Write for PlaceOrder {
    type Done = PlacedOrder;

    async fn run(&self, transaction: &Transaction) -> WriteResult<PlacedOrder> {
        let row = |id, book_id| book_order::ActiveModel {
            id: Set(id),
            total_price: Set(self.total_price),
            book_id: Set(book_id),
        };
        let (created, book) = add_to_book(transaction, &self.placement, self.book, row).await?;
        Ok(PlacedOrder { created, book })
    }

    fn event(done: &PlacedOrder) -> Option<Event> {
        Some(Event::OrderPlaced(done.created.row().clone()))
    }
}

#[async_graphql::Object]
impl PlacedOrder {
    /// The order, and its place in `orders` under `orderBy`: the same in the list of all and in that of its book.
    async fn order_edge(&self) -> &Edge<BookOrder> {
        &self.created.edge
    }

    /// The cursor of the edge before it in the `orders` of all books; null where it comes first.
    async fn previous_edge_cursor(&self) -> Option<&str> {
        self.created.previous.as_deref()
    }

    /// The cursor of the edge before it in the `orders` of its book; null where it comes first.
    async fn previous_edge_cursor_of_book(&self) -> Option<&str> {
        self.created.previous_of_book.as_deref()
    }

    /// The book, its revenue with this order in it.
    async fn book(&self) -> &Object<Book> {
        &self.book
    }
}

/// The order to cancel.
#[derive(InputObject)]
pub struct CancelOrderInput {
    /// The global id of the order.
    id: ID,
    /// Comes back in the payload.
    client_mutation_id: Option<String>,
}

pub struct CancelOrder {
    key: Uuid,
}

#[derive(SimpleObject)]
pub struct CancelledOrder {
    /// The global id that it had.
    deleted_id: ID,
    /// The book, its revenue without this order.
    book: Object<Book>,
}

impl Input for CancelOrderInput {
    type Write = CancelOrder;

    fn client_mutation_id(&self) -> Option<String> {
        self.client_mutation_id.clone()
    }

    fn check(self, _: &Context<'_>, problems: &mut Problems) -> Option<CancelOrder> {
        Some(CancelOrder { key: problems.key("id", &self.id, NodeType::Order)? })
    }
}

impl Write for CancelOrder {
    type Done = CancelledOrder;

    async fn run(&self, transaction: &Transaction) -> WriteResult<CancelledOrder> {
        let book = delete_of_book::<BookOrder>(transaction, self.key).await?;
        Ok(CancelledOrder { deleted_id: NodeId { node_type: NodeType::Order, key: self.key }.into(), book })
    }
}

/// A price in whole cents. PostgreSQL would round other prices, and SQLite would not.
fn price(Decimal(price): Decimal) -> Result<Number> {
    // Removes trailing zeros and the sign of a zero.
    let price = if price.is_zero() { Number::ZERO } else { price.normalize() };
    if book_order::can_cost(price) {
        return Ok(price);
    }
    let message = format!("a price is 0.00 to {} in whole cents, not {price}", Number::new(book_order::DEAREST, 2));
    Err(Error::client(Code::BadUserInput, message))
}
