//! What a filter is written for, and what it amounts to: its size, and the rows that it reads.

use std::mem::replace;
use std::sync::Arc;

use keyset::{ReadRows, Statistics};
use sea_orm::{ColumnTrait, Condition, DbBackend};

use super::{MAX_CONDITIONS, MAX_LEVELS, RELATION, Reach};
use crate::error::code;
use crate::{Error, Result};

/// The database that filters are written for, and the size of the filter so far.
#[derive(Debug)]
pub struct Scope {
    /// The database.
    pub backend: DbBackend,
    /// Where the filter is priced before it is executed.
    statistics: Option<Arc<Statistics>>,
    conditions: usize,
    level: usize,
    /// Whether there is a condition at all.
    filters: bool,
    reach: Reach,
    /// What a page reads, where that is something else.
    page: Option<Reach>,
    is_of_parent: bool,
}

impl Scope {
    /// An empty filter for this database.
    pub fn new(db: &impl ReadRows) -> Self {
        Self::over(db.backend(), None)
    }

    /// An empty filter for a database with these statistics, which [`Self::reach`] is computed from.
    pub fn priced(backend: DbBackend, statistics: Arc<Statistics>) -> Self {
        Self::over(backend, Some(statistics))
    }

    fn over(backend: DbBackend, statistics: Option<Arc<Statistics>>) -> Self {
        Self {
            backend,
            statistics,
            conditions: 0,
            level: 0,
            filters: false,
            reach: Reach::ALL,
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
                "a filter has at most {MAX_CONDITIONS} conditions and values; a condition on a related object counts \
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
        let (condition, reach) = self.apart(condition)?;
        if !condition.is_empty() {
            self.narrow(reach.of_related(tables));
        }
        Ok(condition)
    }

    /// Says that a column equals one of this many values.
    pub fn equals(&mut self, column: &impl ColumnTrait, values: usize) {
        if let Some(indexed) = self.indexed(column) {
            let values = u64::try_from(values).unwrap_or(u64::MAX);
            self.narrow(Reach::found(indexed.per_value.saturating_mul(values)));
        }
    }

    /// Says that a column has bounds.
    pub fn bounds(&mut self, column: &impl ColumnTrait) {
        if let Some(indexed) = self.indexed(column) {
            self.narrow(Reach::found(indexed.range));
        }
    }

    /// Adds a condition that must hold, too.
    pub fn narrow(&mut self, reach: Reach) {
        self.filters = true;
        self.reach = self.reach.and(reach);
    }

    /// Says that a page walks through this many rows, in the order of the list, and tests on each of them the conditions
    /// added so far, whatever an index finds. A count reads what [`Self::reach`] says.
    pub fn walk(&mut self, rows: u64) {
        self.page = Some(self.reach.of_rows(rows));
    }

    /// The rows that the filter reads; `None` if there is no condition.
    pub fn reach(&self) -> Option<Reach> {
        self.filters.then_some(self.reach)
    }

    /// The rows that a page reads under the filter; `None` if there is no condition.
    pub fn page(&self) -> Option<Reach> {
        self.filters.then_some(self.page.unwrap_or(self.reach))
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

    /// A condition, and the rows that it reads by itself.
    pub(super) fn apart<T>(&mut self, condition: impl FnOnce(&mut Self) -> Result<T>) -> Result<(T, Reach)> {
        let outer = replace(&mut self.reach, Reach::ALL);
        let condition = condition(self);
        let reach = replace(&mut self.reach, outer);
        Ok((condition?, reach))
    }

    fn indexed(&self, column: &impl ColumnTrait) -> Option<keyset::Indexed> {
        self.statistics.as_ref()?.indexed(column)
    }

    pub(super) fn descend(&mut self) -> Result<()> {
        self.level += 1;
        // An empty filter takes space in the statement too.
        self.add(1)?;
        if self.level > MAX_LEVELS {
            let message = format!("filters are nested at most {MAX_LEVELS} levels deep");
            return Err(Error::client(code::FILTER_TOO_LARGE, message));
        }
        Ok(())
    }

    pub(super) fn ascend(&mut self) {
        self.level -= 1;
    }
}
