//! How many rows a list reads for its filter, by the statistics of the tables.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use keyset::{Column, Order, Statistics};

use super::sql::{needs_beside, ranges};
use super::{Filter, RelatedFilter, RelatedObjects, RowEstimate, Test};

/// The rows that a list reads.
#[derive(Clone, Debug)]
pub struct Estimates {
    statistics: Arc<Statistics>,
    /// Whether there is a condition at all.
    filters: bool,
    all: RowEstimate,
    /// What a page reads, where that is something else.
    page: Option<RowEstimate>,
    is_of_parent: bool,
}

impl Estimates {
    /// Those of a list of all objects.
    pub(crate) fn new(statistics: Arc<Statistics>) -> Self {
        Self { statistics, filters: false, all: RowEstimate::ALL, page: None, is_of_parent: false }
    }

    /// Those of the list of a parent: the rows whose columns have its values.
    pub(crate) fn of_parent(statistics: Arc<Statistics>, columns: &[Column]) -> Self {
        let mut estimates = Self { is_of_parent: true, ..Self::new(statistics) };
        for column in columns {
            estimates.equals(column, 1);
        }
        Self { filters: false, ..estimates }
    }

    /// Adds the conditions of a filter.
    pub(crate) fn add(&mut self, filter: &Filter) {
        match filter {
            Filter::All(filters) => filters.iter().for_each(|filter| self.add(filter)),
            Filter::Any(filters) => {
                let either = filters.iter().fold(RowEstimate::NOTHING, |all, filter| all.or(self.apart(filter)));
                if filters.is_empty() || ranges(filter).is_some() {
                    self.narrow(either);
                } else {
                    self.either(either);
                }
            }
            Filter::Not(filter) => self.narrow(self.apart(filter).negated()),
            Filter::Column(column, test) | Filter::Beside(_, column, test) => self.compare(column, test),
            Filter::CreatedAt(key, test) => self.compare(key, test),
            Filter::Related(related) => {
                let RelatedFilter { objects, filter } = &**related;
                let tables = 1 + needs_beside(filter).len() as u64;
                // The condition is tested on each related object.
                self.narrow(self.apart(filter).of_related(tables).times(self.related(objects)));
            }
            Filter::Count(count) => {
                let rows = self.related(&count.objects).min(count.bound);
                self.narrow(RowEstimate::beside(rows));
            }
        }
    }

    /// How many related objects a row has: as many as have the most frequent reference, where an index finds them.
    fn related(&self, objects: &RelatedObjects) -> u64 {
        let found = |(_, to): &(Column, Column)| {
            let indexed = self.statistics.indexed(to.clone()).map(|indexed| indexed.per_value);
            indexed.unwrap_or_else(|| self.statistics.rows(&to.table()))
        };
        if objects.are_many { objects.on.iter().map(found).min().unwrap_or(1) } else { 1 }
    }

    /// What a filter reads by itself.
    fn apart(&self, filter: &Filter) -> RowEstimate {
        let mut apart = Self::new(Arc::clone(&self.statistics));
        apart.add(filter);
        apart.all
    }

    /// Says what an index on the column finds.
    fn compare<T>(&mut self, column: &Column, test: &Test<T>) {
        self.filters = true;
        match test {
            Test::In(values) => self.equals(column, values.len()),
            Test::Lt(_) | Test::Lte(_) | Test::Gt(_) | Test::Gte(_) | Test::StartsWith(_) => {
                if let Some(indexed) = self.statistics.indexed(column.clone()) {
                    self.narrow(RowEstimate::found(indexed.range));
                }
            }
            Test::NotIn(_) | Test::IsNull(_) | Test::Contains(_) | Test::List(_) | Test::Json(_) => {}
        }
    }

    fn equals(&mut self, column: &Column, values: usize) {
        if let Some(indexed) = self.statistics.indexed(column.clone()) {
            let values = u64::try_from(values).unwrap_or(u64::MAX);
            self.narrow(RowEstimate::found(indexed.per_value.saturating_mul(values)));
        }
    }

    /// Says that all rows were created by an instant: their UUIDv7 keys say when. A page in the order of the key begins or ends
    /// there, and a page in another order discards the rows that are newer. Without an order, each statement reads what it finds.
    pub(crate) fn as_of(&mut self, key: &Column, instant: DateTime<Utc>, order: Option<&Order>) {
        let by = |instant| self.statistics.created_by(key.clone(), instant);
        let (all, until) = (by(DateTime::<Utc>::MAX_UTC), by(instant));
        if let Some(order) = order {
            let name = format!("{}.{}", key.table(), key.name());
            let is_by_key = order.sorts().first().is_some_and(|first| first.name() == name);
            let newer = all.zip(until).map_or(RowEstimate::ALL, |(all, until)| RowEstimate::found(all - until));
            let page = self.page.unwrap_or(self.all);
            let whole = if self.filters { page } else { RowEstimate::NOTHING };
            self.page = Some(if is_by_key { whole } else { page.and(newer) });
        }
        self.filters = true;
        self.all = self.all.and(until.map_or(RowEstimate::ALL, RowEstimate::found));
    }

    /// Adds a condition that must hold, too.
    pub fn narrow(&mut self, estimate: RowEstimate) {
        self.filters = true;
        self.all = self.all.and(estimate);
        self.page = self.page.map(|page| page.and(estimate));
    }

    /// Adds alternatives. A count reads what the indexes find for each. A page may walk through all rows in its order, to find
    /// the first that match one.
    fn either(&mut self, estimate: RowEstimate) {
        let page = self.page.unwrap_or(self.all).and(estimate.of_rows(u64::MAX));
        self.narrow(estimate);
        self.page = Some(page);
    }

    /// Says that a page walks through this many rows, in the order of the list, and tests on each of them the conditions
    /// added so far, whatever an index finds. A count reads what [`Self::all`] says.
    pub fn walk(&mut self, rows: u64) {
        self.page = Some(self.all.of_rows(rows));
    }

    /// Says that a page reads all rows of the list, each with this many rows of other tables. A count reads none of these.
    pub(crate) fn read_all(&mut self, beside: u64) {
        self.page = Some(self.all.and(RowEstimate::beside(beside)));
    }

    /// The rows that a statement over the whole list reads; `None` if there is no condition.
    pub fn all(&self) -> Option<RowEstimate> {
        self.filters.then_some(self.all)
    }

    /// The rows that a page reads; `None` if it reads its own only.
    pub fn page(&self) -> Option<RowEstimate> {
        self.page.or_else(|| self.all())
    }

    /// Whether the list is that of a parent.
    pub fn is_of_parent(&self) -> bool {
        self.is_of_parent
    }
}
