//! The rows of a book, its ratings and orders: how they are added and deleted, and what becomes of the book.

use ::entity::{book, book_stats, id};
use sea_orm::sea_query::LockType;
use sea_orm::{ActiveModelTrait, ColumnTrait, DatabaseTransaction, EntityTrait, QueryFilter};
use uuid::Uuid;

use super::created::{Created, Placement};
use super::lock::{lock_book, lock_book_of};
use super::write::{WriteError, WriteResult};
use crate::graphql::book::{Book, Books};
use crate::graphql::object::{Listed, OfBook};

/// Adds a row to a book, and finds both as they are then.
///
/// # Errors
///
/// [`Code::NotFound`](crate::graphql::Code), of the field `bookId`.
pub async fn add_to_book<T, A>(
    transaction: &DatabaseTransaction,
    placement: &Placement<T>,
    book: Uuid,
    row: impl FnOnce(Uuid, Uuid) -> A,
) -> WriteResult<(Created<T>, Book)>
where
    T: OfBook<Shared = Books> + Listed<Own: Default>,
    A: ActiveModelTrait<Entity = T::Entity>,
{
    let (key, book) = (id::next(), lock_book(transaction, book, LockType::KeyShare, "bookId").await?);
    T::Entity::insert(row(key, book.id)).exec_without_returning(transaction).await?;
    let of_book = Some((T::book_id(), book.id));
    let book = with_sums(transaction, book).await?;
    let created = placement.find(transaction, key, of_book, |_| Books::one(book.clone())).await?;
    Ok((created, book))
}

/// Deletes a row of a book; the book without it.
///
/// # Errors
///
/// [`Code::NotFound`](crate::graphql::Code), of the field `id`, which names the row.
pub async fn delete_of_book<T: OfBook>(transaction: &DatabaseTransaction, key: Uuid) -> WriteResult<Book> {
    let book = lock_book_of::<T>(transaction, key).await?;
    let row = T::Entity::delete_many().filter(T::key_column().eq(key)).filter(T::book_id().eq(book.id));
    match row.exec(transaction).await?.rows_affected {
        0 => Err(WriteError::Changed),
        _ => with_sums(transaction, book).await,
    }
}

/// The book as it is at the end of the transaction, with its sums.
pub async fn with_sums(transaction: &DatabaseTransaction, row: book::Model) -> WriteResult<Book> {
    let sums = book_stats::Entity::find_by_id(row.id).one(transaction).await?;
    Ok(Book::with_sums(row, sums))
}
