//! The rows of PostgreSQL, as values by position: to find each value by the name of its column takes longer.

use std::sync::Arc;

use futures_util::{Stream, TryStreamExt};
use keyset::{Columns, Record, StoredRows, StoredValue};
use sea_orm::prelude::Uuid;
use sea_orm::sqlx::error::BoxDynError;
use sea_orm::sqlx::postgres::{PgRow, PgValueFormat, PgValueRef, Postgres};
use sea_orm::sqlx::{Column as _, Decode, Error, Row as _, TypeInfo as _, ValueRef as _};
use sea_orm::{QueryResult, sqlx};

/// The rows for which there is room at first: those of a page with its neighbours.
const ROOM: usize = 16;

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
        "BOOL" => integer::<bool, 1>,
        "INT2" => integer::<i16, 2>,
        "INT4" => integer::<i32, 4>,
        "INT8" => integer::<i64, 8>,
        "FLOAT4" => real::<f32>,
        "FLOAT8" => real::<f64>,
        "TEXT" | "VARCHAR" => |value, found| {
            found.push(StoredValue::Text(value.as_str()?));
            Ok(())
        },
        "UUID" => |value, found| {
            let id = match bytes(&value) {
                Some(id) => id,
                None => <Uuid as Decode<Postgres>>::decode(value)?.into_bytes(),
            };
            found.push(StoredValue::Id(id));
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

/// A value of this many bytes, as a prepared statement returns it. What else returns texts, which the driver decodes.
fn bytes<const LENGTH: usize>(value: &PgValueRef<'_>) -> Option<[u8; LENGTH]> {
    let is_binary = value.format() == PgValueFormat::Binary;
    value.as_bytes().ok().filter(|_| is_binary)?.try_into().ok()
}

fn integer<T, const LENGTH: usize>(value: PgValueRef<'_>, found: &mut StoredRows) -> Result<(), BoxDynError>
where
    T: for<'r> Decode<'r, Postgres> + Into<i64>,
{
    let integer = match bytes::<LENGTH>(&value) {
        Some(bytes) => big_endian(bytes),
        None => T::decode(value)?.into(),
    };
    found.push(StoredValue::Integer(integer));
    Ok(())
}

/// An integer of at most eight bytes with its sign.
fn big_endian<const LENGTH: usize>(bytes: [u8; LENGTH]) -> i64 {
    let negative = bytes[0] >= 0x80;
    bytes.into_iter().fold(if negative { -1 } else { 0 }, |integer, byte| integer << 8 | i64::from(byte))
}

fn real<T>(value: PgValueRef<'_>, found: &mut StoredRows) -> Result<(), BoxDynError>
where
    T: for<'r> Decode<'r, Postgres> + Into<f64>,
{
    found.push(StoredValue::Real(T::decode(value)?.into()));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::big_endian;

    #[test]
    fn an_integer_keeps_its_sign() {
        assert_eq!([big_endian([0]), big_endian([1])], [0, 1]);
        for integer in [i64::MIN, -1, 0, 255, 256, i64::MAX] {
            assert_eq!(big_endian(integer.to_be_bytes()), integer);
        }
        assert_eq!([i16::MIN, -2, i16::MAX].map(|integer| big_endian(integer.to_be_bytes())), [-32_768, -2, 32_767]);
        assert_eq!(
            [i32::MIN, -2, i32::MAX].map(|v| big_endian(v.to_be_bytes())),
            [i32::MIN, -2, i32::MAX].map(i64::from)
        );
    }
}
