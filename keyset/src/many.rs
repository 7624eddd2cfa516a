//! Many brackets in one statement: a page for each of many parents.
//!
//! On PostgreSQL the parents are a list of values, and the bracket is joined to each of them:
//!
//! ```sql
//! SELECT p.column1 AS keyset_batch, r.*
//! FROM (VALUES (0, $1), (1, $2)) AS p JOIN LATERAL (/* bracket, WHERE book_id = p.column2 */) AS r ON TRUE
//! ORDER BY keyset_batch, keyset_place
//! ```
//!
//! SQLite knows no `LATERAL`: there it is a union of one bracket for each parent, and of so many parents a statement as its
//! limit of compound terms allows. Either way the cost is parents × page, whatever the number of children.

use sea_orm::sea_query::{
    ColumnRef, Condition, Expr, ExprTrait, Func, JoinType, Order as SqlOrder, Query, SelectStatement, WindowStatement,
};
use sea_orm::{ColumnTrait, ConnectionTrait, DbErr, EntityTrait, FromQueryResult, QueryTrait, Select, Value};

use crate::bracket::{order_by_keys, select, union_all, wrapped};
use crate::dialect::Dialect;
use crate::fetch::read;
use crate::slice::Found;
use crate::{Order, Page, Slice};

/// Says which of several brackets a row belongs to, by its place among them.
const BATCH: &str = "keyset_batch";
/// The place of a row in its bracket.
const PLACE: &str = "keyset_place";
/// The list of parents.
const PARENTS: &str = "keyset_parents";

/// The same page of the children of each of many parents: the slices, in the order of the parents.
///
/// `column` is the child's reference to its parent. A parent that is named twice has two slices, one that has no children
/// or does not exist has an empty one. On PostgreSQL it is one statement for up to 30,000 parents; on SQLite one for
/// every 400, or for fewer where the query has many parameters.
///
/// ```no_run
/// # use sea_orm::{EntityTrait, ColumnTrait, QueryFilter, tests_cfg::{cake, fruit}};
/// # use keyset::*;
/// # async fn example(db: &sea_orm::DatabaseConnection) -> Result<(), Box<dyn std::error::Error>> {
/// let page = Page::new(&Args { first: Some(3), ..Args::default() }, &Order::of::<fruit::Entity>([])?, Limits::default())?;
/// let cakes = [1, 2, 3];
/// let slices = fetch_many(db, fruit::Entity::find(), fruit::Column::CakeId, cakes, &page).await?;
/// assert_eq!(slices.len(), 3);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// [`DbErr`] where the database fails.
pub async fn fetch_many<C, E, P>(
    db: &C,
    query: Select<E>,
    column: E::Column,
    parents: P,
    page: &Page,
) -> Result<Vec<Slice<E::Model>>, DbErr>
where
    C: ConnectionTrait,
    E: EntityTrait,
    P: IntoIterator<Item: Into<Value>>,
{
    fetch_many_into(db, query, column, parents, page).await
}

/// [`fetch_many`], into another model than the entity's own, as [`fetch_into`](crate::fetch_into) does.
///
/// # Errors
///
/// [`DbErr`] where the database fails, or a row does not fit the model.
pub async fn fetch_many_into<M, C, Q, P>(
    db: &C,
    query: Q,
    column: impl ColumnTrait,
    parents: P,
    page: &Page,
) -> Result<Vec<Slice<M>>, DbErr>
where
    M: FromQueryResult,
    C: ConnectionTrait,
    Q: QueryTrait<QueryStatement = SelectStatement>,
    P: IntoIterator<Item: Into<Value>>,
{
    let parents: Vec<Value> = parents.into_iter().map(Into::into).collect();
    let (dialect, query) = (Dialect(db.get_database_backend()), query.into_query());
    let mut slices = Vec::with_capacity(parents.len());
    for parents in parents.chunks(parents_a_statement(&query, column, &parents, page, dialect)) {
        let statement = if dialect.has_lateral() {
            lateral(&query, column, parents, page, dialect)
        } else {
            let order = page.travel().0;
            let bracket = |parent: &Value| {
                let children = of_parent(&query, column, Expr::value(parent.clone()));
                (select(&children, page, dialect), order.clone())
            };
            tagged(parents.iter().map(bracket), dialect)
        };
        let pages = vec![page; parents.len()];
        slices.extend(run(db, &statement, &pages).await?);
    }
    Ok(slices)
}

/// How many parents fit into a statement, by the terms of a union and by the parameters.
fn parents_a_statement(
    query: &SelectStatement,
    column: impl ColumnTrait,
    parents: &[Value],
    page: &Page,
    dialect: Dialect,
) -> usize {
    let Some(parent) = parents.first() else { return 1 };
    let (terms, parameters) = dialect.limits();
    let bracket = select(&of_parent(query, column, Expr::value(parent.clone())), page, dialect);
    let used = dialect.statement(&bracket).values.map_or(0, |values| values.0.len());
    // In a list of values a parent is its number and its key; the bracket is there once.
    let most = if dialect.has_lateral() { parameters.saturating_sub(used) / 2 } else { parameters / used.max(1) };
    most.clamp(1, terms)
}

fn of_parent(query: &SelectStatement, column: impl ColumnTrait, parent: Expr) -> SelectStatement {
    let mut children = query.clone();
    children.cond_where(Condition::all().add(column.into_expr().eq(parent)));
    children
}

fn lateral(
    query: &SelectStatement,
    column: impl ColumnTrait,
    parents: &[Value],
    page: &Page,
    dialect: Dialect,
) -> SelectStatement {
    let of = |column: &'static str| Expr::col((PARENTS, column));
    let [place, key] = dialect.value_columns();
    let bracket = select(&of_parent(query, column, of(key)), page, dialect);
    let bracket = placed(bracket, &page.travel().0, dialect);
    let rows = (0_i32..).zip(parents.iter().cloned());
    let mut statement = Query::select();
    statement
        .expr_as(of(place), BATCH)
        .column(ColumnRef::Asterisk(Some("r".into())))
        .from_values(rows, PARENTS)
        .join_lateral(JoinType::InnerJoin, bracket, "r", Condition::all().add(Expr::cust("TRUE")));
    in_order(statement)
}

/// Several brackets in one union, each of whose rows says which it belongs to.
pub(crate) fn tagged(brackets: impl Iterator<Item = (SelectStatement, Order)>, dialect: Dialect) -> SelectStatement {
    let tag = |(batch, (bracket, order)): (usize, _)| {
        let mut rows = placed(bracket, &order, dialect);
        rows.expr_as(Expr::cust(batch.to_string()), BATCH);
        rows
    };
    in_order(union_all(brackets.enumerate().map(tag)))
}

/// Bracket by bracket, and each in its own order.
fn in_order(mut rows: SelectStatement) -> SelectStatement {
    rows.order_by(BATCH, SqlOrder::Asc).order_by(PLACE, SqlOrder::Asc).take()
}

/// A bracket whose rows are numbered: whatever it becomes part of can keep their order.
fn placed(bracket: SelectStatement, order: &Order, dialect: Dialect) -> SelectStatement {
    let mut window = WindowStatement::new();
    order_by_keys(&mut window, order, dialect);
    let mut rows = wrapped(bracket);
    rows.expr_window_as(Func::cust("ROW_NUMBER"), window, PLACE);
    rows
}

/// Runs a statement of several brackets, and cuts each of them by its page.
pub(crate) async fn run<M, C>(db: &C, statement: &SelectStatement, pages: &[&Page]) -> Result<Vec<Slice<M>>, DbErr>
where
    M: FromQueryResult,
    C: ConnectionTrait,
{
    let dialect = Dialect(db.get_database_backend());
    let mut found: Vec<Vec<Found<M>>> = pages.iter().map(|_| Vec::new()).collect();
    for row in db.query_all_raw(dialect.statement(statement)).await? {
        let place: i32 = row.try_get("", BATCH)?;
        let place = usize::try_from(place).map_err(|error| DbErr::Type(error.to_string()))?;
        found[place].push(read(&row, pages[place], dialect)?);
    }
    Ok(found.into_iter().zip(pages).map(|(found, page)| Slice::cut(found, page)).collect())
}
