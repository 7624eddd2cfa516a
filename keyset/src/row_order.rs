//! The columns of a bracket by which its rows are told apart and are in order: the segment, and the keys.
//!
//! A database computes, sends and converts each column of each row. So a key that the query selects as a column has no other
//! column, and where all rows have one segment, the segment is not selected. A computed order has columns of its own for all
//! keys, and so has a query with an expression without an alias: the database chooses its name.

use sea_orm::DynIden;
use sea_orm::sea_query::{Alias, Expr, IntoIden, OrderedStatement, SelectExpr, SelectStatement};

use crate::bracket::INSIDE;
use crate::dialect::Dialect;
use crate::{Join, Order, Page, Sort, range};

/// The column with the branch of a row: [`WITNESS`](crate::bracket::WITNESS), or a range of the page, counted from 1 at the
/// nearest. Where it is absent, all rows are of the only range.
pub(crate) const SEGMENT: &str = "keyset_segment";

/// The segment of all rows without the column.
pub(crate) const ONLY_SEGMENT: i32 = 1;

/// The columns that put the rows of a page in order, and its branches apart.
pub(crate) struct RowOrder {
    /// From the end that the page is counted from.
    order: Order,
    keys: Vec<KeyColumn>,
    has_segment: bool,
}

/// The column with the value of a sort.
pub(crate) struct KeyColumn {
    pub(crate) name: DynIden,
    /// Whether the query selects it.
    pub(crate) is_selected: bool,
}

impl RowOrder {
    /// Of the rows of this page of a query, to which these relations are joined.
    pub(crate) fn of(query: &SelectStatement, joins: &[Join], page: &Page) -> Self {
        let order = page.travel().0;
        // Otherwise, the bracket has one branch.
        let has_segment = page.near().is_some() || page.around.is_some() || range::all(&order).len() > 1;
        let keys = key_columns(query, joins, &order);
        Self { order, keys, has_segment }
    }

    /// The same for a union of several pages' rows, which have the same columns.
    pub(crate) fn in_union(query: &SelectStatement, joins: &[Join], page: &Page) -> Self {
        Self { has_segment: true, ..Self::of(query, joins, page) }
    }

    pub(crate) fn keys(&self) -> &[KeyColumn] {
        &self.keys
    }

    pub(crate) fn has_segment(&self) -> bool {
        self.has_segment
    }

    /// The names of the columns of the bracket of a page: those of the query, and these. None if the database chooses some of them.
    pub(crate) fn names(&self, query: &SelectStatement, page: &Page) -> Option<Vec<DynIden>> {
        let mut names: Vec<_> = selected(query)?.into_iter().map(|(name, _)| name).collect();
        names.extend(self.keys.iter().filter(|key| !key.is_selected).map(|key| key.name.clone()));
        names.extend(self.has_segment.then(|| SEGMENT.into_iden()));
        names.extend(page.far().map(|_| INSIDE.into_iden()));
        Some(names)
    }

    /// Whether the rows are put in order where they are read.
    pub(crate) fn is_compared_here(&self) -> bool {
        self.order.is_compared_here()
    }

    /// Orders a union of branches, or a window over its rows.
    pub(crate) fn sort(&self, rows: &mut impl OrderedStatement, dialect: Dialect) {
        self.order_by(rows, Expr::col, dialect);
    }

    /// Orders a statement that has the rows in the table of this name, beside others.
    pub(crate) fn sort_table(&self, rows: &mut impl OrderedStatement, table: &'static str, dialect: Dialect) {
        self.order_by(rows, |name: DynIden| Expr::col((table, name)), dialect);
    }

    fn order_by(&self, rows: &mut impl OrderedStatement, column: impl Fn(DynIden) -> Expr, dialect: Dialect) {
        for (KeyColumn { name, .. }, sort) in self.keys.iter().zip(self.order.sorts()) {
            dialect.order_by(rows, column(name.clone()), sort, sort.nullable);
        }
    }
}

/// The columns with the keys of a query's rows. A selected column is used if nothing else in the result has its name, so that
/// the reader finds it by its name (`slice::position`).
pub(crate) fn key_columns(query: &SelectStatement, joins: &[Join], order: &Order) -> Vec<KeyColumn> {
    // The rows of a computed order have their keys in columns of their own.
    let selected = if order.is_computed() { Vec::new() } else { selected(query).unwrap_or_default() };
    let key = |(place, sort): (usize, &Sort)| {
        let name = sort.column_name().filter(|name| {
            // SQLite does not tell capitals from small letters.
            let is_alike = |other: &str| other.eq_ignore_ascii_case(&name.inner());
            let mut of_name = selected.iter().filter(|(other, _)| is_alike(&other.inner()));
            of_name.next().is_some_and(|(other, expr)| other == *name && *expr == sort.expr)
                && of_name.next().is_none()
                && !joins.iter().flat_map(Join::aliases).any(is_alike)
        });
        let is_selected = name.is_some();
        KeyColumn { name: name.cloned().unwrap_or_else(|| key_column(place)), is_selected }
    };
    order.sorts().iter().enumerate().map(key).collect()
}

/// The column that is selected for the value of the sort at this position, unless the query selects it anyway.
pub(crate) fn key_column(place: usize) -> DynIden {
    // Few orders have more sorts. These names need no allocation.
    const FIRST: [&str; 4] = ["keyset_0", "keyset_1", "keyset_2", "keyset_3"];
    FIRST.get(place).map_or_else(|| Alias::new(format!("keyset_{place}")).into_iden(), |name| name.into_iden())
}

/// The names in a query's result, and what they are; none if the database chooses some of them.
fn selected(query: &SelectStatement) -> Option<Vec<(DynIden, Expr)>> {
    let mut selected = Some(Vec::new());
    query.clone().exprs_mut_for_each(|SelectExpr { expr, alias, .. }| {
        let name = alias.clone().or_else(|| match expr {
            Expr::Column(column) => column.column().cloned(),
            _ => None,
        });
        selected = selected.take().zip(name).map(|(mut names, name)| {
            names.push((name, expr.clone()));
            names
        });
    });
    selected
}
