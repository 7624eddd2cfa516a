//! The rows of a prepared statement, as values by position.

use std::pin::pin;
use std::sync::Arc;

use futures_util::TryStreamExt as _;
use keyset::{Columns, StoredRows, StoredValue, read_binary};
use sea_orm::sqlx::Error;
use sea_orm::sqlx::error::BoxDynError;
use tokio_postgres::RowStream;
use tokio_postgres::types::{FromSql, Kind, Type};

use super::array::Array;
use super::error::failed;
use crate::db::pool::work::{ROOM, Runs};

/// Adds a value that is not NULL, in PostgreSQL's binary format.
pub type Read = fn(&[u8], &mut StoredRows) -> Result<(), BoxDynError>;

/// The bytes of a value of any type.
struct Bytes<'a>(&'a [u8]);

impl<'a> FromSql<'a> for Bytes<'a> {
    fn from_sql(_: &Type, bytes: &'a [u8]) -> Result<Self, BoxDynError> {
        Ok(Self(bytes))
    }

    fn accepts(_: &Type) -> bool {
        true
    }
}

/// Adds the rows of one result. Its last columns are the arrays of these lists: the rows of each list are added after them. Returns the
/// number of rows that the statement has read or written.
///
/// # Errors
///
/// Those of the driver, and [`Error::ColumnDecode`] for a value that is none of its type.
pub async fn records(
    rows: RowStream,
    columns: &Arc<Columns>,
    reads: &[Read],
    lists: &[Arc<Columns>],
    runs: &mut Runs,
) -> Result<u64, Error> {
    let (mut rows, mut found) = (pin!(rows), StoredRows::with_room(Arc::clone(columns), ROOM));
    let mut lists: Vec<_> =
        lists.iter().map(|of| (of.len(), StoredRows::with_room(Arc::clone(of), 4 * ROOM))).collect();
    let own = reads.len().saturating_sub(lists.iter().map(|(width, _)| width).sum());
    while let Some(row) = rows.try_next().await.map_err(failed)? {
        let undecodable = |index: usize, source| {
            let index = row.columns()[index].name().to_owned();
            Error::ColumnDecode { index, source }
        };
        let value = |position: usize| row.try_get::<_, Option<Bytes<'_>>>(position).map_err(failed);
        for (position, read) in reads[..own].iter().enumerate() {
            match value(position)? {
                None => found.push(StoredValue::Null),
                Some(Bytes(bytes)) => read(bytes, &mut found).map_err(|source| undecodable(position, source))?,
            }
        }
        let mut next = own;
        for (width, list) in &mut lists {
            let mut arrays = Vec::with_capacity(*width);
            for (position, read) in reads.iter().enumerate().skip(next).take(*width) {
                let array = value(position)?.map_or(Ok(Array::default()), |Bytes(bytes)| Array::of(bytes));
                arrays.push((array.map_err(|source| undecodable(position, source))?, *read));
            }
            let length = arrays.first().map_or(0, |(array, _)| array.length);
            for _ in 0..length {
                for (position, (array, read)) in (next..).zip(&mut arrays) {
                    array.read_next(*read, list).map_err(|source| undecodable(position, source))?;
                }
            }
            found.push(StoredValue::Integer(length.into()));
            next += *width;
        }
    }
    runs.push(found.records());
    runs.extend(lists.into_iter().map(|(_, list)| list.records()));
    Ok(rows.rows_affected().unwrap_or_default())
}

/// How the values in arrays of a type are read.
pub fn reader_of_array(of: &Type) -> Read {
    match of.kind() {
        Kind::Array(of) | Kind::Domain(of) => reader_of_array(of),
        _ => reader(of),
    }
}

/// How values of a type are read.
pub fn reader(of: &Type) -> Read {
    match *of {
        Type::BOOL => |bytes, found| integer(u8::from_be_bytes(bytes.try_into()?), found),
        Type::INT2 => |bytes, found| integer(i16::from_be_bytes(bytes.try_into()?), found),
        Type::INT4 => |bytes, found| integer(i32::from_be_bytes(bytes.try_into()?), found),
        Type::INT8 => |bytes, found| integer(i64::from_be_bytes(bytes.try_into()?), found),
        Type::FLOAT4 => |bytes, found| push(found, StoredValue::Real(f32::from_be_bytes(bytes.try_into()?).into())),
        Type::FLOAT8 => |bytes, found| push(found, StoredValue::Real(f64::from_be_bytes(bytes.try_into()?))),
        Type::TEXT | Type::VARCHAR | Type::BPCHAR | Type::NAME | Type::CHAR | Type::UNKNOWN | Type::JSON => text,
        Type::JSONB => |bytes, found| text(bytes.split_first().ok_or("no version of JSON")?.1, found),
        Type::UUID => |bytes, found| push(found, StoredValue::Id(bytes.try_into()?)),
        Type::BYTEA => |bytes, found| push(found, StoredValue::Blob(bytes)),
        Type::NUMERIC => |bytes, found| other("NUMERIC", bytes, found),
        Type::DATE => |bytes, found| other("DATE", bytes, found),
        Type::TIME => |bytes, found| other("TIME", bytes, found),
        Type::TIMESTAMP => |bytes, found| other("TIMESTAMP", bytes, found),
        Type::TIMESTAMPTZ => |bytes, found| other("TIMESTAMPTZ", bytes, found),
        _ if of.name() == "citext" || matches!(of.kind(), Kind::Enum(_)) => text,
        _ => |_, found| push(found, StoredValue::Unreadable),
    }
}

#[expect(clippy::unnecessary_wraps, reason = "as those that read bytes")]
fn push(found: &mut StoredRows, value: StoredValue<'_>) -> Result<(), BoxDynError> {
    found.push(value);
    Ok(())
}

fn text(bytes: &[u8], found: &mut StoredRows) -> Result<(), BoxDynError> {
    push(found, StoredValue::Text(str::from_utf8(bytes)?))
}

/// A value that Rust may not hold.
fn other(type_name: &str, bytes: &[u8], found: &mut StoredRows) -> Result<(), BoxDynError> {
    match read_binary(type_name, bytes) {
        Ok(value) => push(found, StoredValue::of(&value)),
        Err(_) => push(found, StoredValue::Unreadable),
    }
}

fn integer(value: impl Into<i64>, found: &mut StoredRows) -> Result<(), BoxDynError> {
    push(found, StoredValue::Integer(value.into()))
}
