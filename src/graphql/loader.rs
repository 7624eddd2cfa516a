//! Rows by key, for all objects of a page in one statement.

use std::collections::HashMap;
use std::sync::Arc;

use ::entity::book;
use async_graphql::dataloader::Loader;
use sea_orm::prelude::*;

use crate::db::Db;

/// Books by primary key.
pub struct Books(pub Db);

impl Loader<Uuid> for Books {
    type Value = book::Model;
    type Error = Arc<DbErr>;

    async fn load(&self, ids: &[Uuid]) -> Result<HashMap<Uuid, book::Model>, Arc<DbErr>> {
        let wanted = book::Column::Id.is_in(ids.iter().copied());
        let books = book::Entity::find().filter(wanted).all(&self.0.reader).await?;
        Ok(books.into_iter().map(|book| (book.id, book)).collect())
    }
}
