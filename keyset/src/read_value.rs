//! Reading a value of a kind from a row of SeaORM.

use std::str::FromStr;

use rust_decimal::Decimal;
use sea_orm::{DbErr, QueryResult, Value};

use crate::Kind;
use crate::dialect::Dialect;

impl Kind {
    /// Reads a value of this kind from a result row.
    pub(crate) fn read(self, row: &QueryResult, column: &str, dialect: Dialect) -> Result<Value, DbErr> {
        match self {
            Self::Bool => row.try_get("", column).map(Value::Bool),
            Self::SmallInt => row.try_get("", column).map(Value::SmallInt),
            Self::Int => row.try_get("", column).map(Value::Int),
            Self::BigInt => row.try_get("", column).map(Value::BigInt),
            #[expect(clippy::cast_possible_truncation, reason = "it was a float before it was read as a double")]
            Self::Float if dialect.is_sqlite() => {
                Ok(Value::Float(read_double(row, column, dialect)?.map(|double| double as f32)))
            }
            Self::Float => row.try_get("", column).map(Value::Float),
            Self::Double => read_double(row, column, dialect).map(Value::Double),
            Self::Decimal => read_decimal(row, column, dialect).map(Value::Decimal),
            Self::Text | Self::Char | Self::Enum => row.try_get("", column).map(Value::String),
            Self::Json => {
                row.try_get("", column).map(|json: Option<sea_orm::JsonValue>| Value::Json(json.map(Box::new)))
            }
            Self::Bytes => row.try_get("", column).map(Value::Bytes),
            Self::Date => row.try_get("", column).map(Value::ChronoDate),
            Self::Time => row.try_get("", column).map(Value::ChronoTime),
            Self::DateTime => row.try_get("", column).map(Value::ChronoDateTime),
            Self::DateTimeUtc => row.try_get("", column).map(Value::ChronoDateTimeUtc),
            Self::Uuid => row.try_get("", column).map(Value::Uuid),
            Self::Unsupported => Err(DbErr::Type(format!("the type of {column} is not supported"))),
        }
    }
}

/// Reads a double. SQLite returns an integer if an expression results in one.
fn read_double(row: &QueryResult, column: &str, dialect: Dialect) -> Result<Option<f64>, DbErr> {
    let double = row.try_get("", column);
    if !dialect.is_sqlite() || double.is_ok() {
        return double;
    }
    #[expect(clippy::cast_precision_loss, reason = "SQLite compares the two as numbers")]
    let integer = row.try_get::<Option<i64>>("", column).map(|integer| integer.map(|integer| integer as f64));
    integer.or(double)
}

/// Reads a decimal. On SQLite it is a double. Its shortest text gives [`Dialect::bind`] the same double, so that
/// the row is found again. If that text does not fit a decimal, the result is an error.
fn read_decimal(row: &QueryResult, column: &str, dialect: Dialect) -> Result<Option<Decimal>, DbErr> {
    if !dialect.is_sqlite() {
        return row.try_get("", column);
    }
    let Some(double) = read_double(row, column, dialect)? else { return Ok(None) };
    let exact = decimal(double).map(Some);
    exact.ok_or_else(|| DbErr::Type(format!("{column} holds {double}, which does not fit a decimal")))
}

/// The decimal with the shortest text of a double, unless it is another number.
pub(crate) fn decimal(double: f64) -> Option<Decimal> {
    let decimal = Decimal::from_str(&double.to_string()).ok();
    decimal.filter(|decimal| decimal.to_string().parse() == Ok(double))
}
