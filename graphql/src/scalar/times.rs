//! The scalars of dates and times: `Date`, `Time` and `LocalDateTime`, which have no zone, and `DateTime`.

use std::fmt::Display;

use chrono::{DateTime as Instant, NaiveDate, NaiveDateTime, NaiveTime, SecondsFormat, Utc};

use super::text::{TextScalar, text_scalar};

text_scalar!(
    #[derive(Copy)]
    Date(NaiveDate),
    "A date in the format of RFC 3339: `2022-01-31`.",
    "https://www.rfc-editor.org/rfc/rfc3339"
);

impl TextScalar for Date {
    const EXPECTED: &str = "expected a date such as `2022-01-31`";

    fn read(text: &str) -> Option<Self> {
        NaiveDate::parse_from_str(text, "%Y-%m-%d").ok().map(Self)
    }

    fn text(&self) -> impl Display {
        self.0.format("%Y-%m-%d")
    }
}

text_scalar!(
    #[derive(Copy)]
    Time(NaiveTime),
    "A time of day without a zone: `20:15:00`, with up to six digits of a second: `20:15:00.000001`.",
    "https://www.rfc-editor.org/rfc/rfc3339"
);

impl TextScalar for Time {
    const EXPECTED: &str = "expected a time such as `20:15:00`";

    fn read(text: &str) -> Option<Self> {
        NaiveTime::parse_from_str(text, "%H:%M:%S%.f").ok().map(Self)
    }

    fn text(&self) -> impl Display {
        self.0
    }
}

text_scalar!(
    #[derive(Copy)]
    LocalDateTime(NaiveDateTime),
    "A date and time without a zone: `2022-01-31T20:15:00`, with up to six digits of a second.",
    "https://www.rfc-editor.org/rfc/rfc3339"
);

impl TextScalar for LocalDateTime {
    const EXPECTED: &str = "expected a date and time such as `2022-01-31T20:15:00`";

    fn read(text: &str) -> Option<Self> {
        NaiveDateTime::parse_from_str(text, "%Y-%m-%dT%H:%M:%S%.f").ok().map(Self)
    }

    fn text(&self) -> impl Display {
        self.0.format("%Y-%m-%dT%H:%M:%S%.f")
    }
}

text_scalar!(
    #[derive(Copy)]
    DateTime(Instant<Utc>),
    "A date and time in the format of RFC 3339. Outputs are in UTC, with milliseconds: `2022-01-01T00:00:19.933Z`. Inputs accept
any UTC offset.",
    "https://www.rfc-editor.org/rfc/rfc3339"
);

impl TextScalar for DateTime {
    const EXPECTED: &str = "expected a date and time such as `2022-01-31T20:15:00Z`";

    fn read(text: &str) -> Option<Self> {
        Instant::parse_from_rfc3339(text).ok().map(|instant| Self(instant.to_utc()))
    }

    /// With milliseconds, or as many digits of a second as it has.
    fn text(&self) -> impl Display {
        let is_whole = self.0.timestamp_subsec_nanos().is_multiple_of(1_000_000);
        self.0.to_rfc3339_opts(if is_whole { SecondsFormat::Millis } else { SecondsFormat::AutoSi }, true)
    }
}

/// Whether a date is shown: RFC 3339 has no other years.
pub(super) fn is_shown(date: &impl chrono::Datelike) -> bool {
    (1..=9999).contains(&date.year())
}
