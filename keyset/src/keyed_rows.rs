//! A query's rows with their keys, and the statements that read keys alone.

use sea_orm::sea_query::{CommonTableExpression, Expr, Query, SelectStatement, WithClause};

use crate::count::limited_count;
use crate::dialect::Dialect;
use crate::range::{self, Edge, Index, Range};
use crate::row_order::{KeyColumn, key_column, key_columns};
use crate::{Key, Order};

/// The table of the rows of a computed order.
const CANDIDATES: &str = "keyset_candidates";

/// A query's rows, with the keys among their columns.
pub(crate) struct KeyedRows {
    pub(crate) rows: SelectStatement,
    pub(crate) candidates: Option<WithClause>,
}

impl KeyedRows {
    /// The query itself, so that each statement over a range is a descent of an index. A computed order has no index: then
    /// the query's rows are computed once, and the statements select from them.
    pub(crate) fn of(query: &SelectStatement, order: &Order, keys: &[KeyColumn]) -> Self {
        let mut rows = query.clone();
        rows.clear_order_by().reset_limit().reset_offset();
        for (KeyColumn { name, is_selected }, sort) in keys.iter().zip(order.sorts()) {
            if !is_selected {
                rows.expr_as(sort.expr.clone(), name.clone());
            }
        }
        if !order.is_computed() {
            return Self { rows, candidates: None };
        }
        let table = CommonTableExpression::new().table_name(CANDIDATES).query(rows).materialized(true).to_owned();
        let rows = Query::select().expr(Expr::cust("*")).from(CANDIDATES).take();
        Self { rows, candidates: Some(WithClause::new().cte(table).to_owned()) }
    }

    /// Converts an order over the query to an order over these rows.
    pub(crate) fn order(&self, order: Order) -> Order {
        if self.candidates.is_some() { order.over_columns(key_column) } else { order }
    }

    /// The keys alone, in the form of a page's rows.
    fn keys(query: &SelectStatement, order: &Order) -> (SelectStatement, Order) {
        let query = query.clone().clear_selects().take();
        let keyed = Self::of(&query, order, &key_columns(&query, &[], order));
        let order = keyed.order(order.clone());
        let mut rows = keyed.rows;
        if let Some(candidates) = keyed.candidates {
            rows.with_cte(candidates);
        }
        (rows, order)
    }
}

/// Up to `limit` keys of one of the ranges that make up all rows, counted from 0, in order.
pub(crate) fn keys_of_range(
    query: &SelectStatement,
    order: &Order,
    number: usize,
    limit: u64,
    index: Index,
    dialect: Dialect,
) -> SelectStatement {
    let (rows, order) = KeyedRows::keys(query, order);
    let ranges = range::all(&order);
    ranges.get(number).map_or_else(|| rows.clone(), |range| confined(&rows, range, &order, limit, index, dialect))
}

/// The statements whose sum is the number of rows strictly beyond a key. Each counts up to a limit.
pub(crate) fn counts_beyond(
    query: &SelectStatement,
    order: &Order,
    key: &Key,
    limit: u64,
    index: Index,
    dialect: Dialect,
) -> Vec<SelectStatement> {
    let (rows, order) = KeyedRows::keys(query, order);
    let count = |range: &Range| counted(confined(&rows, range, &order, limit, index, dialect), limit);
    range::beyond(&order, &key.bind(&order, dialect), Edge::Exclusive, dialect).iter().map(count).collect()
}

/// The number of these keys, up to a limit. Their order does not matter.
pub(crate) fn counted(mut keys: SelectStatement, limit: u64) -> SelectStatement {
    limited_count(keys.clear_selects().clear_order_by().take(), limit)
}

/// The keys in a range, in order.
fn confined(
    rows: &SelectStatement,
    range: &Range,
    order: &Order,
    limit: u64,
    index: Index,
    dialect: Dialect,
) -> SelectStatement {
    let mut keys = rows.clone();
    match order.postings() {
        None => range.confine(&mut keys, order, index, dialect),
        Some(postings) => keys = postings.keys(rows, range, order, limit, dialect, key_column(0)),
    }
    keys
}
