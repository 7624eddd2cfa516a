//! The conditions on a rating.

use ::entity::book_rating;
use async_graphql::InputObject;
use keyset_graphql::filter::all;
use keyset_graphql::{Comparison, DateTime, Filter, IdFilter, Logic, Scope};
use sea_orm::Condition;

use crate::request::Result;
use crate::shop::book::{BookFilter, match_book};
use crate::shop::node_type::NodeType;

/// Conditions on a rating. All given conditions must match. A null condition is ignored.
#[derive(Clone, Debug, InputObject)]
pub struct RatingFilter {
    /// The global id.
    id: Option<IdFilter>,
    /// The number of stars.
    rating: Option<Comparison<i32>>,
    /// The time when the rating was added.
    created_at: Option<Comparison<DateTime>>,
    /// The rated book.
    book: Option<Box<BookFilter>>,
    #[graphql(flatten)]
    logic: Logic<RatingFilter>,
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
            book.as_ref().map(|books| match_book(books, book_rating::Column::BookId, scope)),
        ])
    }
}
