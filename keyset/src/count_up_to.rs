//! Counts that are exact up to a bound, and estimates beyond it.
//!
//! Counting stops at the bound, however many rows there are. For the queries that have more rows, PostgreSQL's planner
//! is asked for its estimates: the plan of their union has one node for each of them.

use sea_orm::sea_query::{Expr, SelectStatement};
use sea_orm::{DbErr, JsonValue};

use crate::batch::unions;
use crate::bracket::wrapped;
use crate::count::{bare, limited_count};
use crate::dialect::Dialect;
use crate::source::Parts;
use crate::{ReadRows, Record, Source, count, many};

/// A number of rows and its precision: see [`count_up_to`].
///
/// | | number of rows |
/// |---|---|
/// | `Exact(n)` | n |
/// | `AtLeast(n)` | n or more |
/// | `Estimate(n)` | about n |
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Count {
    /// All rows were counted.
    Exact(u64),
    /// Counting stopped here, and there are more rows.
    AtLeast(u64),
    /// The estimate of the planner. It is larger than the bound, up to which the rows were counted.
    Estimate(u64),
}

impl Count {
    /// The number, whatever its precision.
    pub fn value(self) -> u64 {
        match self {
            Self::Exact(rows) | Self::AtLeast(rows) | Self::Estimate(rows) => rows,
        }
    }
}

/// Counts the rows of a query exactly up to a bound, or of each of [`Lists`](crate::Lists). Beyond the bound the result
/// is an estimate, also under a filter.
///
/// At most `bound` + 1 rows of each list are read. If there are more, PostgreSQL's planner estimates the number. SQLite
/// has no estimates, so there the result is [`Count::AtLeast`] `bound` + 1.
///
/// ```no_run
/// # use sea_orm::{EntityTrait, tests_cfg::{cake, fruit}};
/// # use keyset::*;
/// # async fn example(db: &sea_orm::DatabaseConnection) -> Result<(), Box<dyn std::error::Error>> {
/// let about = match count_up_to(db, cake::Entity::find(), 1000).await? {
///     Count::Exact(n) => format!("{n} cakes"),
///     Count::AtLeast(n) => format!("{n} cakes or more"),
///     Count::Estimate(n) => format!("about {n} cakes"),
/// };
///
/// let of_each_cake = Lists::per_parent(fruit::Entity::find(), fruit::Column::CakeId, [1, 2, 3]);
/// let fruits = count_up_to(db, of_each_cake, 1000).await?;
/// assert_eq!(fruits.len(), 3);
/// # Ok(())
/// # }
/// ```
///
/// On PostgreSQL one statement counts any number of lists, and another estimates up to 400 lists that exceed the bound.
/// On SQLite one statement counts up to 400 lists.
///
/// # Errors
///
/// [`DbErr`] if the database fails.
pub async fn count_up_to<C, S>(db: &C, source: S, bound: u32) -> Result<S::Of<Count>, DbErr>
where
    C: ReadRows + ?Sized,
    S: Source,
{
    up_to(db, source, bound, true).await
}

/// The same without estimates, which depend on rows that the query does not find: beyond the bound, the result is
/// [`Count::AtLeast`] `bound` + 1 on every database.
///
/// # Errors
///
/// [`DbErr`] if the database fails.
pub async fn count_at_least<C, S>(db: &C, source: S, bound: u32) -> Result<S::Of<Count>, DbErr>
where
    C: ReadRows + ?Sized,
    S: Source,
{
    up_to(db, source, bound, false).await
}

async fn up_to<C, S>(db: &C, source: S, bound: u32, is_estimated: bool) -> Result<S::Of<Count>, DbErr>
where
    C: ReadRows + ?Sized,
    S: Source,
{
    let (dialect, parts) = (Dialect::of(db)?, source.parts());
    let rows = &bare(parts.query);
    let more = u64::from(bound) + 1;
    let counted = match parts.parents {
        None => vec![counted(db, rows, more, dialect).await?],
        Some(_) if dialect.is_distributed() => counted_each(db, Parts { query: rows, ..parts }, more, dialect).await?,
        Some(parents) => many::count_up_to(db, rows, parents, more, dialect).await?,
    };
    let mut expected = match dialect {
        Dialect::Postgres { .. } if is_estimated && !dialect.is_distributed() => {
            let queries = Parts { query: rows, ..parts }.queries().into_iter().zip(&counted);
            let exceed = queries.filter(|(_, counted)| **counted >= more).map(|(query, _)| query);
            expected(db, exceed.collect(), dialect).await?
        }
        _ => Vec::new(),
    }
    .into_iter();
    let count = |counted| match counted {
        counted if counted < more => Count::Exact(counted),
        _ => expected.next().flatten().map_or(Count::AtLeast(more), |rows| Count::Estimate(rows.max(more))),
    };
    S::wrap(counted.into_iter().map(count).collect())
}

/// The number of rows of a query, up to a limit.
async fn counted<C: ReadRows + ?Sized>(
    db: &C,
    rows: &SelectStatement,
    limit: u64,
    dialect: Dialect,
) -> Result<u64, DbErr> {
    count::one(db, dialect.statement(&limited_count(rows.clone(), limit))).await
}

/// The same of each list.
async fn counted_each<C: ReadRows + ?Sized>(
    db: &C,
    parts: Parts<'_>,
    limit: u64,
    dialect: Dialect,
) -> Result<Vec<u64>, DbErr> {
    let (lists, queries) = parts.present()?;
    let mut counts = vec![0; parts.len()];
    for (list, query) in lists.into_iter().zip(queries) {
        counts[list] = counted(db, &query, limit, dialect).await?;
    }
    Ok(counts)
}

/// PostgreSQL's estimate for each query, where it has one.
///
/// Without a limit the planner merges the partitions of all tables into one list, or divides the scans among workers
/// and reports the rows of one worker. So each query has the largest possible limit: then it is one node, with all
/// rows.
async fn expected<C: ReadRows + ?Sized>(
    db: &C,
    queries: Vec<SelectStatement>,
    dialect: Dialect,
) -> Result<Vec<Option<u64>>, DbErr> {
    let rows = |mut query: SelectStatement| wrapped(query.expr(Expr::cust("1")).limit(i64::MAX.unsigned_abs()).take());
    let queries: Vec<_> = queries.into_iter().map(rows).collect();
    // The queries differ only in the parent, so all have as many parameters as the first.
    let size = dialect.terms(queries.first().map_or(0, |first| dialect.parameters(first)));
    let mut expected = Vec::with_capacity(queries.len());
    for (queries, union) in queries.chunks(size).zip(unions(queries.iter().cloned(), size)) {
        let plan = db.read(dialect.explain(&union)).await?.first().map_or(Ok(JsonValue::Null), Record::plan)?;
        expected.extend(plan_rows(&plan[0]["Plan"], queries.len()));
    }
    Ok(expected)
}

/// The estimated rows of each query. One query is the plan itself; several are the nodes directly below it.
fn plan_rows(plan: &JsonValue, queries: usize) -> Vec<Option<u64>> {
    let rows = |plan: &JsonValue| plan["Plan Rows"].as_u64();
    match plan["Plans"].as_array() {
        _ if queries == 1 => vec![rows(plan)],
        Some(plans) if plans.len() == queries => plans.iter().map(rows).collect(),
        _ => vec![None; queries],
    }
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
