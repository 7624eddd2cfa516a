//! How many rows there are: never part of paging.

use sea_orm::sea_query::{Expr, Func, Query, SelectStatement};
use sea_orm::{ConnectionTrait, DbErr, JsonValue, QueryTrait};

use crate::dialect::Dialect;

/// A number of rows, and how well it is known: see [`count_up_to`].
///
/// | | the rows are |
/// |---|---|
/// | `Exact(n)` | n |
/// | `AtLeast(n)` | n or more |
/// | `Estimate(n)` | about n |
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Count {
    /// Counted.
    Exact(u64),
    /// Counted up to here, and there are more.
    AtLeast(u64),
    /// What the planner expects of its statistics; more than the bound, which was counted.
    Estimate(u64),
}

impl Count {
    /// The number, however well it is known.
    pub fn value(self) -> u64 {
        match self {
            Self::Exact(rows) | Self::AtLeast(rows) | Self::Estimate(rows) => rows,
        }
    }
}

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
    statement.expr_as(Func::count(Expr::cust("*")), "count");
    number(db, &statement).await
}

/// The number of rows of a query: exactly up to a bound, and beyond it what the planner expects, under a filter too.
///
/// It reads at most `bound` + 1 rows. Beyond the bound PostgreSQL is asked for the row estimate of its plan; SQLite has
/// none, so there it is [`Count::AtLeast`] `bound` + 1.
///
/// ```no_run
/// # use sea_orm::{EntityTrait, ColumnTrait, QueryFilter, tests_cfg::{cake, fruit}};
/// # use keyset::*;
/// # async fn example(db: &sea_orm::DatabaseConnection) -> Result<(), Box<dyn std::error::Error>> {
/// let about = match count_up_to(db, cake::Entity::find(), 1000).await? {
///     Count::Exact(n) => format!("{n} cakes"),
///     Count::AtLeast(n) => format!("{n} cakes and more"),
///     Count::Estimate(n) => format!("about {n} cakes"),
/// };
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// [`DbErr`] where the database fails.
pub async fn count_up_to<C, Q>(db: &C, query: Q, bound: u32) -> Result<Count, DbErr>
where
    C: ConnectionTrait,
    Q: QueryTrait<QueryStatement = SelectStatement>,
{
    let mut rows = bare(query);
    rows.expr(Expr::cust("1"));
    let more = u64::from(bound) + 1;
    let some = rows.clone().limit(more).take();
    let statement = Query::select().expr_as(Func::count(Expr::cust("*")), "count").from_subquery(some, "r").take();
    let counted = number(db, &statement).await?;
    if counted < more {
        return Ok(Count::Exact(counted));
    }
    match estimate(db, &rows).await? {
        Some(expected) => Ok(Count::Estimate(expected.max(more))),
        None => Ok(Count::AtLeast(more)),
    }
}

/// The rows that the planner expects; `None` where it does not say.
async fn estimate<C: ConnectionTrait>(db: &C, rows: &SelectStatement) -> Result<Option<u64>, DbErr> {
    let Some(explain) = Dialect(db.get_database_backend()).explain(rows) else { return Ok(None) };
    let Some(row) = db.query_one_raw(explain).await? else { return Ok(None) };
    let plan: JsonValue = row.try_get_by_index(0)?;
    Ok(plan[0]["Plan"]["Plan Rows"].as_u64())
}

/// The query's rows, without columns and order.
fn bare(query: impl QueryTrait<QueryStatement = SelectStatement>) -> SelectStatement {
    let mut rows = query.into_query();
    rows.clear_selects().clear_order_by().reset_limit().reset_offset();
    rows
}

async fn number<C: ConnectionTrait>(db: &C, statement: &SelectStatement) -> Result<u64, DbErr> {
    let row = db.query_one_raw(Dialect(db.get_database_backend()).statement(statement)).await?;
    let count: i64 = row.map_or(Ok(0), |row| row.try_get("", "count"))?;
    Ok(count.unsigned_abs())
}
