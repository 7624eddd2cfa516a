//! The reading of a list: its page, and what is asked about it. What is not asked is not read.

use std::iter;

use async_graphql::Context;
use keyset::{Count, Order, Page, PageCursors, Row, Slice};
use sea_orm::{EntityTrait, QueryFilter, Select};
use tracing::Instrument;
use uuid::Uuid;

use super::count;
use super::date_time::DateTime;
use super::error::Result;
use super::filter::Scope;
use super::object::{Column, ListArgs, Listed, OfBook, RowObject};
use super::once::{Once, PerField, Reading};
use super::page_cursors::REACH;
use crate::config::Limits;
use crate::db::{Db, Reader};

/// A list; or the same list of each of many parents, whose pages are read together.
pub struct List<T: Listed> {
    /// What it is called, as `Query.books`.
    field: &'static str,
    rows: Select<T::Entity>,
    page: Page,
    /// The reference to the parent, and the parents.
    parents: Option<(Column<T>, Vec<Uuid>)>,
    slices: Once<Vec<Slice<T>>>,
    counts: Once<Vec<u64>>,
    approximate_counts: PerField<Once<Vec<Count>>>,
    page_cursors: Once<Vec<PageCursors>>,
}

impl<T: Listed> List<T> {
    /// The list that the arguments ask for. Nothing is read yet.
    pub fn new(context: &Context<'_>, field: &'static str, args: ListArgs<T>) -> Result<Self> {
        let (mut rows, order) = T::rows(&args, &mut Scope::new(&reader(context)))?;
        if let Some(DateTime(instant)) = args.as_of {
            rows = rows.filter(keyset::as_of(T::key_column(), instant));
        }
        let page = Page::new(&args.page, &order, context.data_unchecked::<Limits>().pages())?;
        Ok(Self {
            field,
            rows,
            page,
            parents: None,
            slices: Once::default(),
            counts: Once::default(),
            approximate_counts: PerField::default(),
            page_cursors: Once::default(),
        })
    }

    /// The same list of each of these books.
    pub fn of_books(context: &Context<'_>, field: &'static str, args: ListArgs<T>, books: Vec<Uuid>) -> Result<Self>
    where
        T: OfBook,
    {
        Ok(Self { parents: Some((T::book_id(), books)), ..Self::new(context, field, args)? })
    }

    /// The order of the list.
    pub fn order(&self) -> &Order {
        self.page.order()
    }

    /// What is read of the list, as a span of its own in the traces.
    fn read<'a, R>(&self, what: &'static str, reading: impl Future<Output = Result<R>> + Send + 'a) -> Reading<'a, R> {
        let field = self.field;
        let lists = self.parents.as_ref().map_or(1, |(_, parents)| i64::try_from(parents.len()).unwrap_or(i64::MAX));
        // Of those who wait for it, the one that reads has the span.
        Box::pin(async move { reading.instrument(tracing::info_span!("connection", field, what, lists)).await })
    }

    /// The page, of each of the parents.
    pub async fn slices(&self, context: &Context<'_>) -> Result<&Vec<Slice<T>>> {
        let read = self.read("page", async {
            let (db, rows, page) = (&reader(context), self.rows.clone(), &self.page);
            let slices = match &self.parents {
                None => vec![keyset::fetch(db, rows, page).await?],
                Some((column, parents)) => keyset::fetch_many(db, rows, *column, parents.iter().copied(), page).await?,
            };
            db.metrics().pages(self.field, page.end(), slices.len());
            Ok(objects(slices))
        });
        self.slices.get(read).await
    }

    /// The number of rows, of each of the parents.
    pub async fn counts(&self, context: &Context<'_>) -> Result<&Vec<u64>> {
        let read = self.read("count", async {
            let (db, rows) = (&reader(context), self.rows.clone());
            Ok(match &self.parents {
                None => vec![keyset::count(db, rows).await?],
                Some((column, parents)) => keyset::count_many(db, rows, *column, parents.iter().copied()).await?,
            })
        });
        self.counts.get(read).await
    }

    /// The number of rows, exact up to a bound, of the parent at this place.
    pub async fn approximate_count(&self, context: &Context<'_>, place: usize, up_to: i32) -> Result<Count> {
        let counts = self.approximate_counts.get(context, || Ok(Once::default()))?;
        let read = self.read("approximateCount", async {
            let (db, rows, bound) = (&reader(context), self.rows.clone(), count::bound(up_to)?);
            Ok(match &self.parents {
                None => vec![keyset::count_up_to(db, rows, bound).await?],
                Some((column, parents)) => {
                    keyset::count_up_to_many(db, rows, *column, parents.iter().copied(), bound).await?
                }
            })
        });
        counts.get(read).await.map(|counts| counts[place])
    }

    /// The pages around the page, of each of the parents.
    pub async fn page_cursors(&self, context: &Context<'_>) -> Result<&Vec<PageCursors>> {
        let read = self.read("pageCursors", async {
            let slices = self.slices(context).await?;
            let (db, rows, page) = (&reader(context), self.rows.clone(), &self.page);
            Ok(match &self.parents {
                None => vec![keyset::page_cursors(db, rows, page, &slices[0], REACH).await?],
                Some((column, parents)) => {
                    let parents = parents.iter().copied();
                    keyset::page_cursors_many(db, rows, *column, parents, page, slices, REACH).await?
                }
            })
        });
        self.page_cursors.get(read).await
    }
}

/// Where statements that only read go.
pub fn reader<'a>(context: &Context<'a>) -> Reader<'a> {
    Reader::new(context.data_unchecked::<Db>())
}

/// The rows of all pages as objects that know each other.
fn objects<T: RowObject>(slices: Vec<Slice<<T::Entity as EntityTrait>::Model>>) -> Vec<Slice<T>> {
    let mut rows = Vec::new();
    let places: Vec<Slice<()>> = slices
        .into_iter()
        .map(|slice| {
            let place = |row: Row<_>| {
                rows.push(row.item);
                Row { key: row.key, item: () }
            };
            Slice {
                rows: slice.rows.into_iter().map(place).collect(),
                has_previous: slice.has_previous,
                has_next: slice.has_next,
            }
        })
        .collect();
    let mut objects = T::from_rows(rows).into_iter();
    places
        .into_iter()
        .map(|slice| Slice {
            rows: iter::zip(slice.rows, objects.by_ref()).map(|(row, item)| Row { key: row.key, item }).collect(),
            has_previous: slice.has_previous,
            has_next: slice.has_next,
        })
        .collect()
}
