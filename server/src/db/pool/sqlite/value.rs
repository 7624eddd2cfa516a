//! Values of SQLite: those of a row, and those of parameters.

use std::error::Error;

use chrono::SecondsFormat;
use keyset::StoredValue;
use rusqlite::ToSql;
use rusqlite::types::{ToSqlOutput, Value as Owned, ValueRef};
use sea_orm::Value;
use sea_orm::sea_query::OptionEnum;

/// The value of a row.
pub fn stored(value: ValueRef<'_>) -> StoredValue<'_> {
    match value {
        ValueRef::Null => StoredValue::Null,
        ValueRef::Integer(integer) => StoredValue::Integer(integer),
        ValueRef::Real(real) => StoredValue::Real(real),
        ValueRef::Text(text) => str::from_utf8(text).map_or(StoredValue::Unreadable, StoredValue::Text),
        ValueRef::Blob(bytes) => match bytes.try_into() {
            Ok(id) => StoredValue::Id(id),
            Err(_) => StoredValue::Blob(bytes),
        },
    }
}

/// A parameter, bound as sqlx binds it.
pub struct Bound<'a>(pub &'a Value);

impl ToSql for Bound<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        let owned = |text: String| ToSqlOutput::Owned(Owned::Text(text));
        let integer = |integer: i64| ToSqlOutput::Owned(Owned::Integer(integer));
        let null = ToSqlOutput::Owned(Owned::Null);
        Ok(match self.0 {
            Value::Bool(Some(v)) => integer((*v).into()),
            Value::TinyInt(Some(v)) => integer((*v).into()),
            Value::SmallInt(Some(v)) => integer((*v).into()),
            Value::Int(Some(v)) => integer((*v).into()),
            Value::BigInt(Some(v)) => integer(*v),
            Value::TinyUnsigned(Some(v)) => integer((*v).into()),
            Value::SmallUnsigned(Some(v)) => integer((*v).into()),
            Value::Unsigned(Some(v)) => integer((*v).into()),
            Value::BigUnsigned(Some(v)) => integer(i64::try_from(*v).map_err(unbound)?),
            Value::Float(Some(v)) => ToSqlOutput::Owned(Owned::Real((*v).into())),
            Value::Double(Some(v)) => ToSqlOutput::Owned(Owned::Real(*v)),
            Value::String(Some(v)) => ToSqlOutput::Borrowed(ValueRef::Text(v.as_bytes())),
            Value::Char(Some(v)) => owned(v.to_string()),
            Value::Enum(OptionEnum::Some(v)) => owned(v.value.to_string()),
            Value::Bytes(Some(v)) => ToSqlOutput::Borrowed(ValueRef::Blob(v)),
            Value::Uuid(Some(v)) => ToSqlOutput::Borrowed(ValueRef::Blob(v.as_bytes())),
            Value::Decimal(Some(v)) => owned(v.to_string()),
            Value::ChronoDate(Some(v)) => owned(v.format("%F").to_string()),
            Value::ChronoTime(Some(v)) => owned(v.format("%T%.f").to_string()),
            Value::ChronoDateTime(Some(v)) => owned(v.format("%F %T%.f").to_string()),
            Value::ChronoDateTimeUtc(Some(v)) => owned(v.to_rfc3339_opts(SecondsFormat::AutoSi, false)),
            Value::ChronoDateTimeWithTimeZone(Some(v)) => owned(v.to_rfc3339_opts(SecondsFormat::AutoSi, false)),
            Value::Json(Some(v)) => owned(v.to_string()),
            value if *value == value.as_null() => null,
            value => return Err(unbound(format!("SQLite cannot hold {value:?}"))),
        })
    }
}

fn unbound(error: impl Into<Box<dyn Error + Send + Sync>>) -> rusqlite::Error {
    rusqlite::Error::ToSqlConversionFailure(error.into())
}
