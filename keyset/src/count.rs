//! How many rows there are: never part of paging.

use sea_orm::sea_query::{Expr, Func, SelectStatement};
use sea_orm::{ConnectionTrait, DbErr, QueryTrait};

/// The number of rows of a query, exactly, by one bare `COUNT(*)`: it reads them all.
///
/// The query must not group, nor select distinct rows.
///
/// # Errors
///
/// [`DbErr`] where the database fails.
pub async fn count<C, Q>(db: &C, query: Q) -> Result<u64, DbErr>
where
    C: ConnectionTrait,
    Q: QueryTrait<QueryStatement = SelectStatement>,
{
    let mut statement = query.into_query();
    statement.clear_selects().clear_order_by().reset_limit().reset_offset();
    statement.expr_as(Func::count(Expr::cust("*")), "count");
    let row = db.query_one(&statement).await?;
    let count: i64 = row.map_or(Ok(0), |row| row.try_get("", "count"))?;
    Ok(count.unsigned_abs())
}
