//! Reading a value of a kind from a row of SeaORM.

use std::str::FromStr;

use rust_decimal::Decimal;
use sea_orm::{DbErr, QueryResult, TryGetable, Value};

use crate::{Kind, StoredValue};

impl Kind {
    /// Reads a value of this kind from a result row.
    pub(crate) fn read(self, row: &QueryResult, column: &str) -> Result<Value, DbErr> {
        #[cfg(feature = "postgres")]
        if let Some(row) = row.try_as_pg_row() {
            return crate::postgres::value(row, column, self);
        }
        let value = match self {
            Self::Bool | Self::SmallInt | Self::Int | Self::BigInt => get::<i64>(row, column)?,
            // SQLite returns an integer if an expression results in one.
            Self::Float | Self::Double | Self::Decimal => {
                get::<f64>(row, column).or_else(|_| get::<i64>(row, column))?
            }
            // SQLx reads the bytes of a text, too, which SQLite compares with no blob.
            Self::Bytes => get::<String>(row, column).or_else(|_| get::<Vec<u8>>(row, column))?,
            Self::Uuid => get::<String>(row, column).or_else(|_| get::<uuid::Uuid>(row, column))?,
            _ => get::<String>(row, column)?,
        };
        let read = StoredValue::of(&value).of_kind(self);
        read.ok_or_else(|| DbErr::Type(format!("`{column}` cannot be read as {self:?}: {value:?}")))
    }
}

fn get<T: TryGetable + Into<Value>>(row: &QueryResult, column: &str) -> Result<Value, DbErr>
where
    Option<T>: Into<Value>,
{
    row.try_get::<Option<T>>("", column).map(Into::into)
}

/// The decimal with the shortest text of a double, unless it is another number.
pub(crate) fn decimal(double: f64) -> Option<Decimal> {
    let decimal = Decimal::from_str(&double.to_string()).ok();
    decimal.filter(|decimal| decimal.to_string().parse() == Ok(double))
}
