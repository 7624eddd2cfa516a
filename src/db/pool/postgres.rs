//! The rows of PostgreSQL, as values by position: to find each value by the name of its column takes longer.

use std::sync::Arc;

use chrono::{DateTime, NaiveDate, NaiveDateTime, NaiveTime, Utc};
use keyset::{Columns, Record, Stored, StoredValue};
use sea_orm::prelude::{Decimal, Uuid};
use sea_orm::sqlx::postgres::{PgRow, PgValueRef, Postgres};
use sea_orm::sqlx::{Column as _, Decode, Error, Row as _, TypeInfo as _, ValueRef as _};
use sea_orm::{Value, sqlx};

type Decoded = Result<StoredValue, sqlx::error::BoxDynError>;
type Read = fn(PgValueRef<'_>) -> Decoded;

/// The rows of one result. They are SeaORM's if a column has a type that is not read by position.
///
/// # Errors
///
/// [`Error::ColumnDecode`] for a value that Rust cannot hold, such as a decimal of 40 digits.
pub fn records(rows: Vec<PgRow>) -> Result<Vec<Record>, Error> {
    let Some(first) = rows.first() else { return Ok(Vec::new()) };
    let reads: Option<Vec<Read>> = first.columns().iter().map(|column| reader(column.type_info().name())).collect();
    let Some(reads) = reads else {
        return Ok(rows.into_iter().map(|row| Record::Row(row.into())).collect());
    };
    let columns = Arc::new(Columns::new(first.columns().iter().map(sqlx::Column::name)));
    let record = |row: &PgRow| {
        let value = |(position, read): (usize, &Read)| {
            let value = row.try_get_raw(position)?;
            if value.is_null() {
                return Ok(StoredValue::Null);
            }
            read(value).map_err(|source| Error::ColumnDecode { index: row.column(position).name().into(), source })
        };
        let values = reads.iter().enumerate().map(value).collect::<Result<_, Error>>()?;
        Ok(Record::Stored(Stored::new(Arc::clone(&columns), values)))
    };
    rows.iter().map(record).collect()
}

/// How values of a type are read.
fn reader(name: &str) -> Option<Read> {
    Some(match name {
        "BOOL" => |value| Ok(StoredValue::Integer(decode::<bool>(value)?.into())),
        "INT2" => |value| Ok(StoredValue::Integer(decode::<i16>(value)?.into())),
        "INT4" => |value| Ok(StoredValue::Integer(decode::<i32>(value)?.into())),
        "INT8" => |value| Ok(StoredValue::Integer(decode(value)?)),
        "FLOAT4" => |value| Ok(StoredValue::Real(decode::<f32>(value)?.into())),
        "FLOAT8" => |value| Ok(StoredValue::Real(decode(value)?)),
        "TEXT" | "VARCHAR" => |value| Ok(StoredValue::Text(decode(value)?)),
        "UUID" => |value| Ok(StoredValue::Id(decode::<Uuid>(value)?.into_bytes())),
        "NUMERIC" => other::<Decimal>,
        "DATE" => other::<NaiveDate>,
        "TIME" => other::<NaiveTime>,
        "TIMESTAMP" => other::<NaiveDateTime>,
        "TIMESTAMPTZ" => other::<DateTime<Utc>>,
        _ => return None,
    })
}

fn other<T: for<'r> Decode<'r, Postgres> + Into<Value>>(value: PgValueRef<'_>) -> Decoded {
    Ok(StoredValue::Other(Box::new(decode::<T>(value)?.into())))
}

fn decode<'r, T: Decode<'r, Postgres>>(value: PgValueRef<'r>) -> Result<T, sqlx::error::BoxDynError> {
    T::decode(value)
}
