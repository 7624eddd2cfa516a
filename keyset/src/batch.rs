//! The same query for each of many parents, in as few statements as the database takes.
//!
//! Each row says which query it answers, by that one's place among all of them; so it does not matter where one
//! statement ends and the next begins.

use sea_orm::sea_query::{Condition, Expr, ExprTrait, Func, Order as SqlOrder, SelectStatement, WindowStatement};
use sea_orm::{ColumnTrait, ConnectionTrait, DbErr, FromQueryResult, QueryResult, Value};

use crate::bracket::{order_by_keys, union_all, wrapped};
use crate::dialect::Dialect;
use crate::fetch::read;
use crate::slice::Found;
use crate::{Order, Page, Slice};

/// Says which of several queries a row answers, by its place among them.
pub(crate) const BATCH: &str = "keyset_batch";
/// The place of a row in its bracket.
const PLACE: &str = "keyset_place";

/// The rows of a query that belong to a parent.
pub(crate) fn of_parent(query: &SelectStatement, column: impl ColumnTrait, parent: Expr) -> SelectStatement {
    let mut children = query.clone();
    children.cond_where(Condition::all().add(column.into_expr().eq(parent)));
    children
}

/// The query of each of these parents.
pub(crate) fn of_parents<P>(query: &SelectStatement, column: impl ColumnTrait, parents: P) -> Vec<SelectStatement>
where
    P: IntoIterator<Item: Into<Value>>,
{
    parents.into_iter().map(|parent| of_parent(query, column, Expr::value(parent))).collect()
}

/// These terms in unions of so many: see [`Dialect::terms`].
pub(crate) fn unions(terms: impl Iterator<Item = SelectStatement>, size: usize) -> Vec<SelectStatement> {
    let mut terms = terms.peekable();
    let union = || terms.peek().is_some().then(|| union_all(terms.by_ref().take(size)));
    std::iter::from_fn(union).collect()
}

/// The brackets in unions of so many, each of whose rows says which it belongs to.
pub(crate) fn tagged(
    brackets: impl Iterator<Item = (SelectStatement, Order)>,
    size: usize,
    dialect: Dialect,
) -> Vec<SelectStatement> {
    let tag = |(batch, (bracket, order)): (usize, _)| {
        let mut rows = placed(bracket, &order, dialect);
        rows.expr_as(Expr::cust(batch.to_string()), BATCH);
        rows
    };
    unions(brackets.enumerate().map(tag), size).into_iter().map(in_order).collect()
}

/// Bracket by bracket, and each in its own order.
pub(crate) fn in_order(mut rows: SelectStatement) -> SelectStatement {
    rows.order_by(BATCH, SqlOrder::Asc).order_by(PLACE, SqlOrder::Asc).take()
}

/// A bracket whose rows are numbered: whatever it becomes part of can keep their order.
pub(crate) fn placed(bracket: SelectStatement, order: &Order, dialect: Dialect) -> SelectStatement {
    let mut window = WindowStatement::new();
    order_by_keys(&mut window, order, dialect);
    let mut rows = wrapped(bracket);
    rows.expr_window_as(Func::cust("ROW_NUMBER"), window, PLACE);
    rows
}

/// Runs statements of several brackets, and cuts each of them by its page.
pub(crate) async fn run<M, C>(db: &C, statements: Vec<SelectStatement>, pages: &[&Page]) -> Result<Vec<Slice<M>>, DbErr>
where
    M: FromQueryResult,
    C: ConnectionTrait,
{
    let dialect = Dialect(db.get_database_backend());
    let mut found: Vec<Vec<Found<M>>> = pages.iter().map(|_| Vec::new()).collect();
    for statement in statements {
        for row in db.query_all_raw(dialect.statement(&statement)).await? {
            let place = batch(&row)?;
            found[place].push(read(&row, pages[place], dialect)?);
        }
    }
    Ok(found.into_iter().zip(pages).map(|(found, page)| Slice::cut(found, page)).collect())
}

/// Which of several queries a row answers.
pub(crate) fn batch(row: &QueryResult) -> Result<usize, DbErr> {
    let place: i32 = row.try_get("", BATCH)?;
    usize::try_from(place).map_err(|error| DbErr::Type(error.to_string()))
}
