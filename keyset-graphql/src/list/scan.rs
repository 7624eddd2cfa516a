//! What the filter of a list reads, before it is executed.

use std::fmt;
use std::sync::Arc;

use async_graphql::Variables;
use async_graphql::parser::types::Field;
use keyset::Statistics;
use sea_orm::{DbBackend, Iden};

use super::{ListArgs, Listed};
use crate::Result;
use crate::arguments::{Arguments, Given, size};
use crate::filter::{Reach, Scope};
use crate::object::{Column, RowObject};

/// Arguments that leave out no row of the list.
const OF_PAGE: [&str; 7] = ["first", "after", "last", "before", "offset", "around", "orderBy"];

/// How many rows a list reads to find those that match its filter.
#[derive(Clone)]
pub struct Scan {
    /// The type of its objects, and what refers to their parent.
    of: (&'static str, Option<String>),
    reach: Arc<Reached>,
    rows: fn(&Statistics) -> u64,
}

type Reached = dyn Fn(&Arguments<'_>, &mut Scope) -> Result<Option<Reach>> + Send + Sync;

impl Scan {
    /// The list of all objects, or of those of one parent, to which this column refers.
    pub(crate) fn of<U: Listed>(parent: Option<Column<U>>) -> Self {
        let reach = move |arguments: &Arguments<'_>, scope: &mut Scope| {
            if let Some(column) = &parent {
                scope.of_parent(column);
            }
            U::rows(&U::Args::read(arguments)?, scope)?;
            Ok(scope.reach())
        };
        Self {
            of: (U::NAME, parent.map(|column| column.unquoted().to_owned())),
            reach: Arc::new(reach),
            rows: |statistics| statistics.rows(<U as RowObject>::Entity::default()),
        }
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

    /// The number of rows that a statement over the list may read: 0 without a filter, because it then reads its page only.
    /// A filter that is not valid reads nothing.
    pub fn rows(
        &self,
        field: &Field,
        variables: &Variables,
        backend: DbBackend,
        statistics: impl FnOnce() -> Arc<Statistics>,
    ) -> u64 {
        if !Self::is_filtered(field) {
            return 0;
        }
        let statistics = statistics();
        let (given, mut scope) = (Given::of(field), Scope::priced(backend, Arc::clone(&statistics)));
        let reach = (self.reach)(&given.bind(variables), &mut scope).ok().flatten();
        reach.map_or(0, |reach| reach.reads((self.rows)(&statistics)))
    }
}

impl PartialEq for Scan {
    fn eq(&self, other: &Self) -> bool {
        self.of == other.of
    }
}

impl fmt::Debug for Scan {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Scan").field(&self.of).finish()
    }
}
