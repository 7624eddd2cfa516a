//! `Rating`.

use std::sync::Arc;

use ::entity::{book_rating, id};
use async_graphql::{Context, Enum, ID, InputObject, Object};
use sea_orm::{Condition, EntityTrait, Select};
use uuid::Uuid;

use super::book::{Book, BookFilter, Books, Siblings, of_book};
use super::date_time::DateTime;
use super::error::Result;
use super::filter::{Comparison, Filter, IdFilter, Logic, Scope, all};
use super::list::List;
use super::node::{NodeId, NodeType};
use super::object::{ByColumns, ListArgs, Listed, OfBook, RowObject, filtered};
use super::once::PerField;

#[derive(Clone)]
pub struct Rating {
    pub row: book_rating::Model,
    /// The books of the ratings that it was read with.
    books: Arc<Books>,
}

/// What ratings can be ordered by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Enum)]
pub enum RatingSortField {
    /// When it was given.
    CreatedAt,
    /// The stars.
    Rating,
}

/// Conditions on a rating: all that are given must hold.
#[derive(Clone, Debug, InputObject)]
pub struct RatingFilter {
    /// The global id.
    id: Option<IdFilter>,
    /// The stars.
    rating: Option<Comparison<i32>>,
    /// When it was given.
    created_at: Option<Comparison<DateTime>>,
    /// The book that was rated.
    book: Option<Box<BookFilter>>,
    #[graphql(flatten)]
    logic: Logic<RatingFilter>,
}

/// What a reader gave a book.
#[Object]
impl Rating {
    /// The global id: `node` finds the rating by it.
    pub async fn id(&self) -> ID {
        NodeId { node_type: NodeType::Rating, key: self.row.id }.into()
    }

    /// Stars: 1 to 5.
    async fn rating(&self) -> i32 {
        self.row.rating.into()
    }

    /// When the rating was given, to the millisecond.
    async fn created_at(&self) -> DateTime {
        DateTime(id::created_at(self.row.id))
    }

    /// The book that was rated.
    async fn book(&self, context: &Context<'_>) -> Result<&Book> {
        self.books.get(context, self.row.book_id).await
    }
}

impl RowObject for Rating {
    type Entity = book_rating::Entity;
    type Shared = Books;

    fn key_column() -> book_rating::Column {
        book_rating::Column::Id
    }

    fn key(&self) -> Uuid {
        self.row.id
    }

    fn share(rows: &[book_rating::Model]) -> Books {
        Books::new(rows.iter().map(|row| row.book_id))
    }

    fn new(row: book_rating::Model, _: usize, books: Arc<Books>) -> Self {
        Self { row, books }
    }
}

impl Listed for Rating {
    type SortField = RatingSortField;
    type Filter = RatingFilter;
    type Own = ();

    fn rows(args: &ListArgs<Self>, scope: &mut Scope) -> Result<(Select<book_rating::Entity>, keyset::Order)> {
        Ok((filtered(book_rating::Entity::find(), args, scope)?, Self::order(&args.order_by)?))
    }
}

impl ByColumns for Rating {
    fn column(field: RatingSortField) -> book_rating::Column {
        match field {
            RatingSortField::CreatedAt => book_rating::Column::Id,
            RatingSortField::Rating => book_rating::Column::Rating,
        }
    }
}

impl OfBook for Rating {
    fn book_id() -> book_rating::Column {
        book_rating::Column::BookId
    }

    fn lists(siblings: &Siblings) -> &PerField<List<Self>> {
        &siblings.ratings
    }
}

impl Filter for RatingFilter {
    fn logic(&self) -> &Logic<Self> {
        &self.logic
    }

    fn fields(&self, scope: &mut Scope) -> Result<Condition> {
        let Self { id, rating, created_at, book, logic: _ } = self;
        all([
            id.as_ref().map(|ids| ids.on(book_rating::Column::Id, NodeType::Rating, scope)),
            rating.as_ref().map(|stars| stars.on(book_rating::Column::Rating, scope)),
            created_at.as_ref().map(|instants| instants.on_key(book_rating::Column::Id, scope)),
            book.as_ref().map(|books| of_book(books, book_rating::Column::BookId, scope)),
        ])
    }
}
