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
//! SQLite knows no `LATERAL`: there it is a union of one bracket for each parent, and of so many parents a statement as
//! its limit of compound terms allows. Either way the cost is parents × page, whatever the number of children.

use sea_orm::sea_query::{ColumnRef, Condition, Expr, JoinType, Query, SelectStatement};
use sea_orm::{ColumnTrait, ConnectionTrait, DbErr, EntityTrait, FromQueryResult, QueryTrait, Select, Value};

use crate::batch::{BATCH, in_order, of_parent, placed, run, tagged};
use crate::bracket::select;
use crate::dialect::Dialect;
use crate::{Page, Slice};

/// The list of parents.
const PARENTS: &str = "keyset_parents";

/// The same page of the children of each of many parents: the slices, in the order of the parents.
///
/// `column` is the child's reference to its parent. A parent that is named twice has two slices, one that has no
/// children or does not exist has an empty one. On PostgreSQL it is one statement for up to 30,000 parents; on SQLite
/// one for every 400, or for fewer where the query has many parameters.
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
    let page = &page.of_parent();
    let (dialect, query) = (Dialect(db.get_database_backend()), query.into_query());
    let pages = vec![page; parents.len()];
    let statements = if dialect.has_lateral() {
        lateral(&query, column, parents, page, dialect)
    } else {
        union(&query, column, parents, page, dialect)
    };
    run(db, statements, &pages).await
}

/// The parents as a list of values, and the bracket joined to each of them.
fn lateral(
    query: &SelectStatement,
    column: impl ColumnTrait,
    parents: Vec<Value>,
    page: &Page,
    dialect: Dialect,
) -> Vec<SelectStatement> {
    let of = |column: &'static str| Expr::col((PARENTS, column));
    let [place, key] = dialect.value_columns();
    let bracket = select(&of_parent(query, column, of(key)), page, dialect);
    let bracket = placed(bracket, &page.travel().0, dialect);
    let of_parents = |rows: &[(i32, Value)]| {
        let mut statement = Query::select();
        statement
            .expr_as(of(place), BATCH)
            .column(ColumnRef::Asterisk(Some("r".into())))
            .from_values(rows.to_vec(), PARENTS)
            .join_lateral(JoinType::InnerJoin, bracket.clone(), "r", Condition::all().add(Expr::cust("TRUE")));
        in_order(statement)
    };
    let rows: Vec<_> = (0_i32..).zip(parents).collect();
    // A parent is its number and its key; the bracket is there once.
    let most = dialect.limits().1.saturating_sub(dialect.parameters(&bracket)) / 2;
    rows.chunks(most.max(1)).map(of_parents).collect()
}

/// A bracket for each parent.
fn union(
    query: &SelectStatement,
    column: impl ColumnTrait,
    parents: Vec<Value>,
    page: &Page,
    dialect: Dialect,
) -> Vec<SelectStatement> {
    let order = page.travel().0;
    let bracket = |parent: Value| select(&of_parent(query, column, Expr::value(parent)), page, dialect);
    // They differ in the parent alone: the first says how many parameters each of them has.
    let parameters = parents.first().map_or(0, |first| dialect.parameters(&bracket(first.clone())));
    let brackets = parents.into_iter().map(|parent| (bracket(parent), order.clone()));
    tagged(brackets, dialect.terms(parameters), dialect)
}
