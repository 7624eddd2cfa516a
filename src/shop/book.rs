//! `Book`.

use ::entity::book_stats::Column as Stats;
use ::entity::{book, book_stats, id};
use keyset::Kept;
use keyset_graphql::{DateTime, Fields, Keyed, Listed, RowEstimate, RowObject, Scope};
use sea_orm::{EntityTrait, Select};
use uuid::Uuid;

mod filter;
mod sort;

pub use filter::{BookFilter, match_book};
pub use sort::BookSortField;

use super::decimal::Decimal;
use super::key::add_key_fields;
use super::list::{ShopArgs, ShopObject};
use super::node_type::NodeType;
use super::order::BookOrder;
use super::rating::Rating;
use crate::request::Result;

/// A book in the shop.
#[derive(Clone, Copy, Debug)]
pub enum Book {}

impl RowObject for Book {
    type Entity = book::Entity;
    const NAME: &str = "Book";

    fn fields(fields: &mut Fields<Self>) {
        fields.describe("A book in the shop.");
        fields.id(NodeType::Book, "The global id. `node` returns the book with this id.");
        fields.column("name", "The title.", book::Column::Name);
        fields.column("year", "The year of publication. Years before the common era are negative.", book::Column::Year);
        fields.of_key("createdAt", "The time when the book was added, to the millisecond.", |id| {
            DateTime(id::created_at(id))
        });
        add_key_fields(fields);
        fields
            .beside::<book_stats::Entity>(book::Column::Id, book_stats::Column::BookId)
            .computed("averageRating", "The average of the ratings, from 1 to 5. Null if there are none.", |stats| {
                stats.and_then(|stats| stats.average_rating)
            })
            .computed("ratingCount", "The number of ratings.", |stats| stats.map_or(0, |stats| stats.rating_count))
            .computed("totalRevenue", "The sum of the prices of all orders. Null if there are none.", |stats| {
                stats.and_then(|stats| stats.total_revenue).map(Decimal)
            })
            .computed("orderCount", "The number of orders.", |stats| stats.map_or(0, |stats| stats.order_count));
        fields
            .list::<Rating>("ratings", "The ratings of the book.", ::entity::book_rating::Column::BookId)
            .kept(Kept::by_parent(Stats::BookId, Stats::RatingCount));
        fields
            .list::<BookOrder>("orders", "The orders of the book.", ::entity::book_order::Column::BookId)
            .kept(Kept::by_parent(Stats::BookId, Stats::OrderCount));
    }
}

impl Keyed for Book {
    type Key = Uuid;

    fn key_column() -> book::Column {
        book::Column::Id
    }
}

impl Listed for Book {
    type Args = ShopArgs<Self>;

    const FOLLOWS_FROM_ARGS: bool = true;

    fn rows(args: &ShopArgs<Self>, scope: &mut Scope) -> Result<(Select<book::Entity>, keyset::Order)> {
        let (criteria, search) = (args.order_by.criteria(), args.search.as_ref());
        let order = sort::order(criteria, search, scope.backend)?;
        let mut rows = book::Entity::find();
        let by_stats = sort::needs_stats(criteria);
        let is_joined = by_stats || args.filter.filter().is_some_and(BookFilter::needs_stats);
        if is_joined {
            rows = rows.inner_join(book_stats::Entity);
        }
        rows = if by_stats && search.is_none() {
            // The index of the order has the key: a newer book is not looked up.
            args.filtered(rows, book_stats::Column::BookId, &order, scope)?
        } else {
            args.filtered(rows, book::Column::Id, &order, scope)?
        };
        if is_joined && scope.estimate().is_some() {
            scope.narrow(RowEstimate::beside(1));
        }
        let Some(search) = search else { return Ok((rows, order)) };
        // It may find every title.
        scope.narrow(RowEstimate::beside(search.reads()));
        if !order.is_computed() {
            match search.leaps() {
                Some(leaps) if args.filter.filter().is_none() => scope.walk(leaps),
                _ => scope.walk(u64::MAX),
            }
        }
        let as_of = args.as_of.as_ref().map(|DateTime(instant)| *instant);
        Ok(search.find(book::Column::Id, as_of, rows, order, scope.backend))
    }
}

impl ShopObject for Book {
    type SortField = BookSortField;
    type Filter = BookFilter;
    const WITH_TITLE: [&str; 2] = [
        "books whose title",
        "Sorted by `CREATED_AT` and without `where`, a search for one word reads only the rows of the page. The cost of other \
         searches can grow with the number of books.",
    ];
}
