//! Where the databases differ.

use std::fmt;

use sea_orm::sea_query::{
    MysqlQueryBuilder, PostgresQueryBuilder, QueryBuilder, SelectStatement, SqlWriter, SqlWriterValues,
    SqliteQueryBuilder,
};
use sea_orm::{DbBackend, Statement, Value};

use crate::{Direction, Nulls};

/// What a database does by itself, and how a statement is written for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Dialect(pub(crate) DbBackend);

impl Dialect {
    /// Whether `(a, b) > (v, w)` is a descent of an index on `(a, b)`. MySQL reads the index from its start.
    pub(crate) fn seeks_row_values(self) -> bool {
        matches!(self.0, DbBackend::Postgres | DbBackend::Sqlite)
    }

    /// Where an index keeps its NULLs when it is read this way.
    pub(crate) fn native_nulls(self, direction: Direction) -> Nulls {
        let nulls_are_large = self.0 == DbBackend::Postgres;
        match (nulls_are_large, direction) {
            (true, Direction::Asc) | (false, Direction::Desc) => Nulls::Last,
            (true, Direction::Desc) | (false, Direction::Asc) => Nulls::First,
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
        let mut writer = LiteralLimits(SqlWriterValues::new(placeholder, numbered));
        builder.prepare_select_statement(select, &mut writer);
        let (sql, values) = writer.0.into_parts();
        Statement::from_sql_and_values(self.0, sql, values)
    }
}

/// Writes unsigned 64-bit numbers, which is what sea-query keeps a LIMIT in, as literals.
///
/// A bound LIMIT makes SQLite prepare the statement again at every execution, and keeps PostgreSQL from ever settling
/// on a generic plan.
struct LiteralLimits(SqlWriterValues);

impl SqlWriter for LiteralLimits {
    fn push_param<T: QueryBuilder>(&mut self, value: Value, builder: &T) {
        match value {
            Value::BigUnsigned(Some(number)) => {
                // Writing into a string does not fail.
                let _ = fmt::Write::write_fmt(&mut self.0, format_args!("{number}"));
            }
            value => self.0.push_param(value, builder),
        }
    }

    fn as_writer(&mut self) -> &mut dyn fmt::Write {
        &mut self.0
    }
}

impl fmt::Write for LiteralLimits {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0.write_str(text)
    }
}

impl fmt::Display for LiteralLimits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
