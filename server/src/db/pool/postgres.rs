//! The rows of PostgreSQL, as values by position: to find each value by the name of its column takes longer.

use std::sync::Arc;

use keyset::{Columns, Record, StoredRows, StoredValue};
use sea_orm::prelude::Uuid;
use sea_orm::sqlx;
use sea_orm::sqlx::postgres::{PgRow, PgValueRef, Postgres};
use sea_orm::sqlx::{Column as _, Decode, Error, Row as _, TypeInfo as _, ValueRef as _};

/// Adds a value that is not NULL.
type Read = fn(PgValueRef<'_>, &mut StoredRows) -> Result<(), sqlx::error::BoxDynError>;

/// The rows of one result. They are SeaORM's if a column has a type that is not read by position.
///
/// # Errors
///
/// [`Error::ColumnDecode`] for a value that is none of its type.
pub fn records(rows: Vec<PgRow>) -> Result<Vec<Record>, Error> {
    let Some(first) = rows.first() else { return Ok(Vec::new()) };
    let reads: Option<Vec<Read>> = first.columns().iter().map(|column| reader(column.type_info().name())).collect();
    let Some(reads) = reads else {
        return Ok(rows.into_iter().map(|row| Record::Row(row.into())).collect());
    };
    let columns = Arc::new(Columns::new(first.columns().iter().map(sqlx::Column::name)));
    let mut found = StoredRows::with_room(columns, rows.len());
    for row in &rows {
        for (position, read) in reads.iter().enumerate() {
            let value = row.try_get_raw(position)?;
            if value.is_null() {
                found.push(StoredValue::Null);
                continue;
            }
            read(value, &mut found)
                .map_err(|source| Error::ColumnDecode { index: row.column(position).name().into(), source })?;
        }
    }
    Ok(found.records())
}

/// How values of a type are read.
fn reader(name: &str) -> Option<Read> {
    Some(match name {
        "BOOL" => integer::<bool>,
        "INT2" => integer::<i16>,
        "INT4" => integer::<i32>,
        "INT8" => integer::<i64>,
        "FLOAT4" => real::<f32>,
        "FLOAT8" => real::<f64>,
        "TEXT" | "VARCHAR" => |value, found| {
            found.push(StoredValue::Text(value.as_str()?));
            Ok(())
        },
        "UUID" => |value, found| {
            found.push(StoredValue::Id(<Uuid as Decode<Postgres>>::decode(value)?.into_bytes()));
            Ok(())
        },
        "NUMERIC" | "DATE" | "TIME" | "TIMESTAMP" | "TIMESTAMPTZ" => |value, found| {
            match keyset::read_postgres(value) {
                Ok(value) => found.push(StoredValue::of(&value)),
                Err(_) => found.push(StoredValue::Unreadable),
            }
            Ok(())
        },
        _ => return None,
    })
}

fn integer<T>(value: PgValueRef<'_>, found: &mut StoredRows) -> Result<(), sqlx::error::BoxDynError>
where
    T: for<'r> Decode<'r, Postgres> + Into<i64>,
{
    found.push(StoredValue::Integer(T::decode(value)?.into()));
    Ok(())
}

fn real<T>(value: PgValueRef<'_>, found: &mut StoredRows) -> Result<(), sqlx::error::BoxDynError>
where
    T: for<'r> Decode<'r, Postgres> + Into<f64>,
{
    found.push(StoredValue::Real(T::decode(value)?.into()));
    Ok(())
}
