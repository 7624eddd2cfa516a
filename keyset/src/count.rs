//! How many rows there are: never part of paging.

use std::collections::HashMap;
use std::mem::discriminant;

use sea_orm::sea_query::{Condition, Expr, ExprTrait, Func, SelectStatement};
use sea_orm::{ColumnTrait, ConnectionTrait, DbErr, QueryTrait, Value};

use crate::Kind;
use crate::dialect::Dialect;

/// What a number of rows is called in a statement.
pub(crate) const COUNT: &str = "count";
/// The parent whose children a row counts.
const PARENT: &str = "keyset_parent";

/// The number of rows of a query, exactly, by one bare `COUNT(*)`: it reads them all.
///
/// The query must not group, nor select distinct rows.
///
/// ```no_run
/// # use sea_orm::{EntityTrait, ColumnTrait, QueryFilter, tests_cfg::{cake, fruit}};
/// # use keyset::*;
/// # async fn example(db: &sea_orm::DatabaseConnection) -> Result<(), Box<dyn std::error::Error>> {
/// let cakes = count(db, cake::Entity::find()).await?;
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// [`DbErr`] where the database fails.
pub async fn count<C, Q>(db: &C, query: Q) -> Result<u64, DbErr>
where
    C: ConnectionTrait,
    Q: QueryTrait<QueryStatement = SelectStatement>,
{
    let mut statement = bare(query);
    statement.expr_as(Func::count(Expr::cust("*")), COUNT);
    let row = db.query_one_raw(Dialect(db.get_database_backend()).statement(&statement)).await?;
    let count: i64 = row.map_or(Ok(0), |row| row.try_get("", COUNT))?;
    Ok(count.unsigned_abs())
}

/// The number of the children of each of many parents, exactly, in the order of the parents: it reads all of them.
///
/// `column` is the child's reference to its parent. A parent that is named twice has its number twice, one that has no
/// children or does not exist has 0. It is one statement for up to 65,000 parents on PostgreSQL and 32,000 on SQLite,
/// less the parameters of the query, and none for no parents:
///
/// ```sql
/// SELECT cake_id AS keyset_parent, COUNT(*) AS count FROM fruit WHERE cake_id IN ($1, $2, $3) GROUP BY cake_id
/// ```
///
/// The query must not group, nor select distinct rows. The column must not have a collation that takes different texts
/// for equal ones.
///
/// ```no_run
/// # use sea_orm::{EntityTrait, ColumnTrait, QueryFilter, tests_cfg::{cake, fruit}};
/// # use keyset::*;
/// # async fn example(db: &sea_orm::DatabaseConnection) -> Result<(), Box<dyn std::error::Error>> {
/// let fruits = count_many(db, fruit::Entity::find(), fruit::Column::CakeId, [1, 2, 3]).await?;
/// assert_eq!(fruits.len(), 3);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// [`DbErr`] where the database fails. [`DbErr::Type`] where the column is of no [`Kind`], or a parent is of another type
/// than the column; integers of all widths are one type.
pub async fn count_many<C, Q, P>(db: &C, query: Q, column: impl ColumnTrait, parents: P) -> Result<Vec<u64>, DbErr>
where
    C: ConnectionTrait,
    Q: QueryTrait<QueryStatement = SelectStatement>,
    P: IntoIterator<Item: Into<Value>>,
{
    let (dialect, kind) = (Dialect(db.get_database_backend()), Kind::of(column.def().get_column_type()));
    let parents: Vec<Value> = parents.into_iter().map(|parent| widened(parent.into())).collect();
    let of_column = discriminant(&widened(kind.null()));
    if kind == Kind::Unsupported || parents.iter().any(|parent| discriminant(parent) != of_column) {
        return Err(DbErr::Type(format!("{} has no children by such a value", column.as_str())));
    }

    let mut grouped = bare(query);
    grouped.expr_as(column.into_expr(), PARENT).expr_as(Func::count(Expr::cust("*")), COUNT);
    grouped.add_group_by([column.into_expr()]);
    let mut counts = HashMap::new();
    let different: Vec<Value> =
        parents.iter().filter(|parent| counts.insert((*parent).clone(), 0).is_none()).cloned().collect();
    let most = dialect.limits().1.saturating_sub(dialect.parameters(&grouped));
    for some in different.chunks(most.max(1)) {
        let among = Condition::all().add(column.into_expr().is_in(some.iter().cloned()));
        let statement = grouped.clone().cond_where(among).take();
        for row in db.query_all_raw(dialect.statement(&statement)).await? {
            let count: i64 = row.try_get("", COUNT)?;
            counts.insert(widened(kind.read(&row, PARENT, dialect)?), count.unsigned_abs());
        }
    }
    Ok(parents.iter().map(|parent| counts.get(parent).copied().unwrap_or_default()).collect())
}

/// The query's rows, without columns and order.
pub(crate) fn bare(query: impl QueryTrait<QueryStatement = SelectStatement>) -> SelectStatement {
    let mut rows = query.into_query();
    rows.clear_selects().clear_order_by().reset_limit().reset_offset();
    rows
}

/// A value that equals those of the other widths: a parent need not be as wide as the column that refers to it.
fn widened(value: Value) -> Value {
    match value {
        Value::TinyInt(v) => Value::BigInt(v.map(Into::into)),
        Value::SmallInt(v) => Value::BigInt(v.map(Into::into)),
        Value::Int(v) => Value::BigInt(v.map(Into::into)),
        Value::TinyUnsigned(v) => Value::BigInt(v.map(Into::into)),
        Value::SmallUnsigned(v) => Value::BigInt(v.map(Into::into)),
        Value::Unsigned(v) => Value::BigInt(v.map(Into::into)),
        // One that is too large has no children, as NULL has none.
        Value::BigUnsigned(v) => Value::BigInt(v.and_then(|v| v.try_into().ok())),
        value => value,
    }
}
