//! The instants in ids.

use chrono::{DateTime, SecondsFormat};

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
