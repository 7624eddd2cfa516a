//! What a filter is written for, and what it amounts to: its size, and the rows that it reads.

use std::mem::replace;
use std::sync::Arc;

use chrono::{DateTime, Utc};
use keyset::{KeyRanges, Order, ReadRows, Statistics};
use sea_orm::{ColumnTrait, Condition, DbBackend};

use super::bounds::{MAX_CONDITIONS, MAX_LEVELS, RELATION};
use super::row_estimate::RowEstimate;
use crate::error::code;
use crate::{Error, Result};

/// The database that filters are written for, and the size of the filter so far.
#[derive(Debug)]
pub struct Scope {
    /// The database.
    pub backend: DbBackend,
    /// Whether tables have partitions on other servers.
    is_foreign: bool,
    /// Where the filter is priced before it is executed.
    statistics: Option<Arc<Statistics>>,
    conditions: usize,
    level: usize,
    /// Whether there is a condition at all.
    filters: bool,
    estimate: RowEstimate,
    /// The ranges of a key in which all rows lie, where a condition says so.
    ranges: Option<KeyRanges>,
    /// What a page reads, where that is something else.
    page: Option<RowEstimate>,
    is_of_parent: bool,
}

impl Scope {
    /// An empty filter for this database.
    pub fn new(db: &impl ReadRows) -> Self {
        Self { is_foreign: !db.seeks_row_values(), ..Self::over(db.backend(), None) }
    }

    /// An empty filter for a database with these statistics, which [`Self::estimate`] is computed from.
    pub fn priced(backend: DbBackend, statistics: Arc<Statistics>) -> Self {
        Self::over(backend, Some(statistics))
    }

    fn over(backend: DbBackend, statistics: Option<Arc<Statistics>>) -> Self {
        Self {
            backend,
            is_foreign: false,
            statistics,
            conditions: 0,
            level: 0,
            filters: false,
            estimate: RowEstimate::ALL,
            ranges: None,
            page: None,
            is_of_parent: false,
        }
    }

    /// Counts conditions.
    ///
    /// # Errors
    ///
    /// [`FILTER_TOO_LARGE`](code::FILTER_TOO_LARGE) above [`MAX_CONDITIONS`].
    pub fn count(&mut self, conditions: usize) -> Result<()> {
        self.filters = true;
        self.add(conditions)
    }

    fn add(&mut self, conditions: usize) -> Result<()> {
        self.conditions += conditions;
        if self.conditions > MAX_CONDITIONS {
            let message = format!(
                "the filter must have at most {MAX_CONDITIONS} conditions and values: a condition on a related object counts \
                 as {RELATION}"
            );
            return Err(Error::client(code::FILTER_TOO_LARGE, message));
        }
        Ok(())
    }

    /// The condition on an object that each row of the list refers to, in a sub-query over this many tables.
    ///
    /// # Errors
    ///
    /// [`FILTER_TOO_LARGE`](code::FILTER_TOO_LARGE), and the errors of the condition.
    pub fn related(
        &mut self,
        tables: u64,
        condition: impl FnOnce(&mut Self) -> Result<Condition>,
    ) -> Result<Condition> {
        self.add(RELATION)?;
        let (condition, estimate, _) = self.apart(condition)?;
        if !condition.is_empty() {
            self.narrow(estimate.of_related(tables));
        }
        Ok(condition)
    }

    /// Says that a column equals one of this many values.
    pub fn equals(&mut self, column: &impl ColumnTrait, values: usize) {
        if let Some(indexed) = self.indexed(column) {
            let values = u64::try_from(values).unwrap_or(u64::MAX);
            self.narrow(RowEstimate::found(indexed.per_value.saturating_mul(values)));
        }
    }

    /// Says that a column has bounds.
    pub fn bounds(&mut self, column: &impl ColumnTrait) {
        if let Some(indexed) = self.indexed(column) {
            self.narrow(RowEstimate::found(indexed.range));
        }
    }

    /// The rows in these ranges of a key.
    pub(super) fn within(&self, ranges: &KeyRanges) -> Condition {
        ranges.condition(self.backend, self.is_foreign)
    }

    /// Says that all rows lie in these ranges of a key.
    pub(super) fn confine(&mut self, ranges: KeyRanges) {
        self.ranges = Some(ranges);
    }

    /// Says that all rows were created by an instant: their UUIDv7 keys say when. A page in the order of the key begins or ends
    /// there, and a page in another order discards the rows that are newer. Without an order, each statement reads what it finds.
    pub fn as_of(&mut self, key: &impl ColumnTrait, instant: DateTime<Utc>, order: Option<&Order>) {
        let by = |instant| self.statistics.as_ref()?.created_by(key, instant);
        let (all, until) = (by(DateTime::<Utc>::MAX_UTC), by(instant));
        if let Some(order) = order {
            let name = format!("{}.{}", key.entity_name(), key.unquoted());
            let is_by_key = order.sorts().first().is_some_and(|first| first.name() == name);
            let newer = all.zip(until).map_or(RowEstimate::ALL, |(all, until)| RowEstimate::found(all - until));
            let page = self.page.unwrap_or(self.estimate);
            let whole = if self.filters { page } else { RowEstimate::NOTHING };
            self.page = Some(if is_by_key { whole } else { page.and(newer) });
        }
        self.filters = true;
        self.estimate = self.estimate.and(until.map_or(RowEstimate::ALL, RowEstimate::found));
    }

    /// Adds a condition that must hold, too.
    pub fn narrow(&mut self, estimate: RowEstimate) {
        self.filters = true;
        self.estimate = self.estimate.and(estimate);
        self.page = self.page.map(|page| page.and(estimate));
    }

    /// Adds alternatives. A count reads what the indexes find for each. A page may walk through all rows in its order, to find the first that
    /// match one.
    pub(super) fn either(&mut self, estimate: RowEstimate) {
        let page = self.page.unwrap_or(self.estimate).and(estimate.of_rows(u64::MAX));
        self.narrow(estimate);
        self.page = Some(page);
    }

    /// Says that a page walks through this many rows, in the order of the list, and tests on each of them the conditions
    /// added so far, whatever an index finds. A count reads what [`Self::estimate`] says.
    pub fn walk(&mut self, rows: u64) {
        self.page = Some(self.estimate.of_rows(rows));
    }

    /// The rows that the filter reads; `None` if there is no condition.
    pub fn estimate(&self) -> Option<RowEstimate> {
        self.filters.then_some(self.estimate)
    }

    /// The rows that a page reads under the filter; `None` if there is no condition.
    pub fn page(&self) -> Option<RowEstimate> {
        self.filters.then_some(self.page.unwrap_or(self.estimate))
    }

    /// Restricts the list itself to the rows whose column has one value: it is the list of a parent.
    pub(crate) fn of_parent(&mut self, column: &impl ColumnTrait) {
        self.equals(column, 1);
        self.filters = false;
        self.is_of_parent = true;
    }

    /// Whether the list is that of a parent.
    pub fn is_of_parent(&self) -> bool {
        self.is_of_parent
    }

    /// A condition, the rows that it reads by itself, and the ranges of a key in which they lie.
    pub(super) fn apart<T>(
        &mut self,
        condition: impl FnOnce(&mut Self) -> Result<T>,
    ) -> Result<(T, RowEstimate, Option<KeyRanges>)> {
        let outer = (replace(&mut self.estimate, RowEstimate::ALL), self.page.take(), self.ranges.take());
        let condition = condition(self);
        let found = (self.estimate, self.ranges.take());
        (self.estimate, self.page, self.ranges) = outer;
        Ok((condition?, found.0, found.1))
    }

    fn indexed(&self, column: &impl ColumnTrait) -> Option<keyset::Indexed> {
        self.statistics.as_ref()?.indexed(column)
    }

    pub(super) fn descend(&mut self) -> Result<()> {
        self.level += 1;
        // An empty filter takes space in the statement too.
        self.add(1)?;
        if self.level > MAX_LEVELS {
            let message = format!("the filter must have at most {MAX_LEVELS} levels");
            return Err(Error::client(code::FILTER_TOO_LARGE, message));
        }
        Ok(())
    }

    pub(super) fn ascend(&mut self) {
        self.level -= 1;
    }
}
