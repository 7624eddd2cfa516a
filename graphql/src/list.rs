//! The rows of a list and their order, from the arguments of its field.

use async_graphql::{InputType, Variables};
use keyset::{Column, Order, Statistics, TableRows};
use sea_orm::sea_query::{Expr, ExprTrait as _, Func, JoinType, SelectStatement};
use sea_orm::{Condition, DbBackend};
use std::sync::Arc;

use crate::arguments::Arguments;
use crate::declare::argument::{GivenArgument, ListEstimate, ListRows, OwnOrders};
use crate::declare::declaration::Declaration;
use crate::declare::object::ObjectType;
use crate::declare::relation::Relation;
use crate::filter::{self, Budget, Estimates, Filter, RowEstimate, Target, needs_beside};
use crate::order::{self};
use crate::order::{Criterion, RelatedSort, Sorted};
use crate::scalar::refused;
use crate::{DateTime, Result};

mod scan;

pub use scan::Scan;
pub(crate) use scan::{decides_rows, expected, is_filtered};

/// The arguments of a list, besides those of a page.
pub(crate) struct ListArguments {
    criteria: Vec<Criterion>,
    filter: Option<Filter>,
    as_of: Option<DateTime>,
    own: Vec<Box<dyn GivenArgument>>,
}

impl ListArguments {
    /// Reads them. With the answers of the guards in these variables, they name only fields that the guards allow.
    ///
    /// # Errors
    ///
    /// `BAD_USER_INPUT`, `FILTER_TOO_LARGE`, `ID_INVALID` and `FORBIDDEN`, and those of arguments of the application.
    pub fn read(
        object: &ObjectType,
        declaration: &Declaration,
        arguments: &Arguments<'_>,
        guards: Option<&Variables>,
    ) -> Result<Self> {
        let order_by = arguments.value("orderBy");
        let criteria = match guards {
            Some(guards) => order::permitted(object, order_by.as_ref(), guards)?,
            None => order::criteria(order_by.as_ref())?,
        };
        let filter = arguments.value("where");
        let read = |value| filter::read(object, declaration, &value, &mut Budget::guarded(guards));
        let filter = filter.map(read).transpose()?;
        let as_of = arguments.value("asOf").map(|value| DateTime::parse(Some(value)).map_err(refused)).transpose()?;
        let mut own = Vec::new();
        for argument in &object.arguments {
            if let Some(value) = arguments.value(argument.name()) {
                own.extend(argument.read(value)?);
            }
        }
        Ok(Self { criteria, filter, as_of, own })
    }

    /// Those of a list in this order.
    pub fn ordered_by(criteria: &[Criterion]) -> Self {
        Self { criteria: criteria.to_vec(), filter: None, as_of: None, own: Vec::new() }
    }

    fn sorted(&self, object: &ObjectType, parent: &[Column], backend: DbBackend) -> Result<Sorted> {
        let own: Option<OwnOrders> = self.own.iter().find_map(|given| given.orders(backend));
        Sorted::of(object, &self.criteria, own.as_ref(), parent)
    }

    /// Whether an index holds the order of a list without arguments of its own, as far as that is known.
    pub fn is_held(&self, object: &ObjectType, parent: &[Column]) -> bool {
        let sorted = Sorted::of(object, &self.criteria, None, parent);
        sorted.is_ok_and(|sorted| sorted.related.is_empty() && object.holds(&sorted.order, parent))
    }

    /// Whether the rows of other objects decide which rows there are, or their order.
    pub fn reads_others(&self, object: &ObjectType) -> bool {
        let sorts_by = |sort: &RelatedSort| self.criteria.iter().any(|criterion| criterion.item == sort.item);
        self.filter.as_ref().is_some_and(Filter::reads_others) || object.related_sorts.iter().any(sorts_by)
    }

    /// The rows, without columns, and their order; with the columns that refer to a parent, those of the list of each parent. The
    /// rule of the object itself does not restrict them yet: see [`Table::restrict`](keyset::Table::restrict).
    ///
    /// # Errors
    ///
    /// `ORDER_NOT_OFFERED`.
    pub fn rows(&self, object: &ObjectType, target: &Target<'_>, parent: &[Column]) -> Result<(TableRows, Order)> {
        let Sorted { order, beside, related, key } = self.sorted(object, parent, target.backend)?;
        // The rule of the object itself is added later: the rows without it are kept.
        let mut rows = object.table.rows();
        let mut joined = self.filter.as_ref().map(needs_beside).unwrap_or_default();
        joined.extend(beside);
        target.join_beside(&mut rows.0, object, &joined);
        for (relation, name) in related {
            join_related(&mut rows.0, target, &object.relations[relation], &name);
        }
        if let Some(filter) = &self.filter {
            rows.0.cond_where(target.condition(filter));
        }
        if let Some(DateTime(instant)) = self.as_of {
            let created = keyset::as_of(key, instant);
            // SQLite expects a quarter of the rows, and would skip from value to value in the index of another order.
            let is_sqlite = target.backend == DbBackend::Sqlite;
            rows.0.and_where(if is_sqlite { Expr::from(Func::cust("likely").arg(created)) } else { created });
        }
        let list = (rows, order);
        Ok(self.own.iter().fold(list, |(rows, order), given| {
            let (backend, as_of) = (target.backend, self.as_of.as_ref());
            given.restrict(ListRows { rows, order, backend, as_of, is_of_parent: !parent.is_empty() })
        }))
    }

    /// What the list reads; with columns, that of the parent to which they refer.
    ///
    /// # Errors
    ///
    /// As [`Self::rows`].
    pub fn estimates(
        &self,
        object: &ObjectType,
        parent: &[Column],
        backend: DbBackend,
        statistics: Arc<Statistics>,
    ) -> Result<Estimates> {
        let mut estimates =
            if parent.is_empty() { Estimates::new(statistics) } else { Estimates::of_parent(statistics, parent) };
        let Sorted { order, beside, related, key } = self.sorted(object, parent, backend)?;
        let mut joined = self.filter.as_ref().map(needs_beside).unwrap_or_default();
        joined.extend(beside);
        if let Some(filter) = &self.filter {
            estimates.add(filter);
        }
        if let Some(DateTime(instant)) = self.as_of {
            // What an argument of the application finds is read in any order.
            estimates.as_of(&key, instant, self.own.is_empty().then_some(&order));
        }
        if !joined.is_empty() && estimates.all().is_some() {
            estimates.narrow(RowEstimate::beside(joined.len() as u64));
        }
        if !related.is_empty() || self.own.is_empty() && !object.holds(&order, parent) {
            estimates.read_all(related.len() as u64);
        }
        let list = ListEstimate { order: &order, is_filtered: self.filter.is_some() };
        for given in &self.own {
            given.estimate(&list, &mut estimates);
        }
        Ok(estimates)
    }
}

/// Joins the rows of a relation, of which an object may have none, under this name.
fn join_related(rows: &mut SelectStatement, target: &Target<'_>, relation: &Relation, name: &str) {
    let Some(table) = target.related_table(relation) else { return };
    let on = relation.on().into_iter().map(|(from, to)| from.expr().eq(to.of(name.to_owned()).expr()));
    let on = on.fold(Condition::all(), Condition::add);
    rows.join(JoinType::LeftJoin, table.source(Some(name)), on);
}
