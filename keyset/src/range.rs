//! A contiguous part of one index.
//!
//! Planners execute an `OR` as a filter over a scan. So the rows strictly beyond a key are a disjoint union of ranges,
//! and each range is one descent of an index:
//!
//! ```sql
//! -- beyond the key (v1, v2, v3) under a DESC, b ASC, id DESC, from the nearest to the farthest
//! a = v1 AND b = v2 AND id < v3
//! a = v1 AND b > v2
//! a < v1
//! ```
//!
//! A sort that can be NULL adds a range, because a comparison never finds a NULL. Adjacent ranges in the same direction
//! are one row-value comparison if the database seeks it: under `a DESC, id DESC` the rows beyond `(v1, v2)` are
//! `(a, id) < (v1, v2)`.

use sea_orm::sea_query::{Condition, Expr, ExprTrait, SelectStatement};

use crate::dialect::Dialect;
use crate::{Direction, Nulls, Order, Sort};

/// The values of a position in the order, one for each sort. `None` is NULL.
pub(crate) type Place = Vec<Option<Expr>>;

/// Rows that are equal on a prefix of the order's sorts and bounded on the next ones.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Range {
    /// The values of the first sorts.
    pins: Place,
    bound: Bound,
}

#[derive(Clone, Debug, PartialEq)]
enum Bound {
    /// Every row with the pinned values. The next sort is never NULL.
    Open,
    /// The rows whose next sort is not NULL.
    NotNull,
    /// The rows whose next sorts, as a row value, lie past these values.
    Past(Vec<Expr>, Edge),
}

/// The index that is expected to serve the ranges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Index {
    /// It begins with the first sort of the order.
    OfOrder,
    /// It begins with the reference to the parent.
    OfParent,
}

/// Whether the key itself belongs to a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Edge {
    Exclusive,
    Inclusive,
}

/// All rows, from the first to the last.
pub(crate) fn all(order: &Order) -> Vec<Range> {
    open(order, Vec::new())
}

/// The rows beyond a position, from the nearest to the farthest.
pub(crate) fn beyond(order: &Order, values: &[Option<Expr>], edge: Edge, dialect: Dialect) -> Vec<Range> {
    let sorts = order.sorts();
    let mut ranges = Vec::new();
    let mut end = sorts.len();
    while end > 0 {
        let start = run(order, values, end, dialect);
        let pins = || values[..start].to_vec();
        let sort = &sorts[start];
        let last_nulls = sort.nullable && sort.nulls == Nulls::Last;

        if values[start].is_some() {
            let edge = if end == sorts.len() { edge } else { Edge::Exclusive };
            ranges.push(Range {
                pins: pins(),
                bound: Bound::Past(values[start..end].iter().flatten().cloned().collect(), edge),
            });
            if last_nulls {
                ranges.extend(open(order, [pins(), vec![None]].concat()));
            }
        } else if !last_nulls {
            ranges.push(Range { pins: pins(), bound: Bound::NotNull });
        }
        end = start;
    }
    ranges
}

/// The start of the longest run of sorts, up to `end`, that one row-value comparison serves: they have the same
/// direction, and none but the first can be NULL.
fn run(order: &Order, values: &[Option<Expr>], end: usize, dialect: Dialect) -> usize {
    let sorts = order.sorts();
    let mut start = end - 1;
    while start > 0
        && !sorts[start].nullable
        && sorts[start - 1].direction == sorts[start].direction
        && values[start - 1].is_some()
        && dialect.seeks_together(&sorts[start - 1], &sorts[start], start + 1 == sorts.len())
    {
        start -= 1;
    }
    start
}

/// Every row with the pinned values, in order. If the next sort can be NULL, the NULLs are a separate range, so that
/// any index serves any placement of them.
fn open(order: &Order, pins: Place) -> Vec<Range> {
    let place = pins.len();
    let Some(sort) = order.sorts().get(place).filter(|sort| sort.nullable) else {
        return vec![Range { pins, bound: Bound::Open }];
    };
    let nulls = open(order, [pins.clone(), vec![None]].concat());
    let values = vec![Range { pins, bound: Bound::NotNull }];
    match sort.nulls {
        Nulls::First => [nulls, values].concat(),
        Nulls::Last => [values, nulls].concat(),
    }
}

impl Range {
    /// The rows of this range, as a predicate.
    pub(crate) fn condition(&self, order: &Order, index: Index, dialect: Dialect) -> Condition {
        let sorts = order.sorts();
        let mut condition = Condition::all();
        for (place, (sort, value)) in sorts.iter().zip(&self.pins).enumerate() {
            let expr = sort.expr.clone();
            condition = condition.add(match value {
                None => expr.is_null(),
                Some(value) if place == 0 && self.pins_index(order, index) => dialect.pinned(expr, value.clone()),
                Some(value) => expr.eq(value.clone()),
            });
        }
        let next = &sorts[self.pins.len()..];
        match &self.bound {
            Bound::Open => condition,
            Bound::NotNull => condition.add(dialect.not_null(&next[0])),
            Bound::Past(values, edge) => {
                let (sorts, rest) = next.split_at(values.len());
                // A whole key is that of one row at most.
                if *edge == Edge::Exclusive && rest.is_empty() && dialect.estimates_by_first(sorts) {
                    condition.add(past(sorts, values, Edge::Inclusive)).add(columns(sorts).ne(row(values.clone())))
                } else {
                    condition.add(past(sorts, values, *edge))
                }
            }
        }
    }

    /// Whether the first column of the index is pinned, and only the last sort is left to order by: see
    /// [`Dialect::pinned`].
    fn pins_index(&self, order: &Order, index: Index) -> bool {
        index == Index::OfOrder && self.pins.len() + 1 == order.sorts().len()
    }

    /// Confines a statement to the rows of this range, in order.
    ///
    /// A pinned column needs no order, unless the planner recognises the index by it. The placement of NULLs is omitted
    /// if the range has none, so that any index serves the first sort. After another sort, PostgreSQL always needs the
    /// placement: the index must have it, and is recognised by it.
    pub(crate) fn confine(&self, statement: &mut SelectStatement, order: &Order, index: Index, dialect: Dialect) {
        let condition = self.condition(order, index, dialect);
        if !condition.is_empty() {
            statement.cond_where(condition);
        }
        for (place, sort) in order.sorts().iter().enumerate() {
            let ordered = match self.pins.get(place) {
                None => true,
                Some(None) => dialect.orders_by_nulls(),
                Some(_) => place == 0 && self.pins_index(order, index) && dialect.orders_by_pins(),
            };
            if !ordered {
                continue;
            }
            let mixed = place > self.pins.len() || (place == self.pins.len() && self.bound == Bound::Open);
            let placed = sort.nullable && (mixed || (place > 0 && dialect.orders_by_nulls()));
            dialect.order_by(statement, sort.expr.clone(), sort, placed);
        }
    }
}

/// `(a, b) > (v1, v2)`, in the direction of the sorts.
fn past(sorts: &[Sort], values: &[Expr], edge: Edge) -> Expr {
    let (left, right) = (columns(sorts), row(values.to_vec()));
    match (sorts[0].direction, edge) {
        (Direction::Asc, Edge::Exclusive) => left.gt(right),
        (Direction::Asc, Edge::Inclusive) => left.gte(right),
        (Direction::Desc, Edge::Exclusive) => left.lt(right),
        (Direction::Desc, Edge::Inclusive) => left.lte(right),
    }
}

/// `(a, b)`
fn columns(sorts: &[Sort]) -> Expr {
    row(sorts.iter().map(|sort| sort.expr.clone()).collect())
}

/// A row value, or the expression itself if there is only one.
fn row(mut exprs: Vec<Expr>) -> Expr {
    if exprs.len() == 1 { exprs.remove(0) } else { Expr::tuple(exprs) }
}

#[cfg(test)]
mod tests {
    use sea_orm::tests_cfg::cake;

    use super::*;
    use crate::Placement;

    /// The rows beyond a key under two sorts in one direction.
    #[test]
    fn where_row_values_are_not_sought_each_sort_has_a_range_of_its_own() {
        let order = Order::of::<cake::Entity>([Sort::desc(cake::Column::Name)]).unwrap();
        let key = [Some(Expr::val("a")), Some(Expr::val(1))];
        let pins = |placement| -> Vec<usize> {
            let dialect = Dialect::Postgres { placement };
            beyond(&order, &key, Edge::Exclusive, dialect).iter().map(|range| range.pins.len()).collect()
        };
        assert_eq!(pins(Placement::Here), [0]);
        // `name = 'a' AND id < 1`, then `name < 'a'`.
        assert_eq!(pins(Placement::Foreign), [1, 0]);
    }
}
