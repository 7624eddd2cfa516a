//! Values of columns: how they are compared, and how documents and responses have them.

use std::cmp::Ordering;

use crate::schema::Kind;
use async_graphql::{Name, Number, Value};

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
            (it, Kind::Json | Kind::Ints | Kind::Texts) => Self::Json(it.clone()),
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
}

/// The names of the value at this place of the enum.
pub fn mood(place: i64) -> [&'static str; 2] {
    usize::try_from(place).ok().and_then(|place| MOODS.get(place)).copied().unwrap_or_default()
}

/// The place of a value in the enum, by its name in the schema (0) or in the database (1).
pub fn place_of_mood(of: usize, name: &str) -> Option<i64> {
    MOODS.iter().position(|names| names[of] == name).and_then(|place| i64::try_from(place).ok())
}

/// A decimal of the scale 2.
pub fn hundredths(value: i128) -> String {
    let sign = if value < 0 { "-" } else { "" };
    format!("{sign}{}.{:02}", value.abs() / 100, value.abs() % 100)
}

/// The hundredths of a decimal.
pub fn of_decimal(text: &str) -> Option<i64> {
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
