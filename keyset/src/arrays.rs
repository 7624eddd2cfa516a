//! Lists as arrays: PostgreSQL sends one row for each list, with an array for each column.
//!
//! ```sql
//! SELECT array_agg(r.id), array_agg(r.name), array_agg(cake_1.name)
//! FROM (/* bracket */) AS r LEFT JOIN cake AS cake_1 ON cake_1.id = r.cake_id
//! ```
//!
//! A row of its own for each element takes the database, the connection and the driver more time than the element. `DISTINCT` and
//! `ORDER BY` are in no aggregate: all arrays have the order of the rows.

use std::sync::Arc;

use sea_orm::DbErr;
use sea_orm::sea_query::{Expr, Func, Query, SelectStatement};

use crate::bracket::{select, select_unordered};
use crate::dialect::Dialect;
use crate::join::{ROWS, join_tables};
use crate::range::Index;
use crate::row_order::RowOrder;
use crate::slice::Reader;
use crate::{Columns, Join, Page, Record, Slice};

/// The rows of one list, as arrays.
pub(crate) struct ListArrays {
    pub(crate) select: SelectStatement,
    /// The name of each array.
    pub(crate) columns: Arc<Columns>,
}

impl ListArrays {
    /// The page of these rows, with their relations.
    ///
    /// # Errors
    ///
    /// [`DbErr::Type`] if the query selects an expression without a name.
    pub(crate) fn of(children: &SelectStatement, page: &Page, joins: &[Join], dialect: Dialect) -> Result<Self, DbErr> {
        let order = RowOrder::of(children, joins, page);
        let names = order.names(children, page);
        let names = names.ok_or_else(|| DbErr::Type("each column of a list needs a name".into()))?;
        let bracket = if order.is_compared_here() {
            select_unordered(children, page, &order, Index::OfParent, dialect)
        } else {
            select(children, page, &order, Index::OfParent, dialect)
        };
        let mut rows = Query::select().from_subquery(bracket, ROWS).take();
        join_tables(&mut rows, joins, dialect);
        let own = names.iter().map(|name| (Expr::col((ROWS, name.clone())), name.to_string()));
        let columns: Vec<_> = own.chain(joins.iter().flat_map(Join::selected)).collect();
        let array = |expr: Expr| Func::cust("array_agg").arg(expr);
        let select = if joins.is_empty() || order.is_compared_here() {
            rows.exprs(columns.iter().map(|(expr, _)| Expr::from(array(expr.clone())))).take()
        } else {
            // The joins may not keep the order of the rows. Their columns can have the names of others.
            let name = |place: usize| format!("keyset_column_{place}");
            for (place, (expr, _)) in columns.iter().enumerate() {
                rows.expr_as(expr.clone(), name(place));
            }
            order.sort_table(&mut rows, ROWS, dialect);
            let arrays = (0..columns.len()).map(|place| Expr::from(array(Expr::col((ROWS, name(place))))));
            Query::select().exprs(arrays).from_subquery(rows, ROWS).take()
        };
        Ok(Self { select, columns: Arc::new(Columns::new(columns.iter().map(|(_, name)| name))) })
    }
}

/// The column with the number of rows of a list of a row: see [`Many::Arrays`](crate::Many::Arrays).
pub fn length_of_list(list: usize) -> String {
    format!("keyset_list_{list}")
}

/// The slice of this list of each row. The records are those of all of these lists.
pub(crate) fn slices_of(
    rows: &[Record],
    list: usize,
    records: Vec<Record>,
    page: &Page,
) -> Result<Vec<Slice<Record>>, DbErr> {
    let (length, mut records, mut reader) = (length_of_list(list), records.into_iter(), Reader::new(page));
    let slice = |row: &Record| {
        let length: usize = row.int(&length)?.try_into().unwrap_or_default();
        Slice::of(records.by_ref().take(length), &mut reader)
    };
    rows.iter().map(slice).collect()
}
