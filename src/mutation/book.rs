//! Deleting a book with all that it has.

use ::entity::{book, book_order, book_rating};
use async_graphql::{Context, ID, InputObject};
use bookends_server::PayloadFields;
use bookends_server::mutation::{Done, Input, Payload, Problems, Transaction, Write, WriteResult};
use bookends_server::request::{Code, Error};
use sea_orm::sea_query::LockType;
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QuerySelect};
use uuid::Uuid;

use crate::book::Book;
use crate::key::{id_of, key_of};

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
        Some(DeleteBook { key: problems.check("id", key_of::<Book>(&self.id))?, cascade: self.cascade })
    }
}

impl Write for DeleteBook {
    type Done = DeletedBook;

    async fn run(&self, transaction: &Transaction) -> WriteResult<DeletedBook> {
        // From here on nobody rates or orders it. SQLite has one writer at a time and no row locks.
        let book = book::Entity::find_by_id(self.key).lock(LockType::Update).one(transaction).await?;
        book.ok_or_else(|| Error::client(Code::NotFound, "no book has this id").of_field("id"))?;
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
