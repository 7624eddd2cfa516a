//! The scalar `DateTime`.

use async_graphql::{InputValueError, InputValueResult, Scalar, ScalarType, Value};
use chrono::{Datelike as _, SecondsFormat, Utc};
use serde::{Serialize, Serializer};

use super::local::has_four_digits;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the description of the scalar follows")]
pub struct DateTime(pub chrono::DateTime<Utc>);

/// A date and time in the format of RFC 3339. Outputs are in UTC, with milliseconds: `2022-01-01T00:00:19.933Z`. Inputs accept
/// any UTC offset.
#[Scalar(specified_by_url = "https://www.rfc-editor.org/rfc/rfc3339")]
impl ScalarType for DateTime {
    fn parse(value: Value) -> InputValueResult<Self> {
        let Value::String(text) = &value else { return Err(InputValueError::expected_type(value)) };
        Ok(Self(chrono::DateTime::parse_from_rfc3339(text)?.to_utc()))
    }

    fn is_valid(value: &Value) -> bool {
        Self::parse(value.clone()).is_ok()
    }

    fn to_value(&self) -> Value {
        Value::String(self.text())
    }
}

impl DateTime {
    /// As it is shown; `None` beyond the years that the format has.
    pub(super) fn shown(instant: chrono::DateTime<Utc>) -> Option<Self> {
        has_four_digits(instant.year()).then_some(Self(instant))
    }

    /// With milliseconds, or as many digits of a second as it has.
    fn text(self) -> String {
        let is_whole = self.0.timestamp_subsec_nanos().is_multiple_of(1_000_000);
        self.0.to_rfc3339_opts(if is_whole { SecondsFormat::Millis } else { SecondsFormat::AutoSi }, true)
    }
}

impl Serialize for DateTime {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.text())
    }
}

impl From<DateTime> for sea_orm::Value {
    fn from(DateTime(instant): DateTime) -> Self {
        instant.into()
    }
}
