//! Numbers of rows that the database keeps, in place of a count.

use std::sync::Arc;

use sea_orm::DbErr;
use sea_orm::sea_query::{Expr, Func, Query, SelectStatement};

use crate::Column;
use crate::count::number;
use crate::dialect::Dialect;
use crate::source::Parents;
use crate::{ReadRows, Source};

/// Where a database keeps the number of rows of a list, for example by triggers: see [`kept_count`].
#[derive(Clone, Debug)]
pub struct Kept {
    query: SelectStatement,
    rows: Expr,
    /// The column of the parents.
    parent: Option<Column>,
}

impl Kept {
    /// The sum of this column over its whole table is the number of rows of the list.
    ///
    /// The column holds integers. So that writers do not wait for each other, they can add to different rows.
    pub fn sum_of(rows: impl Into<Column>) -> Self {
        let rows = rows.into();
        let query = Query::select().from(rows.table_iden().clone()).take();
        Self { query, rows: rows.expr(), parent: None }
    }

    /// The sum of `rows` over the rows whose column `parent` holds a parent is the number of its children. Both are columns
    /// of one table, and an index begins with `parent`.
    pub fn by_parent(parent: impl Into<Column>, rows: impl Into<Column>) -> Self {
        Self { parent: Some(parent.into()), ..Self::sum_of(rows) }
    }
}

/// The number of rows of a query, or of each of [`Lists`](crate::Lists), as the database keeps it. The query must neither
/// filter nor join: only its parents are used.
///
/// The statement has the form of that of [`count`](crate::count), and reads only the rows of the counter.
///
/// ```sql
/// SELECT cake_id AS keyset_parent, CAST(COALESCE(SUM(fruits), 0) AS bigint) AS count
/// FROM cake_stats WHERE cake_id = ANY($1) GROUP BY cake_id
/// ```
///
/// # Errors
///
/// As [`count`](crate::count). [`DbErr::Custom`] if lists with parents have a number for the whole table, or the reverse.
pub async fn kept_count<C, S>(db: &C, source: S, kept: &Kept) -> Result<S::Of<u64>, DbErr>
where
    C: ReadRows + ?Sized,
    S: Source,
{
    let parents = match (source.parts().parents, &kept.parent) {
        (None, None) => None,
        (Some(of), Some(parent)) if of.width() == 1 => {
            Some(Parents { references: [parent.clone()].into(), values: Arc::clone(&of.values) })
        }
        _ => return Err(DbErr::Custom("a list and its kept count differ in whether they have parents".into())),
    };
    let sum = Func::coalesce([Func::sum(kept.rows.clone()).into(), Expr::cust("0")]);
    let sum = Func::cast_as(sum, "bigint");
    S::wrap(number(db, kept.query.clone(), sum.into(), parents.as_ref(), Dialect::of(db)?).await?)
}
