//! Values as JSON, as servers on one database tell them to each other.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use chrono::{DateTime, SecondsFormat};
use keyset::Kind;
use sea_orm::Value;
use sea_orm::prelude::Decimal;
use serde_json::Value as Json;
use uuid::Uuid;

/// A value of a column of this kind. Numbers that JSON may round, dates and bytes are texts.
pub fn write(value: &Value) -> Json {
    const DATE_TIME: &str = "%Y-%m-%dT%H:%M:%S%.f";
    match value {
        Value::Bool(Some(v)) => (*v).into(),
        Value::SmallInt(Some(v)) => (*v).into(),
        Value::Int(Some(v)) => (*v).into(),
        Value::BigInt(Some(v)) => (*v).into(),
        Value::Float(Some(v)) => v.to_string().into(),
        Value::Double(Some(v)) => v.to_string().into(),
        Value::Decimal(Some(v)) => v.to_string().into(),
        Value::String(Some(v)) => v.as_str().into(),
        Value::Bytes(Some(v)) => BASE64_STANDARD.encode(v).into(),
        Value::ChronoDate(Some(v)) => v.to_string().into(),
        Value::ChronoTime(Some(v)) => v.to_string().into(),
        Value::ChronoDateTime(Some(v)) => v.format(DATE_TIME).to_string().into(),
        Value::ChronoDateTimeUtc(Some(v)) => v.to_rfc3339_opts(SecondsFormat::AutoSi, true).into(),
        Value::Uuid(Some(v)) => v.to_string().into(),
        Value::Json(Some(v)) => v.as_ref().clone(),
        Value::Array(_, Some(items)) => items.iter().map(write).collect(),
        _ => Json::Null,
    }
}

/// The value of a column of this kind; `None` for another one.
pub fn read(kind: Kind, json: &Json) -> Option<Value> {
    if json.is_null() {
        return Some(kind.null());
    }
    let text = || json.as_str();
    Some(match kind {
        Kind::Bool => json.as_bool()?.into(),
        Kind::SmallInt => i16::try_from(json.as_i64()?).ok()?.into(),
        Kind::Int => i32::try_from(json.as_i64()?).ok()?.into(),
        Kind::BigInt => json.as_i64()?.into(),
        Kind::Float => text()?.parse::<f32>().ok()?.into(),
        Kind::Double => text()?.parse::<f64>().ok()?.into(),
        Kind::Decimal => text()?.parse::<Decimal>().ok()?.into(),
        Kind::Text | Kind::Char | Kind::Enum => text()?.into(),
        Kind::Bytes => BASE64_STANDARD.decode(text()?).ok()?.into(),
        Kind::Date => Value::ChronoDate(Some(text()?.parse().ok()?)),
        Kind::Time => Value::ChronoTime(Some(text()?.parse().ok()?)),
        Kind::DateTime => Value::ChronoDateTime(Some(text()?.parse().ok()?)),
        Kind::DateTimeUtc => DateTime::parse_from_rfc3339(text()?).ok()?.to_utc().into(),
        Kind::Uuid => text()?.parse::<Uuid>().ok()?.into(),
        Kind::Json => json.clone().into(),
        Kind::Array(item) => {
            let items = json.as_array()?.iter().map(|json| read(*item, json)).collect::<Option<Vec<_>>>()?;
            Value::Array(item.null().array_type(), Some(Box::new(items)))
        }
        Kind::Unsupported => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_survive_a_round_trip() {
        let date = "2026-11-26".parse().unwrap();
        let at = DateTime::from_timestamp_micros(1_767_225_600_000_001).unwrap();
        for (kind, value) in [
            (Kind::Bool, true.into()),
            (Kind::SmallInt, i16::MIN.into()),
            (Kind::Int, i32::MAX.into()),
            (Kind::BigInt, i64::MIN.into()),
            (Kind::Double, f64::INFINITY.into()),
            (Kind::Double, 0.1.into()),
            (Kind::Float, f32::MIN_POSITIVE.into()),
            (Kind::Decimal, Decimal::new(1250, 2).into()),
            (Kind::Text, "a \"b\"\n".into()),
            (Kind::Bytes, vec![0_u8, 255].into()),
            (Kind::Date, Value::ChronoDate(Some(date))),
            (Kind::Time, Value::ChronoTime(Some("23:59:59.000001".parse().unwrap()))),
            (Kind::DateTime, Value::ChronoDateTime(Some(at.naive_utc()))),
            (Kind::DateTimeUtc, at.into()),
            (Kind::Uuid, Uuid::max().into()),
            (Kind::Json, serde_json::json!({ "a": [1, null] }).into()),
            (
                Kind::Array(&Kind::Int),
                Value::Array(Value::Int(None).array_type(), Some(Box::new(vec![1.into(), Value::Int(None)]))),
            ),
            (Kind::Text, Value::String(None)),
        ] {
            assert_eq!(read(kind, &write(&value)), Some(value), "{kind:?}");
        }
    }

    #[test]
    fn values_of_another_kind_are_refused() {
        for (kind, json) in [
            (Kind::SmallInt, serde_json::json!(1 << 20)),
            (Kind::Int, serde_json::json!("1")),
            (Kind::Uuid, serde_json::json!("1")),
            (Kind::Date, serde_json::json!("yesterday")),
            (Kind::Array(&Kind::Int), serde_json::json!([1, "2"])),
        ] {
            assert_eq!(read(kind, &json), None, "{kind:?}");
        }
    }
}
