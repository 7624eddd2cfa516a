//! `Rating`.

use ::entity::{book, book_rating, id};
use async_graphql::dataloader::DataLoader;
use async_graphql::{Context, ID, Object};
use sea_orm::DbErr;

use super::book::Book;
use super::connection::selects;
use super::date_time::DateTime;
use super::error::Result;
use super::loader::Books;
use super::node::{NodeId, NodeType, RowObject};

pub struct Rating {
    row: book_rating::Model,
    /// Read with the page, where it is selected.
    book: Option<book::Model>,
}

impl From<book_rating::Model> for Rating {
    fn from(row: book_rating::Model) -> Self {
        Self { row, book: None }
    }
}

impl RowObject for Rating {
    type Entity = book_rating::Entity;

    async fn prepare(context: &Context<'_>, ratings: &mut [Self]) -> Result<()> {
        if selects(context, "book") {
            let keys = ratings.iter().map(|rating| rating.row.book_id);
            let books = context.data_unchecked::<DataLoader<Books>>().load_many(keys).await?;
            for rating in ratings {
                rating.book = books.get(&rating.row.book_id).cloned();
            }
        }
        Ok(())
    }
}

/// What a reader gave a book.
#[Object]
impl Rating {
    /// The global id: `node` finds the rating by it.
    pub async fn id(&self) -> ID {
        NodeId { node_type: NodeType::Rating, key: self.row.id }.into()
    }

    /// Stars: 1 to 5.
    async fn rating(&self) -> i32 {
        self.row.rating.into()
    }

    /// When the rating was given, to the millisecond.
    async fn created_at(&self) -> DateTime {
        DateTime(id::created_at(self.row.id))
    }

    /// The book that was rated.
    async fn book(&self, context: &Context<'_>) -> Result<Book> {
        let book = match &self.book {
            Some(book) => Some(book.clone()),
            None => context.data_unchecked::<DataLoader<Books>>().load_one(self.row.book_id).await?,
        };
        // The rating was read before its book: in between, both can have been deleted.
        Ok(book.ok_or_else(|| DbErr::RecordNotFound("the book of a rating".into()))?.into())
    }
}
