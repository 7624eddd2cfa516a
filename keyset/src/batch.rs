//! Many queries in as few statements as the database accepts.
//!
//! Each row holds the number of its query, so it does not matter where one statement ends and the next begins.

use sea_orm::DbErr;
use sea_orm::sea_query::{Expr, Func, Order as SqlOrder, SelectStatement, WindowStatement};

use crate::bracket::{union_all, wrapped};
use crate::dialect::Dialect;
use crate::row_order::RowOrder;
use crate::slice::{Found, Reader};
use crate::{Page, ReadRows, Record, Slice};

/// The column with the number of the row's query.
pub(crate) const BATCH: &str = "keyset_batch";
/// The column with the position of a row in its bracket.
const PLACE: &str = "keyset_place";

/// These terms in unions of up to `size` terms: see [`Dialect::terms`].
pub(crate) fn unions(terms: impl Iterator<Item = SelectStatement>, size: usize) -> Vec<SelectStatement> {
    let mut terms = terms.peekable();
    let union = || terms.peek().is_some().then(|| union_all(terms.by_ref().take(size)));
    std::iter::from_fn(union).collect()
}

/// The brackets in as few unions as the database accepts. Each row holds the number of its bracket.
pub(crate) fn tagged(brackets: Vec<(SelectStatement, RowOrder)>, dialect: Dialect) -> Vec<SelectStatement> {
    // A key with NULLs has fewer parameters than others.
    let parameters = brackets.iter().map(|(bracket, _)| dialect.parameters(bracket)).max().unwrap_or_default();
    let tag = |(batch, (bracket, order)): (usize, _)| {
        let mut rows = placed(bracket, &order, dialect);
        rows.expr_as(Expr::cust(batch.to_string()), BATCH);
        rows
    };
    let brackets = brackets.into_iter().enumerate().map(tag);
    unions(brackets, dialect.terms(parameters)).into_iter().map(order_rows).collect()
}

/// Statements of one row at most each, in unions. Each row holds the number of its statement.
pub(crate) fn tagged_each(rows: impl Iterator<Item = SelectStatement>, dialect: Dialect) -> Vec<SelectStatement> {
    let tag = |(batch, rows): (usize, _)| wrapped(rows).expr_as(Expr::cust(batch.to_string()), BATCH).take();
    let rows: Vec<_> = rows.enumerate().map(tag).collect();
    let parameters = rows.iter().map(|rows| dialect.parameters(rows)).max().unwrap_or_default();
    unions(rows.into_iter(), dialect.terms(parameters))
}

/// Runs these statements, and returns each row with its number.
pub(crate) async fn run_each<C>(
    db: &C,
    statements: Vec<SelectStatement>,
    dialect: Dialect,
) -> Result<Vec<(usize, Record)>, DbErr>
where
    C: ReadRows + ?Sized,
{
    let mut found = Vec::new();
    for statement in statements {
        for row in db.read(dialect.statement(&statement)).await? {
            found.push((batch(&row)?, row));
        }
    }
    Ok(found)
}

/// Orders rows by bracket, and within each bracket by its own order.
pub(crate) fn order_rows(mut rows: SelectStatement) -> SelectStatement {
    rows.order_by(BATCH, SqlOrder::Asc).order_by(PLACE, SqlOrder::Asc).take()
}

/// A bracket whose rows are numbered, so that a larger statement can keep their order.
pub(crate) fn placed(bracket: SelectStatement, order: &RowOrder, dialect: Dialect) -> SelectStatement {
    let mut window = WindowStatement::new();
    order.sort(&mut window, dialect);
    let mut rows = wrapped(bracket);
    rows.expr_window_as(Func::cust("ROW_NUMBER"), window, PLACE);
    rows
}

/// Runs statements of many brackets, and cuts each bracket by its page.
pub(crate) async fn run<C>(
    db: &C,
    statements: Vec<SelectStatement>,
    pages: &[&Page],
    dialect: Dialect,
) -> Result<Vec<Slice<Record>>, DbErr>
where
    C: ReadRows + ?Sized,
{
    let mut found: Vec<Vec<Found<Record>>> = pages.iter().map(|_| Vec::new()).collect();
    let mut readers: Vec<_> = pages.iter().map(|page| Reader::new(page)).collect();
    for statement in statements {
        for row in db.read(dialect.statement(&statement)).await? {
            let place = batch(&row)?;
            found[place].push(readers[place].read(row)?);
        }
    }
    Ok(found.into_iter().zip(pages).map(|(found, page)| Slice::cut(found, page)).collect())
}

/// The number of a row's query.
pub(crate) fn batch(row: &Record) -> Result<usize, DbErr> {
    usize::try_from(row.int(BATCH)?).map_err(|error| DbErr::Type(error.to_string()))
}
