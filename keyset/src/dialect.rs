//! Where the databases differ.

use std::fmt;
use std::str::FromStr;

use rust_decimal::Decimal;
use sea_orm::sea_query::{
    Expr, MysqlQueryBuilder, OrderedStatement, PostgresQueryBuilder, QueryBuilder, SelectStatement, SqlWriter,
    SqlWriterValues, SqliteQueryBuilder,
};
use sea_orm::{DbBackend, DbErr, QueryResult, Statement, Value};

use crate::{Direction, Kind, Nulls, Sort};

/// What a database does by itself, and how a statement is written for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Dialect(pub(crate) DbBackend);

impl Dialect {
    /// Whether `(a, b) > (v, w)` is a descent of an index on `(a, b)`, given the kind of `b` where it ends the order.
    ///
    /// MySQL reads the index from its start. SQLite seeks, unless `b` is the rowid, as an integer primary key is: then it
    /// descends to `a = v` and walks through the ties.
    pub(crate) fn seeks_row_values(self, tail: Option<Kind>) -> bool {
        match self.0 {
            DbBackend::Postgres => true,
            DbBackend::Sqlite => !matches!(tail, Some(Kind::SmallInt | Kind::Int | Kind::BigInt)),
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

    /// A decimal of a result row. On SQLite it is a double, whose shortest text gives [`Dialect::bind`] the same double
    /// back: its row is found again whatever sums and averages it came from.
    pub(crate) fn read_decimal(self, row: &QueryResult, column: &str) -> Result<Option<Decimal>, DbErr> {
        if self.0 != DbBackend::Sqlite {
            return row.try_get("", column);
        }
        let Some(double) = row.try_get::<Option<f64>>("", column)? else { return Ok(None) };
        let decimal = Decimal::from_str(&double.to_string());
        decimal.map(Some).map_err(|error| DbErr::Type(format!("{column} holds {double}: {error}")))
    }

    /// Orders a statement by an expression. Where there can be NULLs among the rows they are placed; where there are none
    /// the database is left alone, because a placement that the index does not have would cost it.
    pub(crate) fn order_by(self, statement: &mut impl OrderedStatement, expr: Expr, sort: &Sort, nulls: bool) {
        let direction = sort.direction.into();
        if nulls && self.native_nulls(sort.direction) != sort.nulls {
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
