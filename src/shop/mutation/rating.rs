//! Giving, changing and deleting ratings.

use ::entity::book_rating;
use async_graphql::{Context, ID, InputObject, SimpleObject};
use keyset_graphql::{Edge, Object, Sort};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, Set};
use uuid::Uuid;

use super::created::{Created, Placement};
use super::input::{Input, Problems};
use super::lock::lock_book_of;
use super::of_book::{add_to_book, delete_of_book, of_row};
use super::transaction::Transaction;
use super::write::{Write, WriteError, WriteResult};
use crate::events::Event;
use crate::request::{Code, Error, Result};
use crate::shop::book::Book;
use crate::shop::node_type::{NodeId, NodeType};
use crate::shop::rating::{Rating, RatingSortField};

/// A rating to give a book.
#[derive(InputObject)]
pub struct RateBookInput {
    /// The global id of the book.
    book_id: ID,
    /// Stars: 1 to 5.
    rating: i32,
    /// The order of the list that the new edge is for, as that list has it.
    order_by: Option<Vec<Sort<RatingSortField>>>,
    /// Comes back in the payload.
    client_mutation_id: Option<String>,
}

pub struct RateBook {
    book: Uuid,
    stars: i16,
    placement: Placement<Rating>,
}

pub struct GivenRating {
    created: Created<Rating>,
    book: Object<Book>,
}

impl Input for RateBookInput {
    type Write = RateBook;

    fn client_mutation_id(&self) -> Option<String> {
        self.client_mutation_id.clone()
    }

    fn check(self, context: &Context<'_>, problems: &mut Problems) -> Option<RateBook> {
        let book = problems.key("bookId", &self.book_id, NodeType::Book);
        let stars = problems.check("rating", stars(self.rating));
        let placement = problems.check("orderBy", Placement::new(context, self.order_by));
        Some(RateBook { book: book?, stars: stars?, placement: placement? })
    }
}

impl Write for RateBook {
    type Done = GivenRating;

    async fn run(&self, transaction: &Transaction) -> WriteResult<GivenRating> {
        let row =
            |id, book_id| book_rating::ActiveModel { id: Set(id), rating: Set(self.stars), book_id: Set(book_id) };
        let (created, book) = add_to_book(transaction, &self.placement, self.book, row).await?;
        Ok(GivenRating { created, book })
    }

    fn event(done: &GivenRating) -> Option<Event> {
        Some(Event::RatingAdded(done.created.row().clone()))
    }
}

#[async_graphql::Object]
impl GivenRating {
    /// The rating, and its place in `ratings` under `orderBy`: the same in the list of all and in that of its book.
    async fn rating_edge(&self) -> &Edge<Rating> {
        &self.created.edge
    }

    /// The cursor of the edge before it in the `ratings` of all books; null where it comes first.
    async fn previous_edge_cursor(&self) -> Option<&str> {
        self.created.previous.as_deref()
    }

    /// The cursor of the edge before it in the `ratings` of its book; null where it comes first.
    async fn previous_edge_cursor_of_book(&self) -> Option<&str> {
        self.created.previous_of_book.as_deref()
    }

    /// The book, its mean with this rating in it.
    async fn book(&self) -> &Object<Book> {
        &self.book
    }
}

/// Another number of stars for a rating.
#[derive(InputObject)]
pub struct ChangeRatingInput {
    /// The global id of the rating.
    id: ID,
    /// Stars: 1 to 5.
    rating: i32,
    /// Comes back in the payload.
    client_mutation_id: Option<String>,
}

pub struct ChangeRating {
    key: Uuid,
    stars: i16,
}

#[derive(SimpleObject)]
pub struct ChangedRating {
    /// The rating as it is now.
    rating: Object<Rating>,
    /// The book, its mean with the change in it.
    book: Object<Book>,
}

impl Input for ChangeRatingInput {
    type Write = ChangeRating;

    fn client_mutation_id(&self) -> Option<String> {
        self.client_mutation_id.clone()
    }

    fn check(self, _: &Context<'_>, problems: &mut Problems) -> Option<ChangeRating> {
        let key = problems.key("id", &self.id, NodeType::Rating);
        let stars = problems.check("rating", stars(self.rating));
        Some(ChangeRating { key: key?, stars: stars? })
    }
}

impl Write for ChangeRating {
    type Done = ChangedRating;

    async fn run(&self, transaction: &Transaction) -> WriteResult<ChangedRating> {
        let book = lock_book_of::<Rating>(transaction, self.key).await?;
        let changed = book_rating::Entity::update_many()
            .col_expr(book_rating::Column::Rating, self.stars.into())
            .filter(book_rating::Column::Id.eq(self.key))
            .filter(book_rating::Column::BookId.eq(book.id))
            .exec_with_returning(transaction)
            .await?;
        let row = changed.into_iter().next().ok_or(WriteError::Changed)?;
        let rating = Object::new(row).through(transaction.reader());
        Ok(ChangedRating { rating, book: of_row(transaction, book) })
    }
}

/// The rating to delete.
#[derive(InputObject)]
pub struct DeleteRatingInput {
    /// The global id of the rating.
    id: ID,
    /// Comes back in the payload.
    client_mutation_id: Option<String>,
}

pub struct DeleteRating {
    key: Uuid,
}

#[derive(SimpleObject)]
pub struct DeletedRating {
    /// The global id that it had.
    deleted_id: ID,
    /// The book, its mean without this rating.
    book: Object<Book>,
}

impl Input for DeleteRatingInput {
    type Write = DeleteRating;

    fn client_mutation_id(&self) -> Option<String> {
        self.client_mutation_id.clone()
    }

    fn check(self, _: &Context<'_>, problems: &mut Problems) -> Option<DeleteRating> {
        Some(DeleteRating { key: problems.key("id", &self.id, NodeType::Rating)? })
    }
}

impl Write for DeleteRating {
    type Done = DeletedRating;

    async fn run(&self, transaction: &Transaction) -> WriteResult<DeletedRating> {
        let book = delete_of_book::<Rating>(transaction, self.key).await?;
        Ok(DeletedRating { deleted_id: NodeId { node_type: NodeType::Rating, key: self.key }.into(), book })
    }
}

fn stars(stars: i32) -> Result<i16> {
    let within = i16::try_from(stars).ok().filter(|stars| book_rating::STARS.contains(stars));
    within.ok_or_else(|| Error::client(Code::BadUserInput, format!("a rating is 1 to 5 stars, not {stars}")))
}
