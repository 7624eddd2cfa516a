//! Counts that are exact up to a bound, and estimates beyond it.
//!
//! The counting stops at the bound, whatever the number of rows. Of those queries that have more, PostgreSQL is asked
//! what its planner expects: the plan of their union has a node for each of them.

use sea_orm::sea_query::{Expr, Func, Query, SelectStatement};
use sea_orm::{ColumnTrait, ConnectionTrait, DbErr, JsonValue, QueryTrait, Value};

use crate::batch::{BATCH, batch, of_parents, unions};
use crate::bracket::wrapped;
use crate::count::{COUNT, bare};
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
    let counts = up_to(db, &[bare(query)], bound).await?;
    counts.first().copied().ok_or_else(|| DbErr::Custom("one query has one count".into()))
}

/// [`count_up_to`] for the children of each of many parents, in the order of the parents.
///
/// `column` is the child's reference to its parent. A parent that is named twice has its count twice, one that has no
/// children or does not exist has `Exact(0)`. It reads at most `bound` + 1 rows of each parent. It is one statement for
/// every 400 parents, or for fewer where the query has many parameters, and on PostgreSQL another for every 400 of
/// those that have more children than the bound.
///
/// ```no_run
/// # use sea_orm::{EntityTrait, ColumnTrait, QueryFilter, tests_cfg::{cake, fruit}};
/// # use keyset::*;
/// # async fn example(db: &sea_orm::DatabaseConnection) -> Result<(), Box<dyn std::error::Error>> {
/// let fruits = count_up_to_many(db, fruit::Entity::find(), fruit::Column::CakeId, [1, 2, 3], 1000).await?;
/// assert_eq!(fruits.len(), 3);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// [`DbErr`] where the database fails.
pub async fn count_up_to_many<C, Q, P>(
    db: &C,
    query: Q,
    column: impl ColumnTrait,
    parents: P,
    bound: u32,
) -> Result<Vec<Count>, DbErr>
where
    C: ConnectionTrait,
    Q: QueryTrait<QueryStatement = SelectStatement>,
    P: IntoIterator<Item: Into<Value>>,
{
    up_to(db, &of_parents(&bare(query), column, parents), bound).await
}

/// The counts of queries that differ in their values alone.
async fn up_to<C: ConnectionTrait>(db: &C, queries: &[SelectStatement], bound: u32) -> Result<Vec<Count>, DbErr> {
    let dialect = Dialect(db.get_database_backend());
    let Some(first) = queries.first() else { return Ok(Vec::new()) };
    let size = dialect.terms(dialect.parameters(&rows(first, 0)));
    let more = u64::from(bound) + 1;
    let counted = counted(db, queries, more, size).await?;
    let exceed = queries.iter().zip(&counted).filter(|(_, counted)| **counted >= more).map(|(query, _)| query);
    let mut expected = expected(db, exceed, size).await?.into_iter();
    let count = |counted| match counted {
        counted if counted < more => Count::Exact(counted),
        _ => expected.next().flatten().map_or(Count::AtLeast(more), |rows| Count::Estimate(rows.max(more))),
    };
    Ok(counted.into_iter().map(count).collect())
}

/// How many rows each query has, up to a limit.
async fn counted<C: ConnectionTrait>(
    db: &C,
    queries: &[SelectStatement],
    limit: u64,
    size: usize,
) -> Result<Vec<u64>, DbErr> {
    let dialect = Dialect(db.get_database_backend());
    let term = |(place, query): (usize, &SelectStatement)| {
        let mut count = Query::select();
        count.expr_as(Func::count(Expr::cust("*")), COUNT).expr_as(Expr::cust(place.to_string()), BATCH);
        count.from_subquery(rows(query, limit), "r").take()
    };
    let mut counts = vec![0; queries.len()];
    for union in unions(queries.iter().enumerate().map(term), size) {
        for row in db.query_all_raw(dialect.statement(&union)).await? {
            counts[batch(&row)?] = row.try_get::<i64>("", COUNT)?.unsigned_abs();
        }
    }
    Ok(counts)
}

/// The rows that the planner expects of each query, as far as it says.
///
/// Without a limit the planner makes one list of the partitions of all tables, or shares the scans out among workers,
/// and a node's rows are those of a worker. So each query has the largest limit there is: then it is one node, with all
/// rows.
async fn expected<C: ConnectionTrait>(
    db: &C,
    queries: impl Iterator<Item = &SelectStatement>,
    size: usize,
) -> Result<Vec<Option<u64>>, DbErr> {
    let dialect = Dialect(db.get_database_backend());
    let queries: Vec<_> = queries.map(|query| wrapped(rows(query, i64::MAX.unsigned_abs()))).collect();
    let mut expected = Vec::with_capacity(queries.len());
    for (queries, union) in queries.chunks(size).zip(unions(queries.iter().cloned(), size)) {
        let Some(explain) = dialect.explain(&union) else { break };
        let row = db.query_one_raw(explain).await?;
        let plan = row.map_or(Ok(JsonValue::Null), |row| row.try_get_by_index(0))?;
        expected.extend(plan_rows(&plan[0]["Plan"], queries.len()));
    }
    Ok(expected)
}

/// The rows of each of so many queries: of one alone those of the plan, of several those of the nodes right below it.
fn plan_rows(plan: &JsonValue, queries: usize) -> Vec<Option<u64>> {
    let rows = |plan: &JsonValue| plan["Plan Rows"].as_u64();
    match plan["Plans"].as_array() {
        _ if queries == 1 => vec![rows(plan)],
        Some(plans) if plans.len() == queries => plans.iter().map(rows).collect(),
        _ => vec![None; queries],
    }
}

/// The query's rows, as far as a limit.
fn rows(query: &SelectStatement, limit: u64) -> SelectStatement {
    query.clone().expr(Expr::cust("1")).limit(limit).take()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(plan: &str, expected: &[Option<u64>]) {
        assert_eq!(plan_rows(&plan.parse().unwrap(), expected.len()), expected, "{plan}");
    }

    #[test]
    fn a_plan_of_another_shape_says_nothing() {
        let two = r#"{"Plan Rows": 5, "Plans": [{"Plan Rows": 2}, {"Plan Rows": 3}]}"#;
        check(two, &[Some(2), Some(3)]);
        check(two, &[Some(5)]);
        check(two, &[None, None, None]);
        check(r#"{"Plan Rows": 5}"#, &[Some(5)]);
        check(r#"{"Plan Rows": 5}"#, &[None, None]);
        check("null", &[None]);
    }
}
