//! Placing and cancelling orders.

use ::entity::book_order;
use async_graphql::{Context, ID, InputObject};
use bookends_graphql::{Decimal, Object, PayloadFields, SortBy};
use sea_orm::Set;
use sea_orm::prelude::Decimal as Number;
use uuid::Uuid;

use super::created::{Created, Placement};
use super::input::{Input, Problems};
use super::of_book::{add_to_book, delete_of_book};
use super::payload::{Done, Payload};
use super::transaction::Transaction;
use super::write::{Write, WriteResult};
use crate::events::Event;
use crate::request::{Code, Error, Result};
use crate::shop::book::Book;
use crate::shop::key::id_of;
use crate::shop::order::BookOrder;

/// The input of `placeOrder`.
#[derive(InputObject)]
pub struct PlaceOrderInput {
    /// The global id of the book.
    book_id: ID,
    /// The total price, from 0.00 to 99999999.99, in whole cents.
    total_price: Decimal,
    /// The sort order of the cursors in the payload. Pass the `orderBy` of the client's list. By default, the oldest is first.
    order_by: Option<Vec<SortBy<BookOrder>>>,
    /// An arbitrary text, which the payload returns.
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
        let book = problems.key::<Book>("bookId", &self.book_id);
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

impl Done for PlacedOrder {
    const PAYLOAD: &'static str = "PlaceOrderPayload";

    fn fields(fields: &mut PayloadFields<Payload<Self>>) {
        let description = "The new order, as an edge of `orders`, sorted by `orderBy`. Its cursor is valid in the list of all \
            orders, and in that of the book.";
        fields.edge("orderEdge", description, |payload| &payload.done.created.edge);
        let description =
            "The cursor of the edge before the new one in the list of all orders. Null if the new edge is the first.";
        fields.value("previousEdgeCursor", description, |payload| payload.done.created.previous.clone());
        let description =
            "The cursor of the edge before the new one in the orders of the book. Null if the new edge is the first.";
        fields.value("previousEdgeCursorOfBook", description, |payload| payload.done.created.previous_of_book.clone());
        fields.object("book", "The ordered book, with its updated revenue.", |payload| &payload.done.book);
    }
}

/// The input of `cancelOrder`.
#[derive(InputObject)]
pub struct CancelOrderInput {
    /// The global id of the order.
    id: ID,
    /// An arbitrary text, which the payload returns.
    client_mutation_id: Option<String>,
}

pub struct CancelOrder {
    key: Uuid,
}

pub struct CancelledOrder {
    deleted_id: ID,
    book: Object<Book>,
}

impl Done for CancelledOrder {
    const PAYLOAD: &'static str = "CancelOrderPayload";

    fn fields(fields: &mut PayloadFields<Payload<Self>>) {
        fields.value("deletedId", "The global id of the cancelled order.", |payload| payload.done.deleted_id.clone());
        fields.object("book", "The ordered book, with its updated revenue.", |payload| &payload.done.book);
    }
}

impl Input for CancelOrderInput {
    type Write = CancelOrder;

    fn client_mutation_id(&self) -> Option<String> {
        self.client_mutation_id.clone()
    }

    fn check(self, _: &Context<'_>, problems: &mut Problems) -> Option<CancelOrder> {
        Some(CancelOrder { key: problems.key::<BookOrder>("id", &self.id)? })
    }
}

impl Write for CancelOrder {
    type Done = CancelledOrder;

    async fn run(&self, transaction: &Transaction) -> WriteResult<CancelledOrder> {
        let book = delete_of_book::<BookOrder>(transaction, self.key).await?;
        Ok(CancelledOrder { deleted_id: id_of::<BookOrder>(self.key), book })
    }
}

/// A price in whole cents. PostgreSQL would round other prices, and SQLite would not.
fn price(Decimal(price): Decimal) -> Result<Number> {
    // Removes trailing zeros and the sign of a zero.
    let price = if price.is_zero() { Number::ZERO } else { price.normalize() };
    if book_order::can_cost(price) {
        return Ok(price);
    }
    let message =
        format!("the price must be 0.00 to {} in whole cents, not {price}", Number::new(book_order::DEAREST, 2));
    Err(Error::client(Code::BadUserInput, message))
}
