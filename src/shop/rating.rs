//! `Rating`.

use ::entity::{book_rating, id};
use async_graphql::Enum;
use keyset_graphql::{DateTime, Fields, Keyed, Listed, RowObject, Scope, SortField, sort};
use sea_orm::{EntityTrait, Select};
use uuid::Uuid;

mod filter;

pub use filter::RatingFilter;

use super::book::Book;
use super::key::add_key_fields;
use super::list::{ShopArgs, ShopObject};
use super::node_type::NodeType;
use crate::request::Result;

/// A reader's rating of a book.
#[derive(Clone, Copy, Debug)]
pub enum Rating {}

/// The fields by which ratings can be sorted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Enum)]
pub enum RatingSortField {
    /// The time when the rating was added.
    CreatedAt,
    /// The number of stars.
    Rating,
}

impl RowObject for Rating {
    type Entity = book_rating::Entity;
    const NAME: &str = "Rating";

    fn fields(fields: &mut Fields<Self>) {
        fields.describe("A reader's rating of a book.");
        fields.id(NodeType::Rating, "The global id. `node` returns the rating with this id.");
        fields.column("rating", "The number of stars, from 1 to 5.", book_rating::Column::Rating);
        fields.of_key("createdAt", "The time when the rating was added, to the millisecond.", |id| {
            DateTime(id::created_at(id))
        });
        add_key_fields(fields);
        fields.to_one::<Book>("book", "The rated book.", book_rating::Column::BookId);
    }
}

impl Keyed for Rating {
    type Key = Uuid;

    fn key_column() -> book_rating::Column {
        book_rating::Column::Id
    }
}

impl Listed for Rating {
    type Args = ShopArgs<Self>;

    const FOLLOWS_FROM_ARGS: bool = true;

    fn rows(args: &ShopArgs<Self>, scope: &mut Scope) -> Result<(Select<book_rating::Entity>, keyset::Order)> {
        let order = sort::by_columns::<book_rating::Entity, _>(&args.order_by)?;
        let rows = args.filtered(book_rating::Entity::find(), book_rating::Column::Id, &order, scope)?;
        Ok(args.searched(book_rating::Column::BookId, rows, order, scope))
    }
}

impl ShopObject for Rating {
    type SortField = RatingSortField;
    type Filter = RatingFilter;
    const WITH_TITLE: [&str; 2] = ["ratings of a book whose title", "A search can read the whole list."];
}

impl SortField for RatingSortField {
    type Column = book_rating::Column;
}

impl From<RatingSortField> for book_rating::Column {
    fn from(field: RatingSortField) -> Self {
        match field {
            RatingSortField::CreatedAt => Self::Id,
            RatingSortField::Rating => Self::Rating,
        }
    }
}
