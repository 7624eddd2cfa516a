//! The lock of the book that a write concerns.
//!
//! A write of a rating or an order locks its book first, as triggers and foreign keys do later. So it cannot deadlock with
//! a deletion of the book. Other ratings of the book are not blocked. SQLite has one writer at a time and no row locks.

use ::entity::book;
use bookends_graphql::RowObject;
use sea_orm::sea_query::LockType;
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QuerySelect};
use uuid::Uuid;

use super::transaction::Transaction;
use super::write::{WriteError, WriteResult};
use crate::request::{Code, Error};
use crate::shop::order::BookOrder;
use crate::shop::rating::Rating;

/// An object that belongs to a book.
pub trait OfBook: RowObject {
    /// The primary key.
    fn key() -> ColumnOf<Self>;

    /// The column that refers to the book.
    fn book_id() -> ColumnOf<Self>;
}

/// A column of an object's table.
pub type ColumnOf<T> = <<T as RowObject>::Entity as EntityTrait>::Column;

impl OfBook for Rating {
    fn key() -> ColumnOf<Self> {
        ::entity::book_rating::Column::Id
    }

    fn book_id() -> ColumnOf<Self> {
        ::entity::book_rating::Column::BookId
    }
}

impl OfBook for BookOrder {
    fn key() -> ColumnOf<Self> {
        ::entity::book_order::Column::Id
    }

    fn book_id() -> ColumnOf<Self> {
        ::entity::book_order::Column::BookId
    }
}

/// Locks the book with this key.
///
/// # Errors
///
/// [`Code::NotFound`], for the field that names it.
pub async fn lock_book(
    transaction: &Transaction,
    key: Uuid,
    how: LockType,
    field: &'static str,
) -> WriteResult<book::Model> {
    let book = book::Entity::find_by_id(key).lock(how).one(transaction).await?;
    book.ok_or_else(|| not_found("book", field))
}

/// Locks the book of a row. The row itself can still move to another book: name both when you write it.
///
/// # Errors
///
/// [`Code::NotFound`], for the field `id`, which names the row.
pub async fn lock_book_of<T: OfBook>(transaction: &Transaction, key: Uuid) -> WriteResult<book::Model> {
    let book = T::Entity::find().select_only().column(T::book_id()).filter(T::key().eq(key));
    let book: Option<Uuid> = book.into_tuple().one(transaction).await?;
    let book = book.ok_or_else(|| not_found(T::NAME, "id"))?;
    let book = book::Entity::find_by_id(book).lock(LockType::KeyShare).one(transaction).await?;
    // The row was deleted with its book, or moved to another one.
    book.ok_or(WriteError::Changed)
}

fn not_found(what: &str, field: &'static str) -> WriteError {
    Error::client(Code::NotFound, format!("no {} has this id", what.to_lowercase())).of_field(field).into()
}
