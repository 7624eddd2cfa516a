//! `Rating`.

use ::entity::{book_rating, id};
use async_graphql::dataloader::DataLoader;
use async_graphql::{Context, ID, Object};
use chrono::{DateTime, Utc};
use sea_orm::DbErr;

use super::book::Book;
use super::error::Result;
use super::loader::Books;
use super::node::{NodeId, NodeType, RowObject};

/// What a reader gave a book.
pub struct Rating(book_rating::Model);

impl From<book_rating::Model> for Rating {
    fn from(row: book_rating::Model) -> Self {
        Self(row)
    }
}

impl RowObject for Rating {
    type Entity = book_rating::Entity;
}

/// What a reader gave a book.
#[Object]
impl Rating {
    /// The global id: `node` finds the rating by it.
    pub async fn id(&self) -> ID {
        NodeId { node_type: NodeType::Rating, key: self.0.id }.into()
    }

    /// Stars: 1 to 5.
    async fn rating(&self) -> i32 {
        self.0.rating.into()
    }

    /// When the rating was given, to the millisecond.
    async fn created_at(&self) -> DateTime<Utc> {
        id::created_at(self.0.id)
    }

    /// The book that was rated.
    async fn book(&self, context: &Context<'_>) -> Result<Book> {
        let books = context.data_unchecked::<DataLoader<Books>>();
        let book = books.load_one(self.0.book_id).await?;
        // The rating was read before its book: in between, both can have been deleted.
        Ok(book.ok_or_else(|| DbErr::RecordNotFound("the book of a rating".into()))?.into())
    }
}
