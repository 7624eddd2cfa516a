//! Whether a row that is known, and that the table may not have any more, is among those that are read.

use sea_orm::sea_query::{Expr, Query};
use sea_orm::{DbErr, Value};

use crate::dialect::Dialect;
use crate::{ReadRows, Table};

/// Whether a row with these values, in the order of the columns, fulfils the condition of a table of which
/// [only](Table::only) some rows are read: one statement, or none if all are. It need not be in the table: it can have been deleted.
/// Sub-queries of the condition read the tables as they are now.
///
/// # Errors
///
/// [`DbErr`] if the database fails.
pub async fn has_row<C: ReadRows + ?Sized>(db: &C, table: &Table, values: &[Value]) -> Result<bool, DbErr> {
    let Some(rows) = table.restriction() else { return Ok(true) };
    let mut row = Query::select();
    for (column, value) in table.columns().iter().zip(values) {
        row.expr_as(column.bound(Expr::value(value.clone())), column.iden());
    }
    let mut rows = rows.clone();
    rows.clear_selects().expr(Expr::cust("1")).from_clear().from_subquery(row, table.name().to_owned());
    Ok(!db.read(Dialect::of(db)?.statement(&rows)).await?.is_empty())
}
