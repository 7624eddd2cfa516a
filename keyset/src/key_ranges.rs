//! The condition that a key lies in one of many ranges.

use std::ops::Range;

use sea_orm::sea_query::{Condition, Expr, ExprTrait};
use sea_orm::{DbBackend, DynIden, Value};
use uuid::Uuid;

use crate::Column;
use crate::source::array;
use crate::statistics::quoted;

/// Ranges of a UUID key, each without its end. Together they are one condition, which has one text for any number of
/// ranges from two on. Each range is a descent of the index on the key:
///
/// ```sql
/// -- PostgreSQL
/// id = ANY(ARRAY(SELECT r.id FROM unnest($1, $2) AS v (low, high) JOIN event AS r ON r.id >= v.low AND r.id < v.high))
/// -- SQLite: the ends are pairs of 16 bytes
/// id IN (WITH RECURSIVE v (ends) AS (SELECT ? UNION ALL SELECT substr(ends, 33) FROM v WHERE length(ends) > 32)
///        SELECT r.id FROM v CROSS JOIN event AS r WHERE r.id >= substr(ends, 1, 16) AND r.id < substr(ends, 17, 16))
/// ```
///
/// SQLite searches the index for each part of a short `OR`, and scans the table for a long one. On PostgreSQL, a sub-query after
/// `IN` would be joined, by an estimate of thousands of rows for each range. Of an array it expects ten values, and seeks them.
#[derive(Clone, Debug)]
pub struct KeyRanges {
    table: DynIden,
    key: DynIden,
    ranges: Vec<Range<Uuid>>,
}

impl KeyRanges {
    /// These ranges of a column that an index begins with.
    pub fn new(key: impl Into<Column>, ranges: impl IntoIterator<Item = Range<Uuid>>) -> Self {
        let key = key.into();
        let (table, key) = (key.table_iden().clone(), key.iden());
        Self { table, key, ranges: ranges.into_iter().collect() }
    }

    /// The ranges of both; `None` if they are of different columns.
    #[must_use]
    pub fn or(mut self, other: Self) -> Option<Self> {
        let is_same = (&self.table, &self.key) == (&other.table, &other.key);
        self.ranges.extend(other.ranges);
        is_same.then_some(self)
    }

    /// The rows whose key is in one of them. PostgreSQL sends no join to another server, and Citus none with an array. So they are
    /// `alternatives` unless the tables are [here](crate::Placement::Here).
    pub fn condition(&self, backend: DbBackend, alternatives: bool) -> Condition {
        let column = || Expr::col((self.table.clone(), self.key.clone()));
        let within = |range: &Range<Uuid>| Condition::all().add(column().gte(range.start)).add(column().lt(range.end));
        match &self.ranges[..] {
            [] => Condition::all().add(Expr::cust("FALSE")),
            [range] => within(range),
            ranges if alternatives => ranges.iter().fold(Condition::any(), |any, range| any.add(within(range))),
            _ => Condition::all().add(Expr::cust_with_values(self.text(backend), self.values(backend))),
        }
    }

    fn text(&self, backend: DbBackend) -> String {
        let [table, key] = [&self.table, &self.key].map(|name| quoted(&name.to_string()));
        if backend == DbBackend::Sqlite {
            format!(
                "{table}.{key} IN (WITH RECURSIVE v (ends) AS \
                 (SELECT ? UNION ALL SELECT substr(ends, 33) FROM v WHERE length(ends) > 32) \
                 SELECT r.{key} FROM v CROSS JOIN {table} AS r \
                 WHERE r.{key} >= substr(ends, 1, 16) AND r.{key} < substr(ends, 17, 16))"
            )
        } else {
            format!(
                "{table}.{key} = ANY(ARRAY(SELECT r.{key} FROM unnest($1, $2) AS v (low, high) \
                 JOIN {table} AS r ON r.{key} >= v.low AND r.{key} < v.high))"
            )
        }
    }

    fn values(&self, backend: DbBackend) -> Vec<Value> {
        if backend == DbBackend::Sqlite {
            let ends = self.ranges.iter().flat_map(|range| [range.start, range.end]);
            vec![ends.flat_map(Uuid::into_bytes).collect::<Vec<u8>>().into()]
        } else {
            let ends =
                |end: fn(&Range<Uuid>) -> Uuid| array(self.ranges.iter().map(|range| end(range).into()).collect());
            vec![ends(|range| range.start), ends(|range| range.end)]
        }
    }
}
