//! Adding and deleting the ratings and orders of a book.

use bookends_graphql::Object;
use sea_orm::sea_query::LockType;
use sea_orm::{ActiveModelTrait, ColumnTrait, EntityTrait, QueryFilter};
use uuid::Uuid;

use super::created::{Created, Placement};
use super::lock::{OfBook, lock_book, lock_book_of};
use super::transaction::Transaction;
use super::write::{WriteError, WriteResult};
use crate::shop::book::Book;

/// Adds a row to a book, and returns both.
///
/// # Errors
///
/// [`Code::NotFound`](crate::request::Code), for the field `bookId`.
pub async fn add_to_book<T, A>(
    transaction: &Transaction,
    placement: &Placement<T>,
    book: Uuid,
    row: impl FnOnce(Uuid, Uuid) -> A,
) -> WriteResult<(Created<T>, Object<Book>)>
where
    T: OfBook,
    A: ActiveModelTrait<Entity = T::Entity>,
{
    let (key, book) = (transaction.next_key(), lock_book(transaction, book, LockType::KeyShare, "bookId").await?);
    T::Entity::insert(row(key, book.id)).exec_without_returning(transaction).await?;
    let created = placement.find(transaction, key, Some((T::book_id().into(), book.id))).await?;
    Ok((created, Object::new(book)))
}

/// Deletes a row of a book, and returns the book.
///
/// # Errors
///
/// [`Code::NotFound`](crate::request::Code), for the field `id`, which names the row.
pub async fn delete_of_book<T: OfBook>(transaction: &Transaction, key: Uuid) -> WriteResult<Object<Book>> {
    let book = lock_book_of::<T>(transaction, key).await?;
    let row = T::Entity::delete_many().filter(T::key().eq(key)).filter(T::book_id().eq(book.id));
    match row.exec(transaction).await?.rows_affected {
        0 => Err(WriteError::Changed),
        _ => Ok(Object::new(book)),
    }
}
