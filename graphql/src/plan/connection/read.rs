//! The reading of lists: the page, the counts, the pages around the page. What is not selected is not read.

use std::sync::Arc;

use keyset::{Count, Join, Kept, Lists, PageCursors, Reach, Record, Slice, StatementCache, Statistics, TableRows};
use sea_orm::DbErr;
use tracing::Instrument;

use super::aggregates::{Aggregates, Values};
use super::{Asked, Connection, Connections, Field};
use crate::arguments::Given;
use crate::page_cursors;
use crate::plan::Run;
use crate::plan::ahead::{Nesting, Pages};
use crate::plan::object::Objects;
use crate::{Error, Result, count};

impl Connection {
    /// Reads what is selected of these lists. `field` names them, for traces and metrics. `counting` says how else
    /// their rows are counted than one by one.
    pub async fn read<'p>(
        &'p self,
        field: &str,
        lists: &Lists<TableRows>,
        counting: Counting<'_>,
        asked: &Asked,
        run: &Run<'_>,
        pages: Pages<'_>,
    ) -> Connections<'p> {
        let mut read = Connections::new(self, asked.page().order().clone());
        let object = self.name.as_str();
        let reading = Reading { object, field, lists, counting, asked, run, cache: &self.cache };
        let selected = |wanted: fn(&Field) -> bool| self.fields.selected(run.variables).any(wanted);
        // Without the object there is no list, whatever is selected.
        if selected(Field::needs_page) || matches!(asked, Asked::Around(_)) {
            let objects = self.selections.iter();
            read.objects = objects.map(|(when, of)| when.holds(run.variables).then(|| Objects::new(of, run))).collect();
            let slices = reading.page(&mut read.objects, self.joins(run), pages).await;
            read.slices = Some(slices.map(|slices| {
                read.lacking = slices.iter().map(Option::is_none).collect();
                slices.into_iter().map(Option::unwrap_or_default).collect()
            }));
            for objects in read.objects.iter_mut().flatten() {
                objects.load(run).await;
            }
        }
        if selected(Field::is_beside) {
            // On the heap: otherwise each list would have room for it.
            Box::pin(self.read_beside(&reading, &mut read)).await;
        }
        read
    }

    /// Reads what is selected beside the page.
    async fn read_beside<'p>(&'p self, reading: &Reading<'_>, read: &mut Connections<'p>) {
        let run = reading.run;
        let is_kept = reading.counting.kept.is_some();
        let is_counted = |field: &Field| {
            matches!(field, Field::TotalCount) || is_kept && matches!(field, Field::ApproximateCount(..))
        };
        if self.fields.selected(run.variables).any(is_counted) {
            read.counts = Some(reading.counts().await);
        }
        for field in self.fields.selected(run.variables) {
            if let Field::ApproximateCount(bound, _) = field {
                read.approximate_counts
                    .push((bound, reading.approximate_counts(bound, read.counts.as_ref().filter(|_| is_kept)).await));
            }
        }
        for field in self.fields.selected(run.variables) {
            if let Field::Aggregates(aggregates) = field {
                read.aggregates.push((aggregates, reading.aggregates(aggregates).await));
            }
        }
        let page_cursors = self.fields.selected(run.variables).filter_map(|field| match field {
            Field::PageCursors(plain) => Some(page_cursors::reach(plain, run)),
            _ => None,
        });
        if let (Some(reach), Some(Ok(slices))) = (page_cursors.reduce(furthest), &read.slices) {
            read.page_cursors = Some(reading.page_cursors(slices, reach).await);
        }
    }
}

/// How lists are counted without counting their rows.
#[derive(Clone, Copy)]
pub struct Counting<'a> {
    /// Where the database keeps the counts.
    pub kept: Option<&'a Kept>,
    /// Whether numbers of rows may be estimated: estimates also depend on rows that do not show.
    pub is_estimated: &'a (dyn Fn() -> bool + Sync),
    /// How many rows each list has, as these statistics of SQLite tell.
    pub expected: &'a (dyn Fn(Arc<Statistics>) -> Option<u64> + Sync),
}

/// The reading of lists: its parts, each in a span of its own.
struct Reading<'a> {
    /// The name of the objects.
    object: &'a str,
    field: &'a str,
    lists: &'a Lists<TableRows>,
    counting: Counting<'a>,
    asked: &'a Asked,
    run: &'a Run<'a>,
    cache: &'a StatementCache,
}

impl Reading<'_> {
    fn span(&self, what: &'static str) -> tracing::Span {
        let lists = i64::try_from(self.lists.len()).unwrap_or(i64::MAX);
        tracing::info_span!("connection", field = self.field, what, lists)
    }

    fn failed(&self, error: DbErr) -> Error {
        // A log has the name of the list beside an error, also where it shows no other spans.
        tracing::error_span!("connection", field = self.field).in_scope(|| self.run.reader.error(error))
    }

    /// The page of each list, with its objects. A list without the object that the page is to be around has none.
    async fn page(
        &self,
        objects: &mut [Option<Objects<'_>>],
        joins: Vec<Join>,
        pages: Pages<'_>,
    ) -> Result<Vec<Option<Slice<()>>>> {
        let rows = match pages {
            Pages::Read(read) => read.map(|slices| slices.into_iter().map(Some).collect()),
            Pages::WithLists(nesting) => {
                self.page_with_lists(&nesting, objects, &joins).instrument(self.span("page")).await
            }
            Pages::Alone => self.page_alone(&joins).instrument(self.span("page")).await,
        };
        let rows: Vec<_> = rows.map_err(|error| self.failed(error))?;
        self.run.reader.pages_read(self.field, self.asked.page().end(), rows.len());
        let count = rows.iter().flatten().map(|slice| slice.rows.len()).sum();
        objects.iter_mut().flatten().for_each(|objects| objects.reserve(count));
        let mut error = None;
        let mut take = |row: Record| {
            for objects in objects.iter_mut().flatten() {
                let number = objects.read(&row).and_then(|number| number.ok_or_else(|| no_object(self.object)));
                error = error.take().or(number.err());
            }
        };
        let slices = rows.into_iter().map(|slice| slice.map(|slice| slice.map(&mut take))).collect();
        error.map_or(Ok(slices), |error| Err(self.failed(error)))
    }

    async fn page_alone(&self, joins: &[Join]) -> std::result::Result<Vec<Option<Slice<Record>>>, DbErr> {
        match self.asked {
            Asked::Page(page) => {
                let rows = keyset::fetch_rows(self.run, self.lists, page, joins, self.cache).await?;
                Ok(rows.into_iter().map(Some).collect())
            }
            // On the heap, as it is rare.
            Asked::Around(around) => Box::pin(keyset::fetch_around(self.run, self.lists, around, joins)).await,
        }
    }

    /// The page of one list, and the lists of each of its rows.
    async fn page_with_lists(
        &self,
        nesting: &Nesting<'_>,
        objects: &mut [Option<Objects<'_>>],
        joins: &[Join],
    ) -> std::result::Result<Vec<Option<Slice<Record>>>, DbErr> {
        let (Asked::Page(page), Some(rows)) = (self.asked, self.lists.only()) else {
            return self.page_alone(joins).await;
        };
        let mut objects: Vec<_> = objects.iter_mut().flatten().collect();
        let slice = nesting.fetch(self.run, rows, page, joins, self.cache, &mut objects).await?;
        Ok(vec![Some(slice)])
    }

    async fn counts(&self) -> Result<Vec<u64>> {
        let counts = async {
            match self.counting.kept {
                Some(kept) => keyset::kept_count(self.run, self.lists, kept).await,
                None => keyset::count(self.run, self.lists).await,
            }
        };
        counts.instrument(self.span("count")).await.map_err(|error| self.failed(error))
    }

    /// `kept` are the exact counts, where the database keeps them.
    async fn approximate_counts(&self, bound: &Given, kept: Option<&Result<Vec<u64>>>) -> Result<Vec<Count>> {
        let bound: Option<i32> = bound.bind(self.run.variables).get("upTo")?;
        let bound = count::bound(bound.unwrap_or(count::DEFAULT))?;
        if let Some(kept) = kept {
            return kept.clone().map(|counts| counts.into_iter().map(Count::Exact).collect());
        }
        let counts = async {
            if !(self.counting.is_estimated)() {
                return keyset::count_at_least(self.run, self.lists, bound).await;
            }
            let counts = keyset::count_up_to(self.run, self.lists, bound).await?;
            if !counts.iter().any(|count| matches!(count, Count::AtLeast(_))) {
                return Ok(counts);
            }
            let statistics = Statistics::analyzed(self.run.reader).await?;
            let expected = (self.counting.expected)(Arc::new(statistics));
            let estimated = |count| match (count, expected) {
                (Count::AtLeast(counted), Some(rows)) if rows > counted => Count::Estimate(rows),
                (count, _) => count,
            };
            Ok(counts.into_iter().map(estimated).collect())
        };
        counts.instrument(self.span("approximateCount")).await.map_err(|error| self.failed(error))
    }

    async fn aggregates(&self, aggregates: &Aggregates) -> Result<Vec<Values>> {
        let (numbers, wanted): (Vec<usize>, Vec<_>) = aggregates.selected(self.run.variables).into_iter().unzip();
        if wanted.is_empty() {
            return Ok(vec![Vec::new(); self.lists.len()]);
        }
        let read = keyset::aggregates(self.run, self.lists, &wanted).instrument(self.span("aggregates")).await;
        let read = read.map_err(|error| self.failed(error))?;
        Ok(read.into_iter().map(|values| numbers.iter().copied().zip(values).collect()).collect())
    }

    async fn page_cursors(&self, slices: &Vec<Slice<()>>, reach: Reach) -> Result<Vec<PageCursors>> {
        let cursors = keyset::page_cursors(self.run, self.lists, self.asked.page(), slices, reach);
        cursors.instrument(self.span("pageCursors")).await.map_err(|error| self.failed(error))
    }
}

/// What serves both.
fn furthest(one: Reach, other: Reach) -> Reach {
    Reach { pages: one.pages, before: one.before.max(other.before), after: one.after.max(other.after) }
}

fn no_object(name: &str) -> DbErr {
    DbErr::RecordNotFound(format!("the {name} of a row"))
}
