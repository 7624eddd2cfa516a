//! `Rating`.

use ::entity::book_rating;
use bookends_server::{ObjectType, RowObject};

use super::key::add_key_fields;
use super::search::SearchArgument;

/// A reader's rating of a book.
#[derive(Clone, Copy, Debug)]
pub enum Rating {}

impl RowObject for Rating {
    type Entity = book_rating::Entity;
    const NAME: &str = "Rating";
}

/// The type `Rating`. Its tag is part of every id that a client has stored.
pub fn object() -> ObjectType {
    let mut rating = ObjectType::named::<Rating>();
    rating.describe("A reader's rating of a book.");
    rating.id(2).describe("The global id. `node` returns the rating with this id.");
    rating.column(book_rating::Column::Rating).describe("The number of stars, from 1 to 5.");
    rating.created_at("createdAt").describe("The time when the rating was added, to the millisecond.");
    add_key_fields(&mut rating);
    rating.to_one("book", "Book", &[book_rating::Column::BookId.into()]).describe("The rated book.");
    rating.describe_sorts("The fields by which ratings can be sorted.").describe_order(crate::app::ORDER_BY).as_of();
    rating.argument(SearchArgument::of("ratings", book_rating::Column::BookId));
    rating
}
