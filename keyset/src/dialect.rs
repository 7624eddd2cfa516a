//! The differences between the databases.

use std::fmt::{self, Write as _};
use std::mem;

use sea_orm::sea_query::{
    Expr, ExprTrait, OrderedStatement, PostgresQueryBuilder, QueryBuilder, SelectStatement, SqlWriter, SqlWriterValues,
    SqliteQueryBuilder, Values,
};
use sea_orm::{DbBackend, DbErr, Statement, Value};

use crate::mark::Mark;
use crate::{Direction, Kind, Nulls, Placement, Sort};

/// A supported database: how it behaves, and how statements are written for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dialect {
    Postgres {
        /// As [`ReadRows::placement`](crate::ReadRows::placement) says.
        placement: Placement,
    },
    Sqlite,
}

impl Dialect {
    /// The dialect of a backend without a connection.
    pub(crate) fn of_backend(backend: DbBackend) -> Result<Self, DbErr> {
        Self::new(backend, Placement::default)
    }

    pub(crate) fn new(backend: DbBackend, placement: impl FnOnce() -> Placement) -> Result<Self, DbErr> {
        match backend {
            DbBackend::Postgres => Ok(Self::Postgres { placement: placement() }),
            DbBackend::Sqlite => Ok(Self::Sqlite),
            other => {
                Err(DbErr::BackendNotSupported { db: other.as_str(), ctx: "keyset supports PostgreSQL and SQLite" })
            }
        }
    }

    fn backend(self) -> DbBackend {
        match self {
            Self::Postgres { .. } => DbBackend::Postgres,
            Self::Sqlite => DbBackend::Sqlite,
        }
    }

    /// Whether `(a, b) > (v, w)` is a descent of an index on `(a, b)`; `last` says whether `b` ends the order.
    ///
    /// SQLite seeks only plain columns, and not the rowid, which an integer primary key is: it would descend to `a = v`
    /// and walk through the ties.
    pub(crate) fn seeks_together(self, a: &Sort, b: &Sort, last: bool) -> bool {
        match self {
            Self::Postgres { placement } => placement != Placement::Foreign,
            Self::Sqlite => {
                let rowid = last && matches!(b.kind, Kind::SmallInt | Kind::Int | Kind::BigInt);
                a.is_column() && b.is_column() && !rowid
            }
        }
    }

    /// Whether the planner estimates the rows past a row value of an index by its first column alone.
    ///
    /// PostgreSQL does: it expects no row for `(a, b) > (v, w)` where `v` is the greatest value of `a`, although most rows
    /// may have it. Over partitions, it then reads and sorts them all. With `>=` it expects all ties of `v`, and merges the
    /// partitions in order. So a whole key is excluded by a filter, which it meets once at most:
    ///
    /// ```sql
    /// (a, b) >= (v, w) AND (a, b) <> (v, w)
    /// ```
    pub(crate) fn estimates_by_first(self, sorts: &[Sort]) -> bool {
        !self.is_sqlite() && sorts.len() > 1 && sorts.iter().all(Sort::is_column)
    }

    /// Where an index has its NULLs when it is read in this direction.
    pub(crate) fn native_nulls(self, direction: Direction) -> Nulls {
        match (self, direction) {
            (Self::Postgres { .. }, Direction::Asc) | (Self::Sqlite, Direction::Desc) => Nulls::Last,
            (Self::Postgres { .. }, Direction::Desc) | (Self::Sqlite, Direction::Asc) => Nulls::First,
        }
    }

    /// A value as this database compares it. SQLite has no decimals. As text, as sea-query binds it, a decimal would be
    /// larger than every number, unless it is compared with a column of numeric affinity.
    pub(crate) fn bind(self, value: &Value) -> Value {
        match (self, value) {
            (Self::Sqlite, Value::Decimal(decimal)) => {
                Value::Double(decimal.and_then(|decimal| decimal.to_string().parse().ok()))
            }
            (_, value) => value.clone(),
        }
    }

    /// An infinite date as PostgreSQL compares it. SQLite compares the double.
    pub(crate) fn infinite(self, value: &Value, sort: &Sort) -> Option<Expr> {
        let name = match sort.kind {
            _ if self.is_sqlite() || !sort.is_infinite(value) => return None,
            Kind::Date => "date",
            Kind::DateTime => "timestamp",
            _ => "timestamptz",
        };
        let sign = if *value == Value::Double(Some(f64::INFINITY)) { "" } else { "-" };
        Some(Expr::cust(format!("CAST('{sign}infinity' AS {name})")))
    }

    /// Whether this database stores a value. SQLite stores NaN as NULL.
    pub(crate) fn stores(self, value: &Value) -> bool {
        let is_nan = match value {
            Value::Float(Some(float)) => float.is_nan(),
            Value::Double(Some(double)) => double.is_nan(),
            _ => false,
        };
        !(is_nan && self.is_sqlite())
    }

    /// A predicate for values that are not NULL, which an index can seek. SQLite seeks `IS NOT NULL` only for a plain
    /// column. For an expression the predicate names the smallest value of its type, in SQLite's order: numbers, text,
    /// bytes.
    pub(crate) fn not_null(self, sort: &Sort) -> Expr {
        let expr = sort.expr.clone();
        match sort.kind {
            _ if !self.is_sqlite() || sort.is_column() => expr.is_not_null(),
            Kind::Bytes | Kind::Uuid => expr.gte(Expr::cust("x''")),
            Kind::Text | Kind::Date | Kind::Time | Kind::DateTime | Kind::DateTimeUtc => expr.gte(Expr::cust("''")),
            _ => expr.gte(Expr::cust("-9e999")),
        }
    }

    /// Whether a column that a range pins to NULL must be in its `ORDER BY` for an index to serve it. PostgreSQL does
    /// not recognise that `IS NULL` leaves only one value.
    pub(crate) fn orders_by_nulls(self) -> bool {
        !self.is_sqlite()
    }

    /// The predicate that pins the first column of an index to a value.
    ///
    /// With `a = v`, PostgreSQL treats the column as a constant, and the primary key has the rows in the same order. If
    /// the planner expects the value to be frequent, it scans the primary key and filters. If the remaining rows with
    /// the value are rare, that scan runs to the end of the table. A list prevents this: the planner does not treat the
    /// column as a constant, and the index scan seeks the value once.
    ///
    /// ```sql
    /// a IN (v, v)
    /// ```
    pub(crate) fn pinned(self, expr: Expr, value: Expr) -> Expr {
        if self.orders_by_pins() { expr.is_in([value.clone(), value]) } else { expr.eq(value) }
    }

    /// Whether a column that is pinned by [`Dialect::pinned`] must be in the `ORDER BY`.
    pub(crate) fn orders_by_pins(self) -> bool {
        !self.is_sqlite()
    }

    /// The statement that returns PostgreSQL's estimates as JSON.
    pub(crate) fn explain(self, rows: &SelectStatement) -> Statement {
        let statement = self.statement(rows);
        Statement { sql: format!("EXPLAIN (FORMAT JSON) {}", statement.sql), ..statement }
    }

    /// The maximum number of terms of a union, and of parameters of a statement.
    ///
    /// SQLite accepts 500 terms. PostgreSQL accepts thousands before its stack overflows, but planning 4,000 terms
    /// takes fifty times as long as planning 400.
    pub(crate) fn limits(self) -> (usize, usize) {
        if self.is_sqlite() { (400, 32_000) } else { (400, 65_000) }
    }

    /// The number of terms that fit into a union if no term has more parameters than this.
    pub(crate) fn terms(self, parameters: usize) -> usize {
        let (terms, most) = self.limits();
        (most / parameters.max(1)).clamp(1, terms)
    }

    /// The number of parameters of a statement.
    pub(crate) fn parameters(self, select: &SelectStatement) -> usize {
        self.statement(select).values.map_or(0, |values| values.0.len())
    }

    pub(crate) fn is_sqlite(self) -> bool {
        self == Self::Sqlite
    }

    /// Whether Citus plans the statements.
    pub(crate) fn is_distributed(self) -> bool {
        self == Self::Postgres { placement: Placement::Distributed }
    }

    /// Orders a statement by an expression. If `placed`, the placement of NULLs is added unless it is the default.
    pub(crate) fn order_by(self, statement: &mut impl OrderedStatement, expr: Expr, sort: &Sort, placed: bool) {
        let direction = sort.direction.into();
        if placed && self.native_nulls(sort.direction) != sort.nulls {
            statement.order_by_expr_with_nulls(expr, direction, sort.nulls.into());
        } else {
            statement.order_by_expr(expr, direction);
        }
    }

    /// The statement as text and parameters.
    pub(crate) fn statement(self, select: &SelectStatement) -> Statement {
        match self {
            Self::Postgres { .. } => self.write(select, &PostgresQueryBuilder),
            Self::Sqlite => self.write(select, &SqliteQueryBuilder),
        }
    }

    fn write(self, select: &SelectStatement, builder: &impl QueryBuilder) -> Statement {
        let (placeholder, numbered) = builder.placeholder();
        let (sql, values) = written(select, builder, placeholder, numbered);
        Statement::from_sql_and_values(self.backend(), sql, values)
    }

    /// A statement for SQLite with numbered parameters (`?1`), as text and parameters.
    pub(crate) fn numbered(select: &SelectStatement) -> (String, Vec<Value>) {
        let (sql, values) = written(select, &SqliteQueryBuilder, "?", true);
        (sql, values.0)
    }

    /// A part of a statement, as text and parameters with numbers, whose other parts have this many parameters, with lower numbers.
    pub(crate) fn numbered_after(self, select: &SelectStatement, parameters: usize) -> (String, Vec<Value>) {
        const PLACEHOLDER: &str = ":keyset_parameter_";
        let (sign, (mut sql, Values(values))) = match self {
            Self::Postgres { .. } => ("$", written(select, &PostgresQueryBuilder, PLACEHOLDER, true)),
            Self::Sqlite => ("?", written(select, &SqliteQueryBuilder, PLACEHOLDER, true)),
        };
        // From the end: the number 1 begins the number 10.
        for number in (1..=values.len()).rev() {
            sql = sql.replace(&format!("{PLACEHOLDER}{number}"), &format!("{sign}{}", parameters + number));
        }
        (sql, values)
    }

    /// A statement from text and parameters.
    pub(crate) fn raw(self, sql: String, values: impl Iterator<Item = Value>) -> Statement {
        Statement::from_sql_and_values(self.backend(), sql, values)
    }
}

fn written(
    select: &SelectStatement,
    builder: &impl QueryBuilder,
    placeholder: &'static str,
    numbered: bool,
) -> (String, Values) {
    let sql = SqlWriterValues::new(placeholder, numbered);
    let mut writer = Writer { sql, numbered: numbered.then_some(placeholder), marks: Vec::new(), after_limit: false };
    builder.prepare_select_statement(select, &mut writer);
    writer.sql.into_parts()
}

/// Writes the number after a `LIMIT` as a literal, and a mark that is a parameter already by the number of that.
///
/// With a bound `LIMIT`, SQLite prepares the statement again at every execution, and PostgreSQL never chooses a generic
/// plan. Each parameter takes time: the engine encodes it, the connection sends it, and the database converts it.
struct Writer {
    sql: SqlWriterValues,
    /// What stands before the number of a parameter, if they have numbers.
    numbered: Option<&'static str>,
    /// For each parameter, the mark that it is.
    marks: Vec<Option<Mark>>,
    after_limit: bool,
}

impl SqlWriter for Writer {
    fn push_param<T: QueryBuilder>(&mut self, value: Value, builder: &T) {
        let after_limit = mem::take(&mut self.after_limit);
        // Writing into a string does not fail.
        if let (true, Value::BigUnsigned(Some(number))) = (after_limit, &value) {
            let _ = write!(self.sql, "{number}");
            return;
        }
        let mark = Mark::of(&value);
        let known = mark.and_then(|_| self.marks.iter().position(|known| *known == mark));
        if let (Some(sign), Some(place)) = (self.numbered, known) {
            let _ = write!(self.sql, "{sign}{}", place + 1);
            return;
        }
        self.marks.push(mark);
        self.sql.push_param(value, builder);
    }

    fn as_writer(&mut self) -> &mut dyn fmt::Write {
        self
    }
}

impl fmt::Write for Writer {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.after_limit = text.ends_with("LIMIT ");
        self.sql.write_str(text)
    }
}

impl fmt::Display for Writer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.sql.fmt(f)
    }
}
