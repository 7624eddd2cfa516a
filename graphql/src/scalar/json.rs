//! The scalar `JSON`.

use async_graphql::{InputValueResult, Scalar, ScalarType, Value};

#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the description of the scalar follows")]
pub struct Json(pub Value);

/// A value of JSON: an object, a list, a string, a number, a boolean or null.
#[Scalar(name = "JSON", specified_by_url = "https://www.rfc-editor.org/rfc/rfc8259")]
impl ScalarType for Json {
    fn parse(value: Value) -> InputValueResult<Self> {
        Ok(Self(value))
    }

    fn to_value(&self) -> Value {
        self.0.clone()
    }
}

impl From<Json> for sea_orm::Value {
    fn from(Json(value): Json) -> Self {
        value.into_json().unwrap_or_default().into()
    }
}
