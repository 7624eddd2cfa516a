//! Values of columns: how they are compared, shown, and written.

use std::cmp::Ordering;

use async_graphql::{Name, Number, Value};
use chrono::{DateTime, NaiveDate, NaiveDateTime, NaiveTime, Utc};
use sea_orm::prelude::{Decimal, Uuid};
use sea_orm::{DbErr, QueryResult};

use crate::schema::Kind;

/// A value of a column.
#[derive(Clone, Debug, PartialEq)]
pub enum Datum {
    /// None.
    Null,
    /// A truth value.
    Bool(bool),
    /// An integer, a decimal in hundredths, or the place of a value in the enum.
    Integer(i64),
    /// A floating-point number.
    Real(f64),
    /// A text, or what is compared as its text in ISO 8601: dates, times, UUIDs.
    Text(String),
    /// Bytes.
    Bytes(Vec<u8>),
    /// A value of JSON, or the items of an array.
    Json(Value),
}

/// The values of the enum, in its order, as a schema calls them, and as the database does.
pub const MOODS: [[&str; 2]; 3] = [["OK", "ok"], ["SAD", "sad"], ["AT_EASE", "at-ease"]];

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

impl Datum {
    /// Whether it is NULL.
    pub fn is_null(&self) -> bool {
        *self == Self::Null
    }

    /// Compares two values of one kind. NULL is the greatest.
    pub fn compare(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Bool(one), Self::Bool(other)) => one.cmp(other),
            (Self::Integer(one), Self::Integer(other)) => one.cmp(other),
            (Self::Real(one), Self::Real(other)) => one.total_cmp(other),
            (Self::Text(one), Self::Text(other)) => one.as_bytes().cmp(other.as_bytes()),
            (Self::Bytes(one), Self::Bytes(other)) => one.cmp(other),
            // They have no order.
            (Self::Json(one), Self::Json(other)) if one != other => Ordering::Less,
            (one, other) => one.is_null().cmp(&other.is_null()),
        }
    }

    /// As a response shows it.
    pub fn show(&self, kind: Kind) -> Value {
        match (self, kind) {
            (Self::Null, _) => Value::Null,
            (Self::Bool(it), _) => Value::Boolean(*it),
            (Self::Integer(it), Kind::BigInt) => Value::String(it.to_string()),
            (Self::Integer(it), Kind::Enum) => Value::Enum(Name::new(mood(*it)[0])),
            (Self::Integer(it), Kind::Decimal) => Value::String(hundredths((*it).into())),
            (Self::Integer(it), _) => Value::Number((*it).into()),
            (Self::Real(it), _) => Number::from_f64(*it).map_or(Value::Null, Value::Number),
            (Self::Text(it), Kind::Instant) => Value::String(it.clone() + "Z"),
            (Self::Text(it), _) => Value::String(it.clone()),
            (Self::Bytes(it), _) => Value::String(base64(it)),
            (Self::Json(it), _) => it.clone(),
        }
    }

    /// The value of an argument of this kind.
    pub fn of_argument(value: &Value, kind: Kind) -> Option<Self> {
        Some(match (value, kind) {
            (Value::Null, _) => Self::Null,
            (it, Kind::Json | Kind::Ints) => Self::Json(it.clone()),
            (Value::Enum(it), Kind::Enum) => Self::Integer(place_of_mood(0, it)?),
            (Value::String(it), Kind::Enum) => Self::Integer(place_of_mood(0, it)?),
            (Value::Boolean(it), _) => Self::Bool(*it),
            (Value::Number(it), Kind::Double) => Self::Real(it.as_f64()?),
            (Value::Number(it), Kind::Decimal) => Self::Integer(of_decimal(&it.to_string())?),
            (Value::Number(it), _) => Self::Integer(it.as_i64()?),
            (Value::String(it), Kind::BigInt) => Self::Integer(it.parse().ok()?),
            (Value::String(it), Kind::Decimal) => Self::Integer(of_decimal(it)?),
            (Value::String(it), Kind::Bytes) => Self::Bytes(of_base64(it)?),
            (Value::String(it), Kind::Instant) => Self::Text(it.trim_end_matches('Z').to_owned()),
            (Value::String(it), _) => Self::Text(it.clone()),
            _ => return None,
        })
    }

    /// Its literal in SQL.
    pub fn sql(&self, kind: Kind, is_sqlite: bool) -> String {
        let hexadecimal = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
        match (self, kind) {
            (Self::Null, _) => "NULL".into(),
            (Self::Bool(it), _) => it.to_string(),
            (Self::Integer(it), Kind::Decimal) => hundredths((*it).into()),
            (Self::Integer(it), Kind::Enum) => format!("'{}'", mood(*it)[1]),
            (Self::Integer(it), _) => it.to_string(),
            (Self::Real(it), _) => format!("{it:?}"),
            (Self::Text(it), Kind::Uuid) if is_sqlite => format!("x'{}'", it.replace('-', "")),
            (Self::Text(it), Kind::Local) => format!("'{}'", it.replace('T', " ")),
            (Self::Text(it), Kind::Instant) if is_sqlite => format!("'{}+00:00'", it.trim_end_matches(".000")),
            (Self::Text(it), Kind::Instant) => format!("'{it}Z'"),
            (Self::Text(it), _) => format!("'{}'", it.replace('\'', "''")),
            (Self::Bytes(it), _) if is_sqlite => format!("x'{}'", hexadecimal(it)),
            (Self::Bytes(it), _) => format!("'\\x{}'", hexadecimal(it)),
            (Self::Json(it), Kind::Ints) => {
                let text = it.to_string().replace("null", "NULL");
                format!("'{{{}}}'", text.trim_start_matches('[').trim_end_matches(']'))
            }
            (Self::Json(it), _) => {
                let text = it.clone().into_json().unwrap_or_default().to_string();
                format!("'{}'", text.replace('\'', "''"))
            }
        }
    }

    /// Reads a column of a row.
    ///
    /// # Errors
    ///
    /// [`DbErr`] if the row has no such column of this kind.
    pub fn read(row: &QueryResult, column: &str, kind: Kind) -> Result<Self, DbErr> {
        fn get<T: sea_orm::TryGetable>(
            row: &QueryResult,
            column: &str,
            datum: impl FnOnce(T) -> Datum,
        ) -> Result<Datum, DbErr> {
            Ok(row.try_get::<Option<T>>("", column)?.map_or(Datum::Null, datum))
        }
        let is_sqlite = row.try_as_sqlite_row().is_some();
        match kind {
            Kind::Bool => get(row, column, Self::Bool),
            Kind::SmallInt => get(row, column, |it: i16| Self::Integer(it.into())),
            Kind::Int => get(row, column, |it: i32| Self::Integer(it.into())),
            Kind::BigInt => get(row, column, Self::Integer),
            Kind::Double => get(row, column, Self::Real),
            Kind::Decimal if is_sqlite => {
                get(row, column, |it: f64| Self::Integer(of_decimal(&it.to_string()).unwrap_or(i64::MAX)))
                    .or_else(|_| get(row, column, |it: i64| Self::Integer(it * 100)))
            }
            Kind::Decimal => {
                get(row, column, |it: Decimal| Self::Integer(of_decimal(&it.to_string()).unwrap_or(i64::MAX)))
            }
            Kind::Text => get(row, column, Self::Text),
            Kind::Date => get(row, column, |it: NaiveDate| Self::Text(it.to_string())),
            Kind::Time => get(row, column, |it: NaiveTime| Self::Text(it.to_string())),
            Kind::Local => {
                get(row, column, |it: NaiveDateTime| Self::Text(it.format("%Y-%m-%dT%H:%M:%S%.f").to_string()))
            }
            Kind::Instant => {
                get(row, column, |it: DateTime<Utc>| Self::Text(it.format("%Y-%m-%dT%H:%M:%S%.3f").to_string()))
            }
            Kind::Uuid => get(row, column, |it: Uuid| Self::Text(it.to_string())),
            Kind::Bytes => get(row, column, Self::Bytes),
            Kind::Enum => get(row, column, |it: String| Self::Integer(place_of_mood(1, &it).unwrap_or(i64::MAX))),
            Kind::Json | Kind::Ints => get(row, column, |it: String| {
                let text = if kind == Kind::Json { it } else { it.replace('{', "[").replace('}', "]").to_lowercase() };
                let json: serde_json::Value = serde_json::from_str(&text).unwrap_or_default();
                Self::Json(Value::from_json(json).unwrap_or_default())
            }),
        }
    }
}

fn mood(place: i64) -> [&'static str; 2] {
    usize::try_from(place).ok().and_then(|place| MOODS.get(place)).copied().unwrap_or_default()
}

fn place_of_mood(of: usize, name: &str) -> Option<i64> {
    MOODS.iter().position(|names| names[of] == name).and_then(|place| i64::try_from(place).ok())
}

/// A decimal of the scale 2.
pub fn hundredths(value: i128) -> String {
    let sign = if value < 0 { "-" } else { "" };
    format!("{sign}{}.{:02}", value.abs() / 100, value.abs() % 100)
}

fn of_decimal(text: &str) -> Option<i64> {
    let (whole, part) = text.split_once('.').unwrap_or((text, ""));
    let part: i64 = format!("{part:0<2}").get(..2)?.parse().ok()?;
    let number = whole.trim_start_matches('-').parse::<i64>().ok()? * 100 + part;
    Some(if whole.starts_with('-') { -number } else { number })
}

fn base64(bytes: &[u8]) -> String {
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let bits = chunk.iter().fold(0_usize, |bits, byte| bits << 8 | usize::from(*byte)) << (8 * (3 - chunk.len()));
        for place in 0..4 {
            let letter = char::from(ALPHABET[bits >> (18 - 6 * place) & 63]);
            text.push(if place <= chunk.len() { letter } else { '=' });
        }
    }
    text
}

fn of_base64(text: &str) -> Option<Vec<u8>> {
    let (mut bytes, mut bits, mut count) = (Vec::new(), 0_u32, 0);
    for letter in text.bytes().filter(|letter| *letter != b'=') {
        bits = bits << 6 | u32::try_from(ALPHABET.iter().position(|it| *it == letter)?).ok()?;
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push(u8::try_from(bits >> count & 255).ok()?);
        }
    }
    Some(bytes)
}
