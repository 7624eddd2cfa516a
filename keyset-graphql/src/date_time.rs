//! The scalar `DateTime`.

use async_graphql::{InputValueError, InputValueResult, Scalar, ScalarType, Value};
use chrono::{SecondsFormat, Utc};
use serde::{Serialize, Serializer};

#[derive(Clone, Copy, Debug)]
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

    fn to_value(&self) -> Value {
        Value::String(self.0.to_rfc3339_opts(SecondsFormat::Millis, true))
    }
}

impl Serialize for DateTime {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0.to_rfc3339_opts(SecondsFormat::Millis, true))
    }
}
