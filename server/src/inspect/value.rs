//! The values in a cursor.

use chrono::SecondsFormat;
use keyset::Scalar;

use super::part::{Part, Parts};
use super::uuid;

/// The type of a value and the value; of a UUID, its parts.
pub fn parts(scalar: &Scalar) -> Parts {
    let (name, value): (&str, Part) = match scalar {
        Scalar::Null => ("null", Part::Null),
        Scalar::Bool(value) => ("boolean", Part::Bool(*value)),
        Scalar::Int(value) => ("integer", (*value).into()),
        Scalar::Text(value) => ("text", value.as_str().into()),
        Scalar::Bytes(value) => {
            ("bytes", value.iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().concat().into())
        }
        Scalar::Decimal(value) => ("decimal", value.to_string().into()),
        Scalar::Double(value) => ("double", format!("{value:?}").into()),
        Scalar::DateTime(value) => ("date and time", value.format("%Y-%m-%dT%H:%M:%S%.f").to_string().into()),
        Scalar::DateTimeUtc(value) => ("instant", value.to_rfc3339_opts(SecondsFormat::AutoSi, true).into()),
        Scalar::Time(value) => ("time of day", value.format("%H:%M:%S%.f").to_string().into()),
        Scalar::Date(value) => ("date", value.to_string().into()),
        Scalar::Uuid(value) => return Parts::default().with("type", "UUID").and(uuid::parts(*value)),
    };
    Parts::default().with("type", name).with("value", value)
}
