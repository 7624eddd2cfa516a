//! What the filter of a list reads, before it is executed.

use std::fmt;
use std::sync::Arc;

use async_graphql::Variables;
use async_graphql::parser::types::Field;
use keyset::{Column, Limits, Statistics};
use sea_orm::DbBackend;

use super::ListArguments;
use crate::arguments::{Arguments, Given, size};
use crate::declare::declaration::Declaration;
use crate::declare::object::ObjectType;
use crate::plan::variables::has_variable;

/// Arguments that leave out no row of the list.
const OF_PAGE: [&str; 7] = ["first", "after", "last", "before", "offset", "around", "orderBy"];

/// Whether the rows of a list, or their order, depend on an argument with this name.
pub(crate) fn decides_rows(name: &str) -> bool {
    name == "orderBy" || !OF_PAGE.contains(&name)
}

/// Whether an argument that may leave out rows has a value.
pub(crate) fn is_filtered(arguments: &Arguments<'_>) -> bool {
    !arguments.are_among(&OF_PAGE)
}

/// How many rows a list reads to find those that match its filter.
#[derive(Clone)]
pub struct Scan {
    pub(crate) declaration: Arc<Declaration>,
    pub(crate) object: usize,
    /// What refers to the parent.
    pub(crate) parent: Vec<Column>,
    /// Whether the database keeps the number of its objects.
    pub(crate) is_kept: bool,
    /// Whether an index holds the order of its key.
    pub(crate) is_held: bool,
}

impl Scan {
    fn object(&self) -> &ObjectType {
        self.declaration.object(self.object)
    }

    /// The size of its pages without `first` and `last`, on a server with any maximum.
    pub fn page_size(&self) -> u32 {
        self.object().pages.within(Limits { max: u32::MAX, ..Limits::default() }).size()
    }

    /// The number of conditions and values in the arguments of a list besides those of its page: counted up to a bound, and
    /// nothing is copied.
    pub fn values(&self, field: &Field, variables: &Variables, bound: usize) -> usize {
        let arguments = field.arguments.iter().filter(|(name, _)| !OF_PAGE.contains(&name.node.as_str()));
        arguments.fold(0, |count, (_, value)| count + size(&value.node, variables, bound.saturating_sub(count) + 1))
    }

    /// Whether a list has arguments for which it may read more rows than those of its page: a filter, or an order that no index
    /// holds.
    fn reads_more(&self, field: &Field) -> bool {
        !field.arguments.iter().all(|(name, _)| OF_PAGE.contains(&name.node.as_str()))
            || !self.is_held
            || self.sorts(field)
    }

    /// Whether a list without other arguments than those of a page may sort its rows: an index holds the order of no other one.
    fn sorts(&self, field: &Field) -> bool {
        let object = self.object();
        let may_sort = !object.related_sorts.is_empty() || object.indexed.is_some();
        let Some(order) = field.get_argument("orderBy").filter(|_| may_sort) else { return false };
        if has_variable(&order.node) {
            return true;
        }
        let (given, none) = (Given::of(field), Variables::default());
        let given = ListArguments::read(object, &self.declaration, &given.bind(&none), None);
        given.is_ok_and(|given| !given.is_held(object, &self.parent))
    }

    /// Whether the counts of a list read the number that the database keeps: it does, and no filter is given.
    pub fn is_counted(&self, field: &Field, variables: &Variables) -> bool {
        self.is_kept && !is_filtered(&Given::of(field).bind(variables))
    }

    /// The number of rows that a page of the list may read, and any other statement over it. `None` where it reads its page only:
    /// without a filter, in an order that an index holds. Arguments that are not valid read nothing.
    pub fn rows(
        &self,
        field: &Field,
        variables: &Variables,
        backend: DbBackend,
        statistics: impl FnOnce() -> Arc<Statistics>,
    ) -> Option<[u64; 2]> {
        if !self.reads_more(field) {
            return None;
        }
        let (statistics, given) = (self.declaration.priced_by(statistics()), Given::of(field));
        let table = statistics.rows(self.object().table.name());
        let arguments = ListArguments::read(self.object(), &self.declaration, &given.bind(variables), None);
        let estimates = arguments.and_then(|it| it.estimates(self.object(), &self.parent, backend, statistics));
        let estimates = estimates.map(|it| [it.page(), it.all()]).unwrap_or_default();
        Some(estimates.map(|estimate| estimate.map_or(0, |estimate| estimate.reads(table))))
    }
}

/// The number of rows that a list with these arguments is expected to have, by the statistics of its table; `None` where they
/// do not tell.
pub(crate) fn expected(
    object: &ObjectType,
    given: &ListArguments,
    is_filtered: bool,
    parent: &[Column],
    backend: DbBackend,
    statistics: Arc<Statistics>,
) -> Option<u64> {
    let rows = statistics.rows(object.table.name());
    match given.estimates(object, parent, backend, statistics).ok()?.all() {
        Some(estimate) => estimate.finds(rows),
        None if is_filtered || !parent.is_empty() => None,
        None => Some(rows),
    }
}

impl fmt::Debug for Scan {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Scan").field(&self.object().name).field(&self.parent).finish()
    }
}
