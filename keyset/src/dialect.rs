//! Where the databases differ.

use std::fmt;
use std::str::FromStr;

use rust_decimal::Decimal;
use sea_orm::sea_query::{
    Expr, ExprTrait, MysqlQueryBuilder, OrderedStatement, PostgresQueryBuilder, QueryBuilder, SelectStatement,
    SqlWriter, SqlWriterValues, SqliteQueryBuilder,
};
use sea_orm::{DbBackend, DbErr, QueryResult, Statement, Value};

use crate::{Direction, Kind, Nulls, Sort};

/// What a database does by itself, and how a statement is written for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Dialect(pub(crate) DbBackend);

impl Dialect {
    /// Whether `(a, b) > (v, w)` is a descent of an index on `(a, b)`; `last` says whether `b` ends the order.
    ///
    /// MySQL reads the index from its start. SQLite seeks plain columns alone, and none that is the rowid, as an
    /// integer primary key is: it would descend to `a = v` and walk through the ties.
    pub(crate) fn seeks_row_value(self, a: &Sort, b: &Sort, last: bool) -> bool {
        match self.0 {
            DbBackend::Postgres => true,
            DbBackend::Sqlite => {
                let rowid = last && matches!(b.kind, Kind::SmallInt | Kind::Int | Kind::BigInt);
                a.is_column() && b.is_column() && !rowid
            }
            _ => false,
        }
    }

    /// Where an index keeps its NULLs when it is read this way.
    pub(crate) fn native_nulls(self, direction: Direction) -> Nulls {
        let nulls_are_large = self.0 == DbBackend::Postgres;
        match (nulls_are_large, direction) {
            (true, Direction::Asc) | (false, Direction::Desc) => Nulls::Last,
            (true, Direction::Desc) | (false, Direction::Asc) => Nulls::First,
        }
    }

    /// A value as this database compares it. SQLite has no decimals: sea-query would bind one as text, which is larger
    /// than every number unless a column of numeric affinity stands on the other side.
    pub(crate) fn bind(self, value: &Value) -> Value {
        match (self.0, value) {
            (DbBackend::Sqlite, Value::Decimal(decimal)) => {
                Value::Double(decimal.and_then(|decimal| decimal.to_string().parse().ok()))
            }
            (_, value) => value.clone(),
        }
    }

    /// A double of a result row. SQLite hands out an integer where an expression came to one.
    pub(crate) fn read_double(self, row: &QueryResult, column: &str) -> Result<Option<f64>, DbErr> {
        let double = row.try_get("", column);
        if !self.is_sqlite() || double.is_ok() {
            return double;
        }
        #[expect(clippy::cast_precision_loss, reason = "SQLite compares the two as numbers")]
        let integer = row.try_get::<Option<i64>>("", column).map(|integer| integer.map(|integer| integer as f64));
        integer.or(double)
    }

    /// A decimal of a result row. On SQLite it is a double, whose shortest text gives [`Dialect::bind`] the same double
    /// back, so that its row is found again. Where a decimal has no room for that text, it is refused.
    pub(crate) fn read_decimal(self, row: &QueryResult, column: &str) -> Result<Option<Decimal>, DbErr> {
        if !self.is_sqlite() {
            return row.try_get("", column);
        }
        let Some(double) = self.read_double(row, column)? else { return Ok(None) };
        let decimal = Decimal::from_str(&double.to_string()).ok();
        let exact = decimal.filter(|decimal| decimal.to_string().parse() == Ok(double));
        exact.map(Some).ok_or_else(|| DbErr::Type(format!("{column} holds {double}, for which a decimal has no room")))
    }

    /// What an index finds where a value is not NULL. SQLite seeks `IS NOT NULL` in a plain column only; an expression
    /// it has to be told the smallest value of, in SQLite's order of types: numbers, text, bytes.
    pub(crate) fn not_null(self, sort: &Sort) -> Expr {
        let expr = sort.expr.clone();
        match sort.kind {
            _ if !self.is_sqlite() || sort.is_column() => expr.is_not_null(),
            Kind::Bytes | Kind::Uuid => expr.gte(Expr::cust("x''")),
            Kind::Text | Kind::Date | Kind::Time | Kind::DateTime | Kind::DateTimeUtc => expr.gte(Expr::cust("''")),
            _ => expr.gte(Expr::cust("-9e999")),
        }
    }

    /// Whether the NULLs that a range is pinned to must be named in its order for an index to serve it. PostgreSQL does
    /// not see that `IS NULL` leaves but one value.
    pub(crate) fn orders_by_nulls(self) -> bool {
        !self.is_sqlite()
    }

    /// Where the first column of an index is equal to a value.
    ///
    /// PostgreSQL takes such a column for a constant, so that the primary key, too, has the rows in the order of what
    /// follows; and where it expects the value to be frequent it walks through that, and filters. If those that follow
    /// are rare after all, it walks to the end of the table. It does not see through a list, in whose index scan the
    /// value is sought once.
    ///
    /// ```sql
    /// a IN (v, v)
    /// ```
    pub(crate) fn pinned(self, expr: Expr, value: Value) -> Expr {
        if self.orders_by_pins() { expr.is_in([value.clone(), value]) } else { expr.eq(value) }
    }

    /// Whether what is pinned so must be named in the order.
    pub(crate) fn orders_by_pins(self) -> bool {
        self.0 == DbBackend::Postgres
    }

    /// Whether a subquery can refer to the row that it is joined to.
    pub(crate) fn has_lateral(self) -> bool {
        self.0 == DbBackend::Postgres
    }

    /// The names of the columns of a list of values.
    pub(crate) fn value_columns(self) -> [&'static str; 2] {
        if self.0 == DbBackend::MySql { ["column_0", "column_1"] } else { ["column1", "column2"] }
    }

    /// Asks the planner how many rows it expects; its answer is JSON. `None` where it has no numbers.
    pub(crate) fn explain(self, rows: &SelectStatement) -> Option<Statement> {
        if self.0 != DbBackend::Postgres {
            return None;
        }
        let statement = self.statement(rows);
        Some(Statement { sql: format!("EXPLAIN (FORMAT JSON) {}", statement.sql), ..statement })
    }

    /// The most terms of a union, and the most parameters of a statement.
    ///
    /// SQLite takes 500 terms. PostgreSQL takes some thousands until its stack is full, but it plans 4,000 of them in
    /// fifty times the time that 400 take.
    pub(crate) fn limits(self) -> (usize, usize) {
        if self.is_sqlite() { (400, 32_000) } else { (400, 65_000) }
    }

    /// How many terms fit into a union when none of them has more parameters than that.
    pub(crate) fn terms(self, parameters: usize) -> usize {
        let (terms, most) = self.limits();
        (most / parameters.max(1)).clamp(1, terms)
    }

    /// How many parameters a statement has.
    pub(crate) fn parameters(self, select: &SelectStatement) -> usize {
        self.statement(select).values.map_or(0, |values| values.0.len())
    }

    pub(crate) fn is_sqlite(self) -> bool {
        self.0 == DbBackend::Sqlite
    }

    /// Orders a statement by an expression, with the NULLs in their place where that has to be said.
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
        match self.0 {
            DbBackend::Postgres => self.write(select, &PostgresQueryBuilder),
            DbBackend::MySql => self.write(select, &MysqlQueryBuilder),
            _ => self.write(select, &SqliteQueryBuilder),
        }
    }

    fn write(self, select: &SelectStatement, builder: &impl QueryBuilder) -> Statement {
        let (placeholder, numbered) = builder.placeholder();
        let mut writer = LiteralLimits { sql: SqlWriterValues::new(placeholder, numbered), after_limit: false };
        builder.prepare_select_statement(select, &mut writer);
        let (sql, values) = writer.sql.into_parts();
        Statement::from_sql_and_values(self.0, sql, values)
    }
}

/// Writes what follows a LIMIT as a literal.
///
/// A bound LIMIT makes SQLite prepare the statement again at every execution, and keeps PostgreSQL from ever settling
/// on a generic plan.
struct LiteralLimits {
    sql: SqlWriterValues,
    after_limit: bool,
}

impl SqlWriter for LiteralLimits {
    fn push_param<T: QueryBuilder>(&mut self, value: Value, builder: &T) {
        match value {
            Value::BigUnsigned(Some(number)) if self.after_limit => {
                // Writing into a string does not fail.
                let _ = fmt::Write::write_fmt(&mut self.sql, format_args!("{number}"));
            }
            value => self.sql.push_param(value, builder),
        }
        self.after_limit = false;
    }

    fn as_writer(&mut self) -> &mut dyn fmt::Write {
        self
    }
}

impl fmt::Write for LiteralLimits {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.after_limit = text.ends_with("LIMIT ");
        self.sql.write_str(text)
    }
}

impl fmt::Display for LiteralLimits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.sql.fmt(f)
    }
}
