//! `Book`.

use ::entity::{book, id};
use async_graphql::{ID, Object};

use super::date_time::DateTime;
use super::node::{NodeId, NodeType, RowObject};

pub struct Book(book::Model);

impl From<book::Model> for Book {
    fn from(row: book::Model) -> Self {
        Self(row)
    }
}

impl RowObject for Book {
    type Entity = book::Entity;
}

/// A book of the shop.
#[Object]
impl Book {
    /// The global id: `node` finds the book by it.
    pub async fn id(&self) -> ID {
        NodeId { node_type: NodeType::Book, key: self.0.id }.into()
    }

    /// The title.
    async fn name(&self) -> &str {
        &self.0.name
    }

    /// The year of publication; before the common era it is negative.
    async fn year(&self) -> i32 {
        self.0.year
    }

    /// When the book came into the shop, to the millisecond.
    async fn created_at(&self) -> DateTime {
        DateTime(id::created_at(self.0.id))
    }
}
