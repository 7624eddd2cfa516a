//! The types of values in the schema: those of columns, and those that are computed.

use async_graphql::registry::{MetaType, Registry};
use async_graphql::{InputType, InputValueError, OutputType, Pos, Value};
use keyset::{Column, Kind, StoredValue, TableRow};
use sea_orm::DbErr;
use sea_orm::sea_query::ColumnType;
use serde::Serialize;
use serde::de::IgnoredAny;

use crate::Error;
use crate::error::code;
use crate::plan::writer::{write, write_base64};
use times::is_shown;

mod big_int;
mod bytes;
mod decimal;
mod enumeration;
mod input;
mod json;
mod text;
mod times;

pub use big_int::BigInt;
pub use bytes::Bytes;
pub use decimal::Decimal;
pub use input::read_column;
pub use json::Json;
pub use times::{Date, DateTime, LocalDateTime, Time};

/// Registers the type of values of this kind, or of the items of lists, and returns its name. The column has the values of an enum.
pub(crate) fn register(kind: Kind, column: &Column, registry: &mut Registry) -> String {
    let ty = match kind.item() {
        Kind::Bool => <bool as OutputType>::create_type_info(registry),
        Kind::SmallInt | Kind::Int => <i32 as OutputType>::create_type_info(registry),
        Kind::BigInt => <BigInt as OutputType>::create_type_info(registry),
        Kind::Float | Kind::Double => <f64 as OutputType>::create_type_info(registry),
        Kind::Text | Kind::Char => <String as OutputType>::create_type_info(registry),
        Kind::Decimal => <Decimal as OutputType>::create_type_info(registry),
        Kind::Date => <Date as OutputType>::create_type_info(registry),
        Kind::Time => <Time as OutputType>::create_type_info(registry),
        Kind::DateTime => <LocalDateTime as OutputType>::create_type_info(registry),
        Kind::DateTimeUtc => <DateTime as OutputType>::create_type_info(registry),
        Kind::Uuid => <uuid::Uuid as OutputType>::create_type_info(registry),
        Kind::Bytes => <Bytes as OutputType>::create_type_info(registry),
        Kind::Json => <Json as OutputType>::create_type_info(registry),
        Kind::Enum => enumeration::register(column, registry),
        Kind::Array(_) | Kind::Unsupported => String::new(),
    };
    ty.trim_end_matches('!').to_owned()
}

/// Reads the value of an input, as a column, or the items of its lists, are compared with it.
///
/// # Errors
///
/// [`BAD_USER_INPUT`](code::BAD_USER_INPUT) for a value of another type.
pub(crate) fn read(column: &Column, value: Value) -> crate::Result<sea_orm::Value> {
    fn parsed<T: InputType + Into<sea_orm::Value>>(value: Value) -> crate::Result<sea_orm::Value> {
        T::parse(Some(value)).map(Into::into).map_err(refused)
    }

    match column.kind().item() {
        Kind::Bool => parsed::<bool>(value),
        Kind::SmallInt | Kind::Int => parsed::<i32>(value),
        Kind::BigInt => parsed::<BigInt>(value),
        Kind::Float | Kind::Double => parsed::<f64>(value),
        Kind::Text | Kind::Char | Kind::Array(_) | Kind::Unsupported => {
            let text = String::parse(Some(value)).map_err(refused)?;
            check_text(&text)?;
            Ok(text.into())
        }
        Kind::Decimal => parsed::<Decimal>(value),
        Kind::Date => parsed::<Date>(value),
        Kind::Time => parsed::<Time>(value),
        Kind::DateTime => parsed::<LocalDateTime>(value),
        Kind::DateTimeUtc => parsed::<DateTime>(value),
        Kind::Uuid => parsed::<uuid::Uuid>(value),
        Kind::Bytes => parsed::<Bytes>(value),
        Kind::Enum => enumeration::read(column, &value),
        Kind::Json => parsed::<Json>(value),
    }
}

/// Refuses a text that PostgreSQL does not accept.
pub(crate) fn check_text(text: &str) -> crate::Result<()> {
    if text.contains('\0') {
        return Err(Error::client(code::BAD_USER_INPUT, "the text must not contain a NUL character"));
    }
    Ok(())
}

/// The error of an input. The library adds the types around the value, also those that the schema has under another name.
pub(crate) fn refused<T: InputType>(error: InputValueError<T>) -> Error {
    let message = error.into_server_error(Pos::default()).message;
    Error::client(code::BAD_USER_INPUT, message.split(" (occurred while parsing").next().unwrap_or_default())
}

/// The name of the type of a column, which it registers. The items of a list can be null: no type of PostgreSQL forbids NULL in an
/// array.
pub(crate) fn register_column(column: &Column, registry: &mut Registry) -> String {
    let name = register(column.kind(), column, registry);
    if matches!(column.kind(), Kind::Array(_)) { format!("[{name}]") } else { name }
}

/// The error of a value that the type of its field does not hold.
pub(crate) fn unshown(column: &Column) -> Error {
    let message = format!("`{}` has a value that the type of the field does not hold", column.name());
    Error::client(code::OUT_OF_RANGE, message)
}

/// Writes the value of a column as JSON.
///
/// # Errors
///
/// [`OUT_OF_RANGE`](code::OUT_OF_RANGE) for a value that the type of the column does not have.
pub(crate) fn write_column(row: &TableRow, column: &Column, json: &mut Vec<u8>) -> crate::Result<()> {
    match row.get(column.number()) {
        StoredValue::Null if column.is_nullable() => {
            json.extend_from_slice(b"null");
            Ok(())
        }
        StoredValue::Text(text) if column.kind() == Kind::Text => {
            write(&text, json);
            Ok(())
        }
        StoredValue::Blob(bytes) if column.kind() == Kind::Bytes => {
            write_base64(bytes, json);
            Ok(())
        }
        StoredValue::Id(bytes) if column.kind() == Kind::Bytes => {
            write_base64(&bytes, json);
            Ok(())
        }
        // With all digits of its numbers.
        StoredValue::Text(text) if column.kind() == Kind::Json => {
            serde_json::from_str::<IgnoredAny>(text).map_err(|_| unshown(column))?;
            json.extend_from_slice(text.trim().as_bytes());
            Ok(())
        }
        StoredValue::Text(text) if column.kind() == Kind::Array(&Kind::Json) => {
            json.extend_from_slice(keyset::json_list(text).ok_or_else(|| unshown(column))?.as_bytes());
            Ok(())
        }
        _ => {
            let value = row.value(column.number(), column.kind()).map_err(|_| unshown(column))?;
            write_value(&value, column, json)
        }
    }
}

/// Writes a value that is not null.
///
/// # Errors
///
/// As [`write_column`].
pub(crate) fn write_value(value: &sea_orm::Value, column: &Column, json: &mut Vec<u8>) -> crate::Result<()> {
    use sea_orm::Value;

    fn some(value: Option<&impl Serialize>, json: &mut Vec<u8>) -> Option<()> {
        write(value?, json);
        Some(())
    }

    let written = match value {
        Value::String(Some(text)) if column.kind().item() == Kind::Enum => enumeration::write(column, text, json),
        Value::Bool(v) => some(v.as_ref(), json),
        Value::SmallInt(v) => some(v.as_ref(), json),
        Value::Int(v) => some(v.as_ref(), json),
        Value::BigInt(v) => some(v.map(BigInt).as_ref(), json),
        // JSON has no NaN and no infinity.
        Value::Float(v) => some(v.filter(|v| v.is_finite()).as_ref(), json),
        Value::Double(v) => some(v.filter(|v| v.is_finite()).as_ref(), json),
        Value::String(v) => some(v.as_ref(), json),
        Value::Decimal(v) => some(v.map(|v| Decimal::of_scale(v, scale(column))).as_ref(), json),
        Value::ChronoDate(v) => some(v.filter(is_shown).map(Date).as_ref(), json),
        Value::ChronoTime(v) => some(v.map(Time).as_ref(), json),
        Value::ChronoDateTime(v) => some(v.filter(is_shown).map(LocalDateTime).as_ref(), json),
        Value::ChronoDateTimeUtc(v) => some(v.filter(is_shown).map(DateTime).as_ref(), json),
        Value::Uuid(v) => some(v.as_ref(), json),
        Value::Bytes(v) => v.as_deref().map(|bytes| write_base64(bytes, json)),
        Value::Json(v) => some(v.as_ref(), json),
        Value::Array(_, Some(items)) => {
            json.push(b'[');
            for (place, item) in items.iter().enumerate() {
                if place > 0 {
                    json.push(b',');
                }
                if *item == item.as_null() { write(&(), json) } else { write_value(item, column, json)? }
            }
            json.push(b']');
            Some(())
        }
        _ => None,
    };
    written.ok_or_else(|| unshown(column))
}

/// The number of digits after the point that a column of decimals declares.
fn scale(column: &Column) -> Option<u32> {
    if let ColumnType::Decimal(Some((_, scale))) = column.item_type() { Some(*scale) } else { None }
}

/// A value of a computed field: a scalar or an enum, which can be null, or a list of them. It is written as the schema has it.
///
/// An object has fields, which the query selects: it is no such value.
pub trait LeafValue: OutputType + InputType + 'static {}

impl<T: OutputType + InputType + 'static> LeafValue for T {}

/// Registers the type of a computed value, and returns its name.
///
/// # Panics
///
/// Panics if the values are objects, which are inputs, too.
pub(crate) fn register_leaf<L: LeafValue>(registry: &mut Registry) -> String {
    let ty = <L as OutputType>::create_type_info(registry);
    let of = registry.types.get(ty.trim_matches(['[', ']', '!']));
    let is_leaf = of.is_some_and(|of| matches!(of, MetaType::Scalar { .. } | MetaType::Enum { .. }));
    assert!(is_leaf, "expected a scalar or an enum as a computed value, not `{ty}`");
    ty
}

/// Whether a computed value can be null.
pub(crate) fn is_nullable<L: LeafValue>() -> bool {
    !<L as OutputType>::qualified_type_name().ends_with('!')
}

/// Writes a computed value as JSON.
pub(crate) fn write_leaf<L: LeafValue>(value: &L, json: &mut Vec<u8>) -> Result<(), DbErr> {
    let value = value.to_value();
    if let Some(number) = beyond_int(&value)
        && <L as OutputType>::type_name().trim_matches(['[', ']', '!']) == "Int"
    {
        return Err(DbErr::Type(format!("expected an Int, which has 32 bits, not {number}: use BigInt")));
    }
    write(&value, json);
    Ok(())
}

/// An integer that GraphQL's `Int` cannot hold.
fn beyond_int(value: &Value) -> Option<&async_graphql::Number> {
    match value {
        Value::Number(number) if number.is_i64() || number.is_u64() => {
            let is_int = number.as_i64().is_some_and(|number| i32::try_from(number).is_ok());
            (!is_int).then_some(number)
        }
        Value::List(items) => items.iter().find_map(beyond_int),
        _ => None,
    }
}
