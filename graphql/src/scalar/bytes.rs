//! The scalar `Bytes`.

use async_graphql::{InputValueError, InputValueResult, Scalar, ScalarType, Value};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde::{Serialize, Serializer};

#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the description of the scalar follows")]
pub struct Bytes(pub Vec<u8>);

/// Bytes in base64, as RFC 4648 defines it, with padding.
#[Scalar(specified_by_url = "https://www.rfc-editor.org/rfc/rfc4648")]
impl ScalarType for Bytes {
    fn parse(value: Value) -> InputValueResult<Self> {
        let Value::String(text) = &value else { return Err(InputValueError::expected_type(value)) };
        BASE64_STANDARD.decode(text).map(Self).map_err(|_| InputValueError::custom("expected bytes in base64"))
    }

    fn is_valid(value: &Value) -> bool {
        Self::parse(value.clone()).is_ok()
    }

    fn to_value(&self) -> Value {
        Value::String(BASE64_STANDARD.encode(&self.0))
    }
}

impl Serialize for Bytes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&BASE64_STANDARD.encode(&self.0))
    }
}

impl From<Bytes> for sea_orm::Value {
    fn from(Bytes(bytes): Bytes) -> Self {
        bytes.into()
    }
}
