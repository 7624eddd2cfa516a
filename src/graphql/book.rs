//! `Book`.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use ::entity::{book, book_stats, id};
use async_graphql::{Context, ID, Object};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, Select};
use ulid::Ulid;
use uuid::Uuid;

mod filter;
mod search;
mod sort;

use search::Search;

pub use filter::{BookFilter, of_book};
pub use sort::BookSortField;

use super::code::Code;
use super::date_time::DateTime;
use super::decimal::Decimal;
use super::error::{Error, Result};
use super::filter::Scope;
use super::list::{List, reader};
use super::lists::BookLists;
use super::node::{NodeId, NodeType};
use super::object::{ListArgs, Listed, RowObject, filtered};
use super::once::{Once, PerField};
use super::order::Order;
use super::rating::Rating;

#[derive(Clone)]
pub struct Book {
    row: book::Model,
    /// The place of this book among its siblings.
    pub place: usize,
    pub siblings: Arc<Siblings>,
}

/// What books that were read together share.
#[derive(Default)]
pub struct Siblings {
    pub keys: Vec<Uuid>,
    stats: Once<HashMap<Uuid, book_stats::Model>>,
    pub ratings: PerField<List<Rating>>,
    pub orders: PerField<List<Order>>,
}

impl Siblings {
    /// What a book by itself shares with none, its sums being known; none where it has no ratings and no orders.
    pub fn one(key: Uuid, sums: Option<book_stats::Model>) -> Self {
        let stats = Once::new(sums.into_iter().map(|sums| (sums.book_id, sums)).collect());
        Self { keys: vec![key], stats, ..Self::default() }
    }
}

/// A book of the shop.
#[Object]
impl Book {
    /// The global id: `node` finds the book by it.
    pub async fn id(&self) -> ID {
        NodeId { node_type: NodeType::Book, key: self.row.id }.into()
    }

    /// The title.
    async fn name(&self) -> &str {
        &self.row.name
    }

    /// The year of publication; before the common era it is negative.
    async fn year(&self) -> i32 {
        self.row.year
    }

    /// When the book came into the shop, to the millisecond.
    async fn created_at(&self) -> DateTime {
        DateTime(id::created_at(self.row.id))
    }

    /// The book's primary key as a ULID: 26 characters that sort by the time of creation. `book(uuid:)` finds the book
    /// by it.
    async fn ulid(&self) -> String {
        Ulid::from(self.row.id).to_string()
    }

    /// The mean of its ratings, 1 to 5; null without one.
    async fn average_rating(&self, context: &Context<'_>) -> Result<Option<f64>> {
        Ok(self.stats(context).await?.and_then(|stats| stats.average_rating))
    }

    /// How many ratings it has.
    async fn rating_count(&self, context: &Context<'_>) -> Result<i32> {
        Ok(self.stats(context).await?.map_or(0, |stats| stats.rating_count))
    }

    /// What its orders brought in; null without one.
    async fn total_revenue(&self, context: &Context<'_>) -> Result<Option<Decimal>> {
        Ok(self.stats(context).await?.and_then(|stats| stats.total_revenue).map(Decimal))
    }

    /// How many orders it has.
    async fn order_count(&self, context: &Context<'_>) -> Result<i32> {
        Ok(self.stats(context).await?.map_or(0, |stats| stats.order_count))
    }

    #[graphql(flatten)]
    async fn lists(&self) -> BookLists<'_> {
        BookLists(self)
    }
}

impl Book {
    /// The book of a row, with sums that were read with it.
    pub fn with_sums(row: book::Model, sums: Option<book_stats::Model>) -> Self {
        let siblings = Siblings::one(row.id, sums);
        Self { row, place: 0, siblings: Arc::new(siblings) }
    }

    /// The sums of the book, read with those of the books around it; none where it has been deleted meanwhile.
    async fn stats(&self, context: &Context<'_>) -> Result<Option<&book_stats::Model>> {
        let read = Box::pin(async {
            let wanted = book_stats::Column::BookId.is_in(self.siblings.keys.iter().copied());
            let stats = book_stats::Entity::find().filter(wanted).all(&reader(context)).await?;
            Ok(stats.into_iter().map(|stats| (stats.book_id, stats)).collect())
        });
        Ok(self.siblings.stats.get(read).await?.get(&self.row.id))
    }
}

impl RowObject for Book {
    type Entity = book::Entity;
    type Shared = Siblings;

    fn key_column() -> book::Column {
        book::Column::Id
    }

    fn key(&self) -> Uuid {
        self.row.id
    }

    fn share(rows: &[book::Model]) -> Siblings {
        Siblings { keys: rows.iter().map(|row| row.id).collect(), ..Siblings::default() }
    }

    fn new(row: book::Model, place: usize, siblings: Arc<Siblings>) -> Self {
        Self { row, place, siblings }
    }
}

impl Listed for Book {
    type SortField = BookSortField;
    type Filter = BookFilter;
    /// What to search for.
    type Own = Option<String>;

    fn rows(args: &ListArgs<Self>, scope: &mut Scope) -> Result<(Select<book::Entity>, keyset::Order)> {
        let search = args.own.as_deref().map(Search::parse).transpose()?.flatten();
        let order = sort::order(&args.order_by, search.as_ref(), scope.backend)?;
        let mut rows = book::Entity::find();
        if sort::needs_stats(&args.order_by) || args.filter.as_ref().is_some_and(|filter| filter.needs_stats()) {
            rows = rows.inner_join(book_stats::Entity);
        }
        rows = filtered(rows, args, scope)?;
        if let Some(search) = search {
            rows = rows.filter(search.condition(scope.backend));
        }
        Ok((rows, order))
    }
}

/// The books of rows that were read together.
pub struct Books {
    keys: BTreeSet<Uuid>,
    found: Once<HashMap<Uuid, Book>>,
}

impl Books {
    /// The books with these keys.
    pub fn new(keys: impl IntoIterator<Item = Uuid>) -> Self {
        Self { keys: keys.into_iter().collect(), found: Once::default() }
    }

    /// The book of a row, which is at hand.
    pub fn one(book: Book) -> Self {
        Self { keys: BTreeSet::new(), found: Once::new(HashMap::from([(book.key(), book)])) }
    }

    /// One of them, read with the others.
    ///
    /// # Errors
    ///
    /// [`Code::Gone`] where it was deleted after the row that refers to it was read.
    pub async fn get(&self, context: &Context<'_>, key: Uuid) -> Result<&Book> {
        let book = self.found.get(Box::pin(Book::by_keys(context, &self.keys))).await?.get(&key);
        book.ok_or_else(|| Error::client(Code::Gone, "the book has been deleted meanwhile: ask again"))
    }
}
