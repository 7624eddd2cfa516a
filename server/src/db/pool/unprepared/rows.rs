//! The rows of unprepared statements, as values by position. Their values are texts, which the driver decodes.

use std::sync::Arc;

use futures_util::{Stream, TryStreamExt};
use keyset::{Columns, Record, StoredRows, StoredValue};
use sea_orm::prelude::Uuid;
use sea_orm::sqlx::error::BoxDynError;
use sea_orm::sqlx::postgres::{PgRow, PgValueRef, Postgres};
use sea_orm::sqlx::{Column as _, Decode, Error, Row as _, TypeInfo as _, ValueRef as _};
use sea_orm::{QueryResult, sqlx};

use crate::db::pool::work::ROOM;

/// Adds a value that is not NULL.
type Read = fn(PgValueRef<'_>, &mut StoredRows) -> Result<(), BoxDynError>;

/// The rows of one result. They are SeaORM's if a column has a type that is not read by position.
///
/// # Errors
///
/// Those of the driver, and [`Error::ColumnDecode`] for a value that is none of its type.
pub async fn records(mut rows: impl Stream<Item = Result<PgRow, Error>> + Unpin) -> Result<Vec<Record>, Error> {
    let Some(first) = rows.try_next().await? else { return Ok(Vec::new()) };
    let reads: Option<Vec<Read>> = first.columns().iter().map(|column| reader(column.type_info().name())).collect();
    let Some(reads) = reads else {
        let mut found = vec![Record::from(QueryResult::from(first))];
        while let Some(row) = rows.try_next().await? {
            found.push(QueryResult::from(row).into());
        }
        return Ok(found);
    };
    let columns = Arc::new(Columns::new(first.columns().iter().map(sqlx::Column::name)));
    let mut found = StoredRows::with_room(columns, ROOM);
    let mut next = Some(first);
    while let Some(row) = next {
        for (position, read) in reads.iter().enumerate() {
            let value = row.try_get_raw(position)?;
            if value.is_null() {
                found.push(StoredValue::Null);
                continue;
            }
            read(value, &mut found)
                .map_err(|source| Error::ColumnDecode { index: row.column(position).name().into(), source })?;
        }
        next = rows.try_next().await?;
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

fn integer<T>(value: PgValueRef<'_>, found: &mut StoredRows) -> Result<(), BoxDynError>
where
    T: for<'r> Decode<'r, Postgres> + Into<i64>,
{
    found.push(StoredValue::Integer(T::decode(value)?.into()));
    Ok(())
}

fn real<T>(value: PgValueRef<'_>, found: &mut StoredRows) -> Result<(), BoxDynError>
where
    T: for<'r> Decode<'r, Postgres> + Into<f64>,
{
    found.push(StoredValue::Real(T::decode(value)?.into()));
    Ok(())
}
