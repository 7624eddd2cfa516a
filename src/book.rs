//! `Book`.

use ::entity::book_stats::Column as Stats;
use ::entity::{book, book_order, book_rating, book_stats};
use bookends_server::{ObjectType, RowObject};
use keyset::Kept;

use super::key::add_key_fields;
use super::search::SearchArgument;

/// A book in the shop.
#[derive(Clone, Copy, Debug)]
pub enum Book {}

impl RowObject for Book {
    type Entity = book::Entity;
    const NAME: &str = "Book";
}

const SORTS: &str = "\
The fields by which books can be sorted.

With `search`, every sort order is allowed. Without it, a sort order needs an index, so that all pages cost the same. These
have one: `CREATED_AT`, `NAME`, `YEAR`, `YEAR` then `NAME`, `AVERAGE_RATING`, `RATING_COUNT`, `TOTAL_REVENUE` and
`ORDER_COUNT`. `CREATED_AT` can follow each of them. Each field can have either direction.";

/// The orders that have an index.
///
/// `YEAR` with `AVERAGE_RATING` is not among them: it needs the year in the table of the sums, and four indexes there, which
/// every rating would change. With those of the other orders, a rating changes nine already.
const OFFERED: &[&[&str]] = &[
    &["NAME"],
    &["YEAR"],
    &["YEAR", "NAME"],
    &["AVERAGE_RATING"],
    &["RATING_COUNT"],
    &["TOTAL_REVENUE"],
    &["ORDER_COUNT"],
];

/// The type `Book`. Its tag is part of every id that a client has stored.
pub fn object() -> ObjectType {
    let mut book = ObjectType::named::<Book>();
    book.describe("A book in the shop.");
    book.id(1).describe("The global id. `node` returns the book with this id.");
    book.column(book::Column::Name).by_code_point().describe("The title.");
    book.column(book::Column::Year).describe("The year of publication. Years before the common era are negative.");
    book.created_at("createdAt").describe("The time when the book was added, to the millisecond.");
    add_key_fields(&mut book);

    let mut stats = book.beside::<book_stats::Entity>(book::Column::Id, Stats::BookId);
    stats.column(Stats::AverageRating).describe("The average of the ratings, from 1 to 5. Null if there are none.");
    stats.column_or(Stats::RatingCount, 0).describe("The number of ratings.");
    stats.column(Stats::TotalRevenue).describe("The sum of the prices of all orders. Null if there are none.");
    stats.column_or(Stats::OrderCount, 0).describe("The number of orders.");

    book.list("ratings", "Rating", book_rating::Column::BookId)
        .describe("The ratings of the book.")
        .kept(Kept::by_parent(Stats::BookId, Stats::RatingCount));
    book.list("orders", "Order", book_order::Column::BookId)
        .describe("The orders of the book.")
        .kept(Kept::by_parent(Stats::BookId, Stats::OrderCount));
    book.orders(OFFERED).describe_sorts(SORTS).describe_order(crate::app::ORDER_BY).as_of();
    book.argument(SearchArgument::of_books());
    book
}
