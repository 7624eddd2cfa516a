//! `Order`.

use std::sync::Arc;

use ::entity::{book_order, id};
use async_graphql::{Context, Enum, ID, InputObject, Object};
use sea_orm::{Condition, EntityTrait, Select};
use uuid::Uuid;

use super::book::{Book, BookFilter, Books, Siblings, of_book};
use super::date_time::DateTime;
use super::decimal::Decimal;
use super::error::Result;
use super::filter::{Comparison, Filter, IdFilter, Logic, Scope, all};
use super::list::List;
use super::node::{NodeId, NodeType};
use super::object::{ByColumns, ListArgs, Listed, OfBook, RowObject, filtered};
use super::once::PerField;

#[derive(Clone)]
pub struct Order {
    pub row: book_order::Model,
    /// The books of the orders that it was read with.
    books: Arc<Books>,
}

/// What orders can be ordered by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Enum)]
pub enum OrderSortField {
    /// When it was placed.
    CreatedAt,
    /// The price of the whole order.
    TotalPrice,
}

/// Conditions on an order: all that are given must hold.
#[derive(Clone, Debug, InputObject)]
pub struct OrderFilter {
    /// The global id.
    id: Option<IdFilter>,
    /// The price of the whole order.
    total_price: Option<Comparison<Decimal>>,
    /// When it was placed.
    created_at: Option<Comparison<DateTime>>,
    /// The book that was bought.
    book: Option<Box<BookFilter>>,
    #[graphql(flatten)]
    logic: Logic<OrderFilter>,
}

/// What a customer paid for a book.
#[Object]
impl Order {
    /// The global id: `node` finds the order by it.
    pub async fn id(&self) -> ID {
        NodeId { node_type: NodeType::Order, key: self.row.id }.into()
    }

    /// The price of the whole order, exact to the cent.
    async fn total_price(&self) -> Decimal {
        Decimal(self.row.total_price)
    }

    /// When the order was placed, to the millisecond.
    async fn created_at(&self) -> DateTime {
        DateTime(id::created_at(self.row.id))
    }

    /// The book that was bought.
    async fn book(&self, context: &Context<'_>) -> Result<&Book> {
        self.books.get(context, self.row.book_id).await
    }
}

impl RowObject for Order {
    type Entity = book_order::Entity;
    type Shared = Books;

    fn key_column() -> book_order::Column {
        book_order::Column::Id
    }

    fn key(&self) -> Uuid {
        self.row.id
    }

    fn share(rows: &[book_order::Model]) -> Books {
        Books::new(rows.iter().map(|row| row.book_id))
    }

    fn new(row: book_order::Model, _: usize, books: Arc<Books>) -> Self {
        Self { row, books }
    }
}

impl Listed for Order {
    type SortField = OrderSortField;
    type Filter = OrderFilter;
    type Own = ();

    fn rows(args: &ListArgs<Self>, scope: &mut Scope) -> Result<(Select<book_order::Entity>, keyset::Order)> {
        Ok((filtered(book_order::Entity::find(), args, scope)?, Self::order(&args.order_by)?))
    }
}

impl ByColumns for Order {
    fn column(field: OrderSortField) -> book_order::Column {
        match field {
            OrderSortField::CreatedAt => book_order::Column::Id,
            OrderSortField::TotalPrice => book_order::Column::TotalPrice,
        }
    }
}

impl OfBook for Order {
    fn book_id() -> book_order::Column {
        book_order::Column::BookId
    }

    fn lists(siblings: &Siblings) -> &PerField<List<Self>> {
        &siblings.orders
    }
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
            book.as_ref().map(|books| of_book(books, book_order::Column::BookId, scope)),
        ])
    }
}
