//! The number of rows: never part of paging.

use std::collections::HashMap;
use std::mem::discriminant;

use sea_orm::sea_query::{Condition, Expr, Func, Query, SelectStatement};
use sea_orm::{DbErr, Statement, Value};
use smallvec::SmallVec;

use crate::among::one_of;
use crate::dialect::Dialect;
use crate::source::{Parents, parent_name, widened};
use crate::{Column, Kind, ReadRows, Record, Source};

/// The column with a number of rows.
pub(crate) const COUNT: &str = "count";

/// Counts the rows of a query exactly, or of each of [`Lists`](crate::Lists), with a bare `COUNT(*)` that reads all of
/// them.
///
/// ```no_run
/// # use sea_orm::{EntityTrait, tests_cfg::{cake, fruit}};
/// # use keyset::*;
/// # async fn example(db: &sea_orm::DatabaseConnection) -> Result<(), Box<dyn std::error::Error>> {
/// let cakes = count(db, cake::Entity::find()).await?;
/// let fruits = count(db, Lists::per_parent(fruit::Entity::find(), fruit::Column::CakeId, [1, 2, 3])).await?;
/// println!("{cakes} cakes; the first has {} fruits", fruits[0]);
/// # Ok(())
/// # }
/// ```
///
/// Lists per parent are grouped by their parent. One statement counts any number of parents on PostgreSQL. On SQLite it
/// counts up to 32,000 parents, less the parameters of the query. No parents take no statement.
///
/// ```sql
/// SELECT cake_id AS keyset_parent, COUNT(*) AS count FROM fruit WHERE cake_id = ANY($1) GROUP BY cake_id
/// ```
///
/// The query must not group, nor select distinct rows. The parents' column must not have a collation under which
/// different texts are equal.
///
/// # Errors
///
/// [`DbErr`] if the database fails. [`DbErr::Type`] if the parents' column has no supported [`Kind`], or if a parent
/// does not have the type of the column; integers of all widths are one type.
pub async fn count<C, S>(db: &C, source: S) -> Result<S::Of<u64>, DbErr>
where
    C: ReadRows + ?Sized,
    S: Source,
{
    let parts = source.parts();
    let all = Func::count(Expr::cust("*")).into();
    S::wrap(number(db, bare(parts.query), all, parts.parents, Dialect::of(db)?).await?)
}

/// A number of the rows, or of those of each parent.
pub(crate) async fn number<C>(
    db: &C,
    rows: SelectStatement,
    number: Expr,
    parents: Option<&Parents>,
    dialect: Dialect,
) -> Result<Vec<u64>, DbErr>
where
    C: ReadRows + ?Sized,
{
    let read = |row: Option<&Record>| row.map_or(Ok(0), |row| row.count(COUNT));
    values(db, rows, vec![(number, COUNT.to_owned())], read, parents, dialect).await
}

/// What aggregates of the rows tell, or of those of each parent, in the order of the parents. `read` has the row with the values
/// of the aggregates; none for a parent without children.
pub(crate) async fn values<C, T>(
    db: &C,
    mut rows: SelectStatement,
    aggregates: Vec<(Expr, String)>,
    read: impl Fn(Option<&Record>) -> Result<T, DbErr> + Send + Sync,
    parents: Option<&Parents>,
    dialect: Dialect,
) -> Result<Vec<T>, DbErr>
where
    C: ReadRows + ?Sized,
    T: Clone + Send,
{
    let select = |rows: &mut SelectStatement| {
        for (aggregate, name) in aggregates {
            rows.expr_as(aggregate, name);
        }
    };
    let Some(parents) = parents else {
        select(&mut rows);
        return Ok(vec![read(db.read(dialect.statement(&rows)).await?.first())?]);
    };
    let columns: Vec<Expr> = parents.references.iter().map(Column::expr).collect();
    let null: Vec<Value> = parents.references.iter().map(|column| widened(column.kind().null())).collect();
    for (place, column) in parents.references.iter().enumerate() {
        let is_other = |key: &[Value]| discriminant(&widened(key[place].clone())) != discriminant(&null[place]);
        if column.kind() == Kind::Unsupported || parents.each().any(is_other) {
            return Err(DbErr::Type(format!("expected parents of the type of the column `{}`", column.name())));
        }
    }
    for (place, column) in columns.iter().enumerate() {
        rows.expr_as(column.clone(), parent_name(place));
    }
    select(&mut rows);
    rows.add_group_by(columns.iter().cloned());
    let key = |key: &[Value]| key.iter().cloned().map(widened).collect::<SmallVec<[Value; 1]>>();
    let absent = read(None)?;
    let (mut found, mut different) = (HashMap::new(), Vec::new());
    for parent in parents.each().map(key) {
        // NULL has no children.
        if !parent.iter().any(|value| *value == value.as_null()) && !found.contains_key(&parent) {
            let values = parents.references.iter().zip(parent.iter().cloned());
            different.extend(values.map(|(column, value)| column.value_of(value)));
            found.insert(parent, absent.clone());
        }
    }
    let width = parents.width();
    let size = match dialect {
        Dialect::Postgres { .. } => different.len(),
        Dialect::Sqlite => (dialect.limits().1.saturating_sub(dialect.parameters(&rows))) / width * width,
    };
    for some in different.chunks(size.max(width)) {
        let among = one_of(&columns, some.to_vec(), size, dialect);
        let statement = rows.clone().cond_where(Condition::all().add(among)).take();
        for row in db.read(dialect.statement(&statement)).await? {
            let of = |(place, column): (usize, &Column)| row.value(&parent_name(place), column.kind());
            let values = parents.references.iter().enumerate().map(|it| of(it).map(widened));
            found.insert(values.collect::<Result<_, _>>()?, read(Some(&row))?);
        }
    }
    Ok(parents.each().map(|parent| found.get(&key(parent)).cloned().unwrap_or_else(|| absent.clone())).collect())
}

/// The count that a statement returns.
pub(crate) async fn one<C: ReadRows + ?Sized>(db: &C, statement: Statement) -> Result<u64, DbErr> {
    db.read(statement).await?.first().map_or(Ok(0), |row| row.count(COUNT))
}

/// The query's rows, without columns and order.
pub(crate) fn bare(query: &SelectStatement) -> SelectStatement {
    let mut rows = query.clone();
    rows.clear_selects().clear_order_by().reset_limit().reset_offset();
    rows
}

/// The number of rows, up to a limit.
pub(crate) fn limited_count(mut rows: SelectStatement, limit: u64) -> SelectStatement {
    rows.expr(Expr::cust("1")).limit(limit);
    Query::select().expr_as(Func::count(Expr::cust("*")), COUNT).from_subquery(rows, "r").take()
}
