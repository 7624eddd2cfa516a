//! `Book`.

use ::entity::book_stats::Column as Stats;
use ::entity::{book, book_stats, id};
use keyset::Kept;
use keyset_graphql::input::InputFields;
use keyset_graphql::{Arguments, DateTime, Fields, Keyed, ListArgs, Listed, Reach, RowObject, Scope};
use sea_orm::{EntityTrait, QueryFilter, Select};
use uuid::Uuid;

mod filter;
mod search;
mod sort;

pub use filter::{BookFilter, of_book};
pub use sort::BookSortField;

use search::Search;

use super::decimal::Decimal;
use super::list::{ShopArgs, ShopObject};
use super::node::key_fields;
use super::node_type::NodeType;
use super::order::BookOrder;
use super::rating::Rating;
use crate::request::Result;

/// A book of the shop.
#[derive(Clone, Copy, Debug)]
pub enum Book {}

impl RowObject for Book {
    type Entity = book::Entity;
    const NAME: &str = "Book";

    fn fields(fields: &mut Fields<Self>) {
        fields.describe("A book of the shop.");
        fields.id(NodeType::Book, "The global id: `node` finds the book by it.");
        fields.column("name", "The title.", |book| &book.name);
        fields.column("year", "The year of publication; before the common era it is negative.", |book| &book.year);
        fields.computed("createdAt", "When the book came into the shop, to the millisecond.", |book| {
            DateTime(id::created_at(book.id))
        });
        key_fields(fields);
        fields
            .beside::<book_stats::Entity>(book::Column::Id, book_stats::Column::BookId)
            .computed("averageRating", "The mean of its ratings, 1 to 5; null without one.", |stats| {
                stats.and_then(|stats| stats.average_rating)
            })
            .computed("ratingCount", "How many ratings it has.", |stats| stats.map_or(0, |stats| stats.rating_count))
            .computed("totalRevenue", "What its orders brought in; null without one.", |stats| {
                stats.and_then(|stats| stats.total_revenue).map(Decimal)
            })
            .computed("orderCount", "How many orders it has.", |stats| stats.map_or(0, |stats| stats.order_count));
        fields
            .list::<Rating>("ratings", "The ratings of this book.", ::entity::book_rating::Column::BookId)
            .kept(Kept::by_parent(Stats::BookId, Stats::RatingCount));
        fields
            .list::<BookOrder>("orders", "The orders of this book.", ::entity::book_order::Column::BookId)
            .kept(Kept::by_parent(Stats::BookId, Stats::OrderCount));
    }
}

impl Keyed for Book {
    type Key = Uuid;

    fn key_column() -> book::Column {
        book::Column::Id
    }

    fn key(row: &book::Model) -> Uuid {
        row.id
    }
}

impl Listed for Book {
    type Args = ShopArgs<Self>;

    fn rows(args: &ShopArgs<Self>, scope: &mut Scope) -> Result<(Select<book::Entity>, keyset::Order)> {
        let search = args.own.0.as_deref().map(Search::parse).transpose()?.flatten();
        let order = sort::order(args.order_by.criteria(), search.as_ref(), scope.backend)?;
        let mut rows = book::Entity::find();
        if sort::needs_stats(args.order_by.criteria()) || args.filter.filter().is_some_and(BookFilter::needs_stats) {
            rows = rows.inner_join(book_stats::Entity);
        }
        rows = args.filtered(rows, scope)?;
        if let Some(search) = search {
            // It may find every title.
            scope.narrow(Reach::beside(1));
            rows = rows.filter(search.condition(scope.backend));
        }
        Ok((rows, order))
    }
}

impl ShopObject for Book {
    type SortField = BookSortField;
    type Filter = BookFilter;
    type Own = SearchText;
}

/// The argument that only lists of books have.
#[derive(Default)]
pub struct SearchText(Option<String>);

impl ListArgs for SearchText {
    fn describe(arguments: &mut InputFields<'_>) {
        arguments.field::<Option<String>>(
            "search",
            "Only books whose title has all of these: words, \"quoted phrases\", and beginnings of words, `symph*`; case \
             and diacritics do not matter. At most 200 characters; a blank text is an absent one. A page of a search \
             costs as much as the search finds books.",
        );
    }

    fn read(arguments: &Arguments<'_>) -> Result<Self> {
        arguments.get("search").map(Self)
    }
}
