//! The scalars `Date`, `Time` and `LocalDateTime`, which have no zone.

use std::fmt::Display;

use async_graphql::{InputValueError, InputValueResult, Scalar, ScalarType, Value};
use chrono::{Datelike as _, NaiveDate, NaiveDateTime, NaiveTime};
use serde::{Serialize, Serializer};

/// The years of RFC 3339.
pub(super) fn has_four_digits(year: i32) -> bool {
    (1..=9999).contains(&year)
}

macro_rules! local {
    ($name:ident($of:ty), $value:ident, $format:literal, $expected:literal, $url:literal, $description:literal) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[expect(missing_docs, reason = "the description of the scalar follows")]
        pub struct $name(pub $of);

        #[doc = $description]
        #[Scalar(specified_by_url = $url)]
        impl ScalarType for $name {
            fn parse(value: Value) -> InputValueResult<Self> {
                let Value::String(text) = &value else { return Err(InputValueError::expected_type(value)) };
                let parsed = <$of>::parse_from_str(text, $format);
                parsed.map(Self).map_err(|_| InputValueError::custom($expected))
            }

            fn is_valid(value: &Value) -> bool {
                Self::parse(value.clone()).is_ok()
            }

            fn to_value(&self) -> Value {
                Value::String(self.text())
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(&self.text())
            }
        }

        impl From<$name> for sea_orm::Value {
            fn from($name(value): $name) -> Self {
                Self::$value(Some(value))
            }
        }
    };
}

local!(
    Date(NaiveDate),
    ChronoDate,
    "%Y-%m-%d",
    "expected a date such as `2022-01-31`",
    "https://www.rfc-editor.org/rfc/rfc3339",
    "A date in the format of RFC 3339: `2022-01-31`."
);
local!(
    Time(NaiveTime),
    ChronoTime,
    "%H:%M:%S%.f",
    "expected a time such as `20:15:00`",
    "https://www.rfc-editor.org/rfc/rfc3339",
    "A time of day without a zone: `20:15:00`, with up to six digits of a second: `20:15:00.000001`."
);
local!(
    LocalDateTime(NaiveDateTime),
    ChronoDateTime,
    "%Y-%m-%dT%H:%M:%S%.f",
    "expected a date and time such as `2022-01-31T20:15:00`",
    "https://www.rfc-editor.org/rfc/rfc3339",
    "A date and time without a zone: `2022-01-31T20:15:00`, with up to six digits of a second."
);

impl Date {
    /// As it is shown; `None` beyond the years that the format has.
    pub(super) fn shown(date: NaiveDate) -> Option<Self> {
        has_four_digits(date.year()).then_some(Self(date))
    }

    fn text(self) -> String {
        self.0.format("%Y-%m-%d").to_string()
    }
}

impl Time {
    fn text(self) -> String {
        text(self.0)
    }
}

impl LocalDateTime {
    /// As it is shown; `None` beyond the years that the format has.
    pub(super) fn shown(time: NaiveDateTime) -> Option<Self> {
        has_four_digits(time.year()).then_some(Self(time))
    }

    fn text(self) -> String {
        format!("{}T{}", self.0.date().format("%Y-%m-%d"), text(self.0.time()))
    }
}

/// A time of day with as many digits of a second as it has.
fn text(time: impl Display) -> String {
    time.to_string()
}
