//! The book that a write is about, kept as it is until the write is committed.
//!
//! Whatever writes a rating or an order locks its book first, as the triggers and the foreign keys will: so it waits
//! for a deletion of the book and a deletion for it, never in a circle. Others may rate it at the same time. SQLite has
//! one writer at a time and no locks.

use ::entity::book;
use sea_orm::sea_query::LockType;
use sea_orm::{ColumnTrait, DatabaseTransaction, EntityTrait, QueryFilter, QuerySelect};
use uuid::Uuid;

use super::write::{WriteError, WriteResult};
use crate::graphql::code::Code;
use crate::graphql::error::Error;
use crate::graphql::object::OfBook;

/// The book with this key.
///
/// # Errors
///
/// [`Code::NotFound`], of the field that names it.
pub async fn lock_book(
    transaction: &DatabaseTransaction,
    key: Uuid,
    how: LockType,
    field: &'static str,
) -> WriteResult<book::Model> {
    let book = book::Entity::find_by_id(key).lock(how).one(transaction).await?;
    book.ok_or_else(|| not_found("book", field))
}

/// The book of a row. The row itself can still go to another one: whoever writes it names both.
///
/// # Errors
///
/// [`Code::NotFound`], of the field `id`, which names the row.
pub async fn lock_book_of<T: OfBook>(transaction: &DatabaseTransaction, key: Uuid) -> WriteResult<book::Model> {
    let book = T::Entity::find().select_only().column(T::book_id()).filter(T::key_column().eq(key));
    let book: Option<Uuid> = book.into_tuple().one(transaction).await?;
    let book = book.ok_or_else(|| not_found(&T::type_name(), "id"))?;
    let book = book::Entity::find_by_id(book).lock(LockType::KeyShare).one(transaction).await?;
    // The row went with it, or has gone to another.
    book.ok_or(WriteError::Changed)
}

/// There is none, or no more.
fn not_found(what: &str, field: &'static str) -> WriteError {
    Error::client(Code::NotFound, format!("there is no such {}", what.to_lowercase())).of_field(field).into()
}
