//! Values of inputs, as columns store them.

use async_graphql::Value;
use chrono::Timelike;
use keyset::{Column, Kind};
use sea_orm::sea_query::{ColumnType, StringLen};

use super::times::is_shown;
use super::{check_text, read};
use crate::Error;
use crate::error::code;

/// The value of an input as a column stores it.
///
/// # Errors
///
/// [`BAD_USER_INPUT`](code::BAD_USER_INPUT) for a value of another type.
pub fn read_column(column: &Column, value: &Value) -> crate::Result<sea_orm::Value> {
    let kind = column.kind().item();
    let one = |value: &Value| fitting(column, kind, kind.of_field(read(column, value.clone())?));
    if !matches!(column.kind(), Kind::Array(_)) {
        return one(value);
    }
    let item_of = |value: &Value| if *value == Value::Null { Ok(kind.null()) } else { one(value) };
    let items = match value {
        Value::List(items) => items.iter().map(item_of).collect::<crate::Result<Vec<_>>>()?,
        // A single value is a list of it: https://spec.graphql.org/September2025/#sec-List.Input-Coercion
        value => vec![one(value)?],
    };
    Ok(sea_orm::Value::Array(kind.null().array_type(), Some(Box::new(items))))
}

/// Refuses a value that the column would cut or round, or that one database refuses and the other stores.
fn fitting(column: &Column, kind: Kind, value: sea_orm::Value) -> crate::Result<sea_orm::Value> {
    use sea_orm::Value;
    let refuse = |expected: String| Err(Error::client(code::BAD_USER_INPUT, expected));
    match (&value, column.item_type()) {
        (Value::Int(Some(number)), _) if kind == Kind::SmallInt => match i16::try_from(*number) {
            Ok(number) => Ok(number.into()),
            Err(_) => refuse(format!("expected an integer of 16 bits, not {number}")),
        },
        (Value::Double(Some(number)), _) if kind == Kind::Float => {
            #[expect(clippy::cast_possible_truncation, reason = "the column has 32 bits")]
            let stored = *number as f32;
            if stored.is_finite() {
                Ok(stored.into())
            } else {
                refuse(format!("expected a number of 32 bits, not {number}"))
            }
        }
        (Value::Decimal(Some(number)), ColumnType::Decimal(Some((digits, scale)))) => {
            let limit =
                rust_decimal::Decimal::from_i128_with_scale(10_i128.pow(digits.saturating_sub(*scale).min(28)), 0);
            if number.normalize().scale() > *scale || number.abs() >= limit {
                return refuse(format!(
                    "expected at most {digits} digits, {scale} of them after the point, not {number}"
                ));
            }
            Ok(value)
        }
        (Value::String(Some(text)), ColumnType::String(StringLen::N(most)) | ColumnType::Char(Some(most)))
            if text.chars().count() > *most as usize =>
        {
            refuse(format!("expected at most {most} characters"))
        }
        (Value::Json(Some(json)), _) => texts(json).map(|()| value),
        _ if !has_year(&value) => refuse("expected a year between 1 and 9999".into()),
        _ if !has_micros(&value) => refuse("expected at most six digits of a second".into()),
        _ => Ok(value),
    }
}

/// Refuses texts in JSON that PostgreSQL does not accept.
fn texts(json: &serde_json::Value) -> crate::Result<()> {
    match json {
        serde_json::Value::String(text) => check_text(text),
        serde_json::Value::Array(items) => items.iter().try_for_each(texts),
        serde_json::Value::Object(members) => {
            members.iter().try_for_each(|(name, value)| check_text(name).and_then(|()| texts(value)))
        }
        _ => Ok(()),
    }
}

fn has_year(value: &sea_orm::Value) -> bool {
    match value {
        sea_orm::Value::ChronoDate(Some(date)) => is_shown(date),
        sea_orm::Value::ChronoDateTime(Some(date)) => is_shown(date),
        sea_orm::Value::ChronoDateTimeUtc(Some(date)) => is_shown(date),
        _ => true,
    }
}

/// Whether both databases store all digits of a second.
fn has_micros(value: &sea_orm::Value) -> bool {
    let nanos = match value {
        sea_orm::Value::ChronoTime(Some(time)) => time.nanosecond(),
        sea_orm::Value::ChronoDateTime(Some(time)) => time.nanosecond(),
        sea_orm::Value::ChronoDateTimeUtc(Some(time)) => time.nanosecond(),
        _ => 0,
    };
    nanos.is_multiple_of(1000)
}
