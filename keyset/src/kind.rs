//! The types of values that rows can be ordered by.

use sea_orm::Value;
use sea_orm::sea_query::{ColumnType, OptionEnum};

use crate::wire::Scalar;

/// The type of a sort's values. It determines how they are read from a row, bound to a statement and written to a
/// cursor.
///
/// | kind | column types | limits |
/// |---|---|---|
/// | `Bool` | boolean | |
/// | `SmallInt`, `Int`, `BigInt` | integers of 16, 32 and 64 bits | signed |
/// | `Float`, `Double` | floating point | infinities are values; `-0.0` equals `0.0`; NaN is one value, the largest, on PostgreSQL; SQLite stores none |
/// | `Decimal` | decimal | 28 digits, at most 28 of them after the point; on SQLite a double, which must convert without loss |
/// | `Text` | varchar, text | ordered by the column's collation; a cursor holds 361 bytes beside a UUID |
/// | `Bytes` | binary, blob | as many bytes as text |
/// | `Date`, `Time`, `DateTime`, `DateTimeUtc` | date, time, timestamp, timestamp with time zone | SQLite orders them as text: write all values of a column as `DateTimeUtc`; in a key, an infinite date of PostgreSQL is an infinite `Value::Double` |
/// | `Uuid` | uuid | |
/// | `Enum` | enums of the database | read as text, in the order of the database; a cursor has a value that the entity names |
/// | `Char` | `char(n)` | read without the blanks that pad it; rows cannot be ordered by it: its comparison ignores them |
/// | `Json` | json, jsonb | rows cannot be ordered by them |
/// | `Array` | arrays of PostgreSQL with values of a kind, lists in JSON on SQLite | rows cannot be ordered by them; bytes are base64 in JSON |
/// | `Unsupported` | all others | [`Order::of`](crate::Order::of) fails |
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "documented by the table above")]
pub enum Kind {
    Bool,
    SmallInt,
    Int,
    BigInt,
    Float,
    Double,
    Decimal,
    Text,
    Bytes,
    Date,
    Time,
    DateTime,
    DateTimeUtc,
    Uuid,
    Char,
    Enum,
    Json,
    Array(&'static Self),
    Unsupported,
}

/// The kinds that arrays have values of.
const ITEMS: [Kind; 17] = [
    Kind::Bool,
    Kind::SmallInt,
    Kind::Int,
    Kind::BigInt,
    Kind::Float,
    Kind::Double,
    Kind::Decimal,
    Kind::Text,
    Kind::Date,
    Kind::Time,
    Kind::DateTime,
    Kind::DateTimeUtc,
    Kind::Uuid,
    Kind::Enum,
    Kind::Char,
    Kind::Bytes,
    Kind::Json,
];

impl Kind {
    /// The kind of a column type.
    pub fn of(column: &ColumnType) -> Self {
        match column {
            ColumnType::Boolean => Self::Bool,
            ColumnType::TinyInteger | ColumnType::SmallInteger => Self::SmallInt,
            ColumnType::Integer | ColumnType::TinyUnsigned | ColumnType::SmallUnsigned => Self::Int,
            ColumnType::BigInteger | ColumnType::Unsigned | ColumnType::BigUnsigned => Self::BigInt,
            ColumnType::Float => Self::Float,
            ColumnType::Double => Self::Double,
            ColumnType::Decimal(_) => Self::Decimal,
            ColumnType::String(_) | ColumnType::Text => Self::Text,
            ColumnType::Binary(_) | ColumnType::VarBinary(_) | ColumnType::Blob => Self::Bytes,
            ColumnType::Date => Self::Date,
            ColumnType::Time => Self::Time,
            ColumnType::DateTime | ColumnType::Timestamp => Self::DateTime,
            ColumnType::TimestampWithTimeZone => Self::DateTimeUtc,
            ColumnType::Uuid => Self::Uuid,
            ColumnType::Char(_) => Self::Char,
            ColumnType::Enum { .. } => Self::Enum,
            ColumnType::Json | ColumnType::JsonBinary => Self::Json,
            ColumnType::Array(items) => {
                let of = Self::of(items);
                ITEMS.iter().find(|item| **item == of).map_or(Self::Unsupported, Self::Array)
            }
            _ => Self::Unsupported,
        }
    }

    /// The kind of the items of lists; of other values, itself.
    #[must_use]
    pub fn item(self) -> Self {
        if let Self::Array(item) = self { *item } else { self }
    }

    /// Whether its values are dates, with or without a time. Of these, PostgreSQL has infinite ones.
    pub(crate) fn is_date(self) -> bool {
        matches!(self, Self::Date | Self::DateTime | Self::DateTimeUtc)
    }

    /// Whether rows can be ordered by its values.
    pub fn is_sortable(self) -> bool {
        !matches!(self, Self::Char | Self::Json | Self::Array(_) | Self::Unsupported)
    }

    /// The value of this kind for a value in a cursor. `None` for another type, or for a number out of range.
    pub fn value(self, scalar: Scalar) -> Option<Value> {
        Some(match (self, scalar) {
            (_, Scalar::Null) => self.null(),
            (Self::Bool, Scalar::Bool(v)) => v.into(),
            (Self::SmallInt, Scalar::Int(v)) => i16::try_from(v).ok()?.into(),
            (Self::Int, Scalar::Int(v)) => i32::try_from(v).ok()?.into(),
            (Self::BigInt, Scalar::Int(v)) => i64::try_from(v).ok()?.into(),
            #[expect(clippy::cast_possible_truncation, reason = "the next line rejects a truncated value")]
            (Self::Float, Scalar::Double(v)) => {
                let narrow = v as f32;
                (f64::from(narrow).to_bits() == v.to_bits()).then(|| narrow.into())?
            }
            (Self::Double, Scalar::Double(v)) => v.into(),
            (Self::Decimal, Scalar::Decimal(v)) => v.into(),
            (Self::Text | Self::Enum, Scalar::Text(v)) => v.into(),
            (Self::Bytes, Scalar::Bytes(v)) => v.into(),
            (Self::Date, Scalar::Date(v)) => v.into(),
            (Self::Time, Scalar::Time(v)) => v.into(),
            (Self::DateTime, Scalar::DateTime(v)) => v.into(),
            (Self::DateTimeUtc, Scalar::DateTimeUtc(v)) => v.into(),
            (Self::Uuid, Scalar::Uuid(v)) => v.into(),
            _ => return None,
        })
    }

    /// Converts the value of a model's field to this kind. Other values are returned unchanged.
    pub fn of_field(self, value: Value) -> Value {
        match (self, value) {
            (Self::SmallInt, Value::TinyInt(v)) => Value::SmallInt(v.map(Into::into)),
            (Self::DateTimeUtc, Value::ChronoDateTimeWithTimeZone(v)) => {
                Value::ChronoDateTimeUtc(v.map(|instant| instant.to_utc()))
            }
            (Self::DateTimeUtc, Value::ChronoDateTimeLocal(v)) => {
                Value::ChronoDateTimeUtc(v.map(|instant| instant.to_utc()))
            }
            (Self::Enum, Value::Enum(v)) => Value::String(match v {
                OptionEnum::Some(v) => Some(v.value.to_string()),
                OptionEnum::None(_) => None,
            }),
            (Self::Array(item), Value::Array(_, Some(items))) => {
                let items = items.into_iter().map(|value| item.of_field(value)).collect();
                Value::Array(item.null().array_type(), Some(Box::new(items)))
            }
            (Self::Int, Value::TinyUnsigned(v)) => Value::Int(v.map(Into::into)),
            (Self::Int, Value::SmallUnsigned(v)) => Value::Int(v.map(Into::into)),
            (Self::BigInt, Value::Unsigned(v)) => Value::BigInt(v.map(Into::into)),
            // Beyond the widest column, there is no such value.
            (Self::BigInt, Value::BigUnsigned(v)) => Value::BigInt(v.and_then(|v| v.try_into().ok())),
            (_, value) => value,
        }
    }

    /// A typed NULL, so that the database need not infer the type of a parameter.
    pub fn null(self) -> Value {
        match self {
            Self::Bool => Value::Bool(None),
            Self::SmallInt => Value::SmallInt(None),
            Self::Int => Value::Int(None),
            Self::BigInt => Value::BigInt(None),
            Self::Float => Value::Float(None),
            Self::Double => Value::Double(None),
            Self::Decimal => Value::Decimal(None),
            Self::Text | Self::Char | Self::Enum | Self::Unsupported => Value::String(None),
            Self::Json => Value::Json(None),
            Self::Bytes => Value::Bytes(None),
            Self::Date => Value::ChronoDate(None),
            Self::Time => Value::ChronoTime(None),
            Self::DateTime => Value::ChronoDateTime(None),
            Self::DateTimeUtc => Value::ChronoDateTimeUtc(None),
            Self::Uuid => Value::Uuid(None),
            Self::Array(item) => Value::Array(item.null().array_type(), None),
        }
    }

    /// The value in a cursor for a value of this kind. `None` for another kind.
    pub fn scalar(self, value: &Value) -> Option<Scalar> {
        Some(match (self, value) {
            (Self::Bool, Value::Bool(Some(v))) => Scalar::Bool(*v),
            (Self::SmallInt, Value::SmallInt(Some(v))) => Scalar::Int((*v).into()),
            (Self::Int, Value::Int(Some(v))) => Scalar::Int((*v).into()),
            (Self::BigInt, Value::BigInt(Some(v))) => Scalar::Int((*v).into()),
            (Self::Float, Value::Float(Some(v))) => Scalar::Double((*v).into()),
            (Self::Double, Value::Double(Some(v))) => Scalar::Double(*v),
            (Self::Decimal, Value::Decimal(Some(v))) => Scalar::Decimal(*v),
            (Self::Text | Self::Enum, Value::String(Some(v))) => Scalar::Text(v.clone()),
            (Self::Bytes, Value::Bytes(Some(v))) => Scalar::Bytes(v.clone()),
            (Self::Date, Value::ChronoDate(Some(v))) => Scalar::Date(*v),
            (Self::Time, Value::ChronoTime(Some(v))) => Scalar::Time(*v),
            (Self::DateTime, Value::ChronoDateTime(Some(v))) => Scalar::DateTime(*v),
            (Self::DateTimeUtc, Value::ChronoDateTimeUtc(Some(v))) => Scalar::DateTimeUtc(*v),
            (Self::Uuid, Value::Uuid(Some(v))) => Scalar::Uuid(*v),
            // Last, as it takes the longest to tell.
            (_, null) if *null == self.null() => Scalar::Null,
            _ => return None,
        })
    }
}
