//! The values in a cursor.

use chrono::{DateTime, SecondsFormat};
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

/// An instant in milliseconds since 1970. From the year 10000 on, it is not RFC 3339.
pub fn unix_time(millis: u128) -> String {
    let instant = i64::try_from(millis).ok().and_then(DateTime::from_timestamp_millis);
    instant.map_or_else(beyond, |instant| instant.to_rfc3339_opts(SecondsFormat::Millis, true))
}

/// An instant in 100 nanoseconds since 15 October 1582, as 60 bits.
pub fn gregorian_time(ticks: u128) -> String {
    /// From 1582 to 1970.
    const EPOCH: i64 = 0x01b2_1dd2_1381_4000;
    let nanos = i64::try_from(ticks).ok().map(|ticks| i128::from(ticks - EPOCH) * 100);
    let instant = nanos.and_then(|nanos| {
        let seconds = i64::try_from(nanos.div_euclid(1_000_000_000)).ok()?;
        DateTime::from_timestamp(seconds, u32::try_from(nanos.rem_euclid(1_000_000_000)).ok()?)
    });
    instant.map_or_else(beyond, |instant| instant.to_rfc3339_opts(SecondsFormat::Nanos, true))
}

fn beyond() -> String {
    "beyond what a date can be".into()
}
