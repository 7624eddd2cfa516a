//! Giving, changing and deleting ratings.

use ::entity::book_rating;
use async_graphql::{Context, ID, InputObject};
use bookends_graphql::{Object, PayloadFields, SortBy};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, Set};
use uuid::Uuid;

use super::created::{Created, Placement};
use super::input::{Input, Problems};
use super::lock::lock_book_of;
use super::of_book::{add_to_book, delete_of_book};
use super::payload::{Done, Payload};
use super::transaction::Transaction;
use super::write::{Write, WriteError, WriteResult};
use crate::events::Event;
use crate::request::{Code, Error, Result};
use crate::shop::book::Book;
use crate::shop::key::id_of;
use crate::shop::rating::Rating;

/// The input of `rateBook`.
#[derive(InputObject)]
pub struct RateBookInput {
    /// The global id of the book.
    book_id: ID,
    /// The number of stars, from 1 to 5.
    rating: i32,
    /// The sort order of the cursors in the payload. Pass the `orderBy` of the client's list. By default, the oldest is first.
    order_by: Option<Vec<SortBy<Rating>>>,
    /// An arbitrary text, which the payload returns.
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
        let book = problems.key::<Book>("bookId", &self.book_id);
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

impl Done for GivenRating {
    const PAYLOAD: &'static str = "RateBookPayload";

    fn fields(fields: &mut PayloadFields<Payload<Self>>) {
        let description = "The new rating, as an edge of `ratings`, sorted by `orderBy`. Its cursor is valid in the list of all \
            ratings, and in that of the book.";
        fields.edge("ratingEdge", description, |payload| &payload.done.created.edge);
        let description =
            "The cursor of the edge before the new one in the list of all ratings. Null if the new edge is the first.";
        fields.value("previousEdgeCursor", description, |payload| payload.done.created.previous.clone());
        let description =
            "The cursor of the edge before the new one in the ratings of the book. Null if the new edge is the first.";
        fields.value("previousEdgeCursorOfBook", description, |payload| payload.done.created.previous_of_book.clone());
        fields.object("book", "The rated book, with its updated average.", |payload| &payload.done.book);
    }
}

/// The input of `changeRating`.
#[derive(InputObject)]
pub struct ChangeRatingInput {
    /// The global id of the rating.
    id: ID,
    /// The new number of stars, from 1 to 5.
    rating: i32,
    /// An arbitrary text, which the payload returns.
    client_mutation_id: Option<String>,
}

pub struct ChangeRating {
    key: Uuid,
    stars: i16,
}

pub struct ChangedRating {
    rating: Object<Rating>,
    book: Object<Book>,
}

impl Done for ChangedRating {
    const PAYLOAD: &'static str = "ChangeRatingPayload";

    fn fields(fields: &mut PayloadFields<Payload<Self>>) {
        fields.object("rating", "The changed rating.", |payload| &payload.done.rating);
        fields.object("book", "The rated book, with its updated average.", |payload| &payload.done.book);
    }
}

impl Input for ChangeRatingInput {
    type Write = ChangeRating;

    fn client_mutation_id(&self) -> Option<String> {
        self.client_mutation_id.clone()
    }

    fn check(self, _: &Context<'_>, problems: &mut Problems) -> Option<ChangeRating> {
        let key = problems.key::<Rating>("id", &self.id);
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
        Ok(ChangedRating { rating: Object::new(row), book: Object::new(book) })
    }
}

/// The input of `deleteRating`.
#[derive(InputObject)]
pub struct DeleteRatingInput {
    /// The global id of the rating.
    id: ID,
    /// An arbitrary text, which the payload returns.
    client_mutation_id: Option<String>,
}

pub struct DeleteRating {
    key: Uuid,
}

pub struct DeletedRating {
    deleted_id: ID,
    book: Object<Book>,
}

impl Done for DeletedRating {
    const PAYLOAD: &'static str = "DeleteRatingPayload";

    fn fields(fields: &mut PayloadFields<Payload<Self>>) {
        fields.value("deletedId", "The global id of the deleted rating.", |payload| payload.done.deleted_id.clone());
        fields.object("book", "The rated book, with its updated average.", |payload| &payload.done.book);
    }
}

impl Input for DeleteRatingInput {
    type Write = DeleteRating;

    fn client_mutation_id(&self) -> Option<String> {
        self.client_mutation_id.clone()
    }

    fn check(self, _: &Context<'_>, problems: &mut Problems) -> Option<DeleteRating> {
        Some(DeleteRating { key: problems.key::<Rating>("id", &self.id)? })
    }
}

impl Write for DeleteRating {
    type Done = DeletedRating;

    async fn run(&self, transaction: &Transaction) -> WriteResult<DeletedRating> {
        let book = delete_of_book::<Rating>(transaction, self.key).await?;
        Ok(DeletedRating { deleted_id: id_of::<Rating>(self.key), book })
    }
}

fn stars(stars: i32) -> Result<i16> {
    let within = i16::try_from(stars).ok().filter(|stars| book_rating::STARS.contains(stars));
    within.ok_or_else(|| Error::client(Code::BadUserInput, format!("the rating must be 1 to 5 stars, not {stars}")))
}
