//! Adding, changing and deleting books.

use ::entity::{book, book_order, book_rating};
use async_graphql::{Context, ID, InputObject};
use bookends_graphql::{Object, PayloadFields, SortBy};
use sea_orm::sea_query::LockType;
use sea_orm::{ActiveModelTrait, ColumnTrait, EntityTrait, QueryFilter, Set};
use uuid::Uuid;

use super::created::{Created, Placement};
use super::input::{Input, Problems};
use super::lock::lock_book;
use super::payload::{Done, Payload};
use super::title::title;
use super::transaction::Transaction;
use super::write::{Write, WriteResult};
use crate::request::{Code, Error, Result};
use crate::shop::book::Book;
use crate::shop::key::id_of;

/// The years that a book can be of.
const YEARS: std::ops::RangeInclusive<i32> = -9999..=9999;

/// The input of `addBook`.
#[derive(InputObject)]
pub struct AddBookInput {
    /// The title: 1 to 100 characters, at most 300 bytes in UTF-8. It must contain a visible character, and no control
    /// characters. The server removes white space around it, and normalizes it to NFC.
    name: String,
    /// The year of publication, from -9999 to 9999. Years before the common era are negative.
    year: i32,
    /// The sort order of the cursors in the payload. Pass the `orderBy` of the client's list. By default, the oldest is first.
    order_by: Option<Vec<SortBy<Book>>>,
    /// An arbitrary text, which the payload returns.
    client_mutation_id: Option<String>,
}

pub struct AddBook {
    name: String,
    year: i32,
    placement: Placement<Book>,
}

pub struct AddedBook(Created<Book>);

impl Input for AddBookInput {
    type Write = AddBook;

    fn client_mutation_id(&self) -> Option<String> {
        self.client_mutation_id.clone()
    }

    fn check(self, context: &Context<'_>, problems: &mut Problems) -> Option<AddBook> {
        let name = problems.check("name", title(&self.name));
        let year = problems.check("year", year(self.year));
        let placement = problems.check("orderBy", Placement::new(context, self.order_by));
        Some(AddBook { name: name?, year: year?, placement: placement? })
    }
}

impl Write for AddBook {
    type Done = AddedBook;

    async fn run(&self, transaction: &Transaction) -> WriteResult<AddedBook> {
        let key = transaction.next_key();
        let row = book::ActiveModel { id: Set(key), name: Set(self.name.clone()), year: Set(self.year) };
        book::Entity::insert(row).exec_without_returning(transaction).await?;
        Ok(AddedBook(self.placement.find(transaction, key, None).await?))
    }
}

impl Done for AddedBook {
    const PAYLOAD: &'static str = "AddBookPayload";

    fn fields(fields: &mut PayloadFields<Payload<Self>>) {
        let description = "The new book, as an edge of `books`, sorted by `orderBy`.";
        fields.edge("bookEdge", description, |payload| &payload.done.0.edge);
        let description = "The cursor of the edge before the new one in `books`. Null if the new edge is the first.";
        fields.value("previousEdgeCursor", description, |payload| payload.done.0.previous.clone());
    }
}

/// The input of `updateBook`.
#[derive(InputObject)]
pub struct UpdateBookInput {
    /// The global id of the book.
    id: ID,
    /// The new title, with the limits of `AddBookInput`. If null, the title does not change.
    name: Option<String>,
    /// The new year of publication, from -9999 to 9999. If null, the year does not change.
    year: Option<i32>,
    /// An arbitrary text, which the payload returns.
    client_mutation_id: Option<String>,
}

pub struct UpdateBook {
    key: Uuid,
    name: Option<String>,
    year: Option<i32>,
}

pub struct UpdatedBook {
    book: Object<Book>,
}

impl Done for UpdatedBook {
    const PAYLOAD: &'static str = "UpdateBookPayload";

    fn fields(fields: &mut PayloadFields<Payload<Self>>) {
        fields.object("book", "The updated book.", |payload| &payload.done.book);
    }
}

impl Input for UpdateBookInput {
    type Write = UpdateBook;

    fn client_mutation_id(&self) -> Option<String> {
        self.client_mutation_id.clone()
    }

    fn check(self, _: &Context<'_>, problems: &mut Problems) -> Option<UpdateBook> {
        let key = problems.key::<Book>("id", &self.id);
        let name = problems.check("name", self.name.as_deref().map(title).transpose());
        let year = problems.check("year", self.year.map(year).transpose());
        Some(UpdateBook { key: key?, name: name?, year: year? })
    }
}

impl Write for UpdateBook {
    type Done = UpdatedBook;

    async fn run(&self, transaction: &Transaction) -> WriteResult<UpdatedBook> {
        let mut row = lock_book(transaction, self.key, LockType::NoKeyUpdate, "id").await?;
        row.name = self.name.clone().unwrap_or(row.name);
        row.year = self.year.unwrap_or(row.year);
        let changed = book::ActiveModel { id: Set(row.id), name: Set(row.name), year: Set(row.year) };
        let row = changed.update(transaction).await?;
        Ok(UpdatedBook { book: Object::new(row) })
    }
}

/// The input of `deleteBook`.
#[derive(InputObject)]
pub struct DeleteBookInput {
    /// The global id of the book.
    id: ID,
    /// Whether to delete the ratings and orders of the book, too. If false, a book with ratings or orders is not deleted.
    #[graphql(default)]
    cascade: bool,
    /// An arbitrary text, which the payload returns.
    client_mutation_id: Option<String>,
}

pub struct DeleteBook {
    key: Uuid,
    cascade: bool,
}

pub struct DeletedBook {
    deleted_id: ID,
}

impl Done for DeletedBook {
    const PAYLOAD: &'static str = "DeleteBookPayload";

    fn fields(fields: &mut PayloadFields<Payload<Self>>) {
        fields.value("deletedId", "The global id of the deleted book.", |payload| payload.done.deleted_id.clone());
    }
}

impl Input for DeleteBookInput {
    type Write = DeleteBook;

    fn client_mutation_id(&self) -> Option<String> {
        self.client_mutation_id.clone()
    }

    fn check(self, _: &Context<'_>, problems: &mut Problems) -> Option<DeleteBook> {
        Some(DeleteBook { key: problems.key::<Book>("id", &self.id)?, cascade: self.cascade })
    }
}

impl Write for DeleteBook {
    type Done = DeletedBook;

    async fn run(&self, transaction: &Transaction) -> WriteResult<DeletedBook> {
        // From here on nobody rates or orders it.
        lock_book(transaction, self.key, LockType::Update, "id").await?;
        let ratings = book_rating::Column::BookId.eq(self.key);
        let orders = book_order::Column::BookId.eq(self.key);
        if self.cascade {
            book_rating::Entity::delete_many().filter(ratings).exec(transaction).await?;
            book_order::Entity::delete_many().filter(orders).exec(transaction).await?;
        } else {
            let rating = book_rating::Entity::find().filter(ratings).one(transaction).await?;
            let order = book_order::Entity::find().filter(orders).one(transaction).await?;
            if rating.is_some() || order.is_some() {
                let message = "the book has ratings or orders: set `cascade: true` to delete them too";
                return Err(Error::client(Code::InUse, message).of_field("cascade").into());
            }
        }
        book::Entity::delete_by_id(self.key).exec(transaction).await?;
        Ok(DeletedBook { deleted_id: id_of::<Book>(self.key) })
    }
}

fn year(year: i32) -> Result<i32> {
    if YEARS.contains(&year) {
        return Ok(year);
    }
    Err(Error::client(Code::BadUserInput, format!("the year must be {} to {}, not {year}", YEARS.start(), YEARS.end())))
}
