//! What the filter of a list reads, before it is executed.

use std::fmt;
use std::sync::Arc;

use async_graphql::Variables;
use async_graphql::parser::types::Field;
use keyset::{Kept, Statistics};
use sea_orm::{DbBackend, Iden};

use super::{FieldArgs, Listed};
use crate::Result;
use crate::arguments::{Arguments, Given, size};
use crate::filter::{RowEstimate, Scope};
use crate::object::{Column, RowObject};

/// Arguments that leave out no row of the list.
const OF_PAGE: [&str; 7] = ["first", "after", "last", "before", "offset", "around", "orderBy"];

/// Whether the rows of a list, or their order, depend on an argument with this name.
pub(super) fn decides_rows(name: &str) -> bool {
    name == "orderBy" || !OF_PAGE.contains(&name)
}

/// Whether an argument that may leave out rows has a value.
pub(super) fn is_filtered(arguments: &Arguments<'_>) -> bool {
    !arguments.are_among(&OF_PAGE)
}

/// How many rows a list reads to find those that match its filter.
#[derive(Clone)]
pub struct Scan {
    /// Whether the database keeps the number of its objects.
    is_kept: bool,
    /// The type of its objects, and what refers to their parent.
    of: (&'static str, Option<String>),
    estimate: Arc<Estimating>,
    rows: fn(&Statistics) -> u64,
}

type Estimating = dyn Fn(&Arguments<'_>, &mut Scope) -> Result<[Option<RowEstimate>; 2]> + Send + Sync;

impl Scan {
    /// The list of all objects, or of those of one parent, to which this column refers.
    pub(crate) fn of<U: Listed>(parent: Option<Column<U>>) -> Self {
        let estimate = move |arguments: &Arguments<'_>, scope: &mut Scope| {
            if let Some(column) = &parent {
                scope.of_parent(column);
            }
            U::rows(&U::Args::read(arguments)?, scope)?;
            Ok([scope.page(), scope.estimate()])
        };
        Self {
            is_kept: false,
            of: (U::NAME, parent.map(|column| column.unquoted().to_owned())),
            estimate: Arc::new(estimate),
            rows: |statistics| statistics.rows(<U as RowObject>::Entity::default()),
        }
    }

    /// The same list, whose number of objects may be kept.
    pub(crate) fn kept(self, kept: Option<&Kept>) -> Self {
        Self { is_kept: kept.is_some(), ..self }
    }

    /// The number of conditions and values in the arguments of a list besides those of its page: counted up to a bound, and
    /// nothing is copied.
    pub fn values(&self, field: &Field, variables: &Variables, bound: usize) -> usize {
        let arguments = field.arguments.iter().filter(|(name, _)| !OF_PAGE.contains(&name.node.as_str()));
        arguments.fold(0, |count, (_, value)| count + size(&value.node, variables, bound.saturating_sub(count) + 1))
    }

    /// Whether a list has arguments besides those of its page and its order.
    pub fn is_filtered(field: &Field) -> bool {
        !field.arguments.iter().all(|(name, _)| OF_PAGE.contains(&name.node.as_str()))
    }

    /// Whether the counts of a list read the number that the database keeps: it does, and no filter is given.
    pub fn is_counted(&self, field: &Field, variables: &Variables) -> bool {
        self.is_kept && !is_filtered(&Given::of(field).bind(variables))
    }

    /// The number of rows that a page of the list may read, and any other statement over it: 0 without a filter, because it
    /// then reads its page only. A filter that is not valid reads nothing.
    pub fn rows(
        &self,
        field: &Field,
        variables: &Variables,
        backend: DbBackend,
        statistics: impl FnOnce() -> Arc<Statistics>,
    ) -> [u64; 2] {
        if !Self::is_filtered(field) {
            return [0; 2];
        }
        let statistics = statistics();
        let (given, mut scope) = (Given::of(field), Scope::priced(backend, Arc::clone(&statistics)));
        let estimates = (self.estimate)(&given.bind(variables), &mut scope).unwrap_or_default();
        estimates.map(|estimate| estimate.map_or(0, |estimate| estimate.reads((self.rows)(&statistics))))
    }
}

/// A declared list, which can say more of itself.
#[derive(Debug)]
pub struct ListField<'a>(pub(crate) &'a mut Option<Kept>);

impl ListField<'_> {
    /// Says that the database keeps the number of objects of the list. `totalCount` and `approximateCount` then read it,
    /// unless an argument other than those of the page and `orderBy` has a value, and cost nothing. It must be exact in every
    /// transaction: keep it in the transaction of each write, for example by triggers.
    pub fn kept(self, kept: Kept) {
        *self.0 = Some(kept);
    }
}

/// The number of rows that a list with these arguments is expected to have, by the statistics of its table; `None` where they
/// do not tell.
pub(super) fn expected<U: Listed>(
    arguments: &Arguments<'_>,
    parent: Option<Column<U>>,
    backend: DbBackend,
    statistics: Arc<Statistics>,
) -> Option<u64> {
    let rows = statistics.rows(<U as RowObject>::Entity::default());
    let mut scope = Scope::priced(backend, statistics);
    if let Some(column) = &parent {
        scope.of_parent(column);
    }
    U::rows(&U::Args::read(arguments).ok()?, &mut scope).ok()?;
    match scope.estimate() {
        Some(estimate) => estimate.finds(rows),
        None if is_filtered(arguments) || parent.is_some() => None,
        None => Some(rows),
    }
}

impl PartialEq for Scan {
    fn eq(&self, other: &Self) -> bool {
        (self.is_kept, &self.of) == (other.is_kept, &other.of)
    }
}

impl fmt::Debug for Scan {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Scan").field(&self.of).finish()
    }
}
