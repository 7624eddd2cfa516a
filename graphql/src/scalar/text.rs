//! Scalars whose values are strings.

use std::fmt::Display;

use async_graphql::{InputType, InputValueError, InputValueResult, Value};

/// A scalar whose values are strings.
pub(super) trait TextScalar: InputType {
    /// The error of other texts.
    const EXPECTED: &'static str;

    /// Whether inputs can be numbers, too.
    const HAS_NUMBERS: bool = false;

    fn read(text: &str) -> Option<Self>;

    fn text(&self) -> impl Display;

    fn parsed(value: Value) -> InputValueResult<Self> {
        let read = match &value {
            Value::String(text) => Self::read(text),
            Value::Number(number) if Self::HAS_NUMBERS => Self::read(&number.to_string()),
            _ => return Err(InputValueError::expected_type(value)),
        };
        read.ok_or_else(|| InputValueError::custom(Self::EXPECTED))
    }
}

/// Makes a scalar of a [`TextScalar`], which other types of Rust wrap.
macro_rules! text_scalar {
    ($(#[$derive:meta])* $name:ident($of:ty), $description:literal $(, $url:literal)?) => {
        $(#[$derive])*
        #[derive(Clone, Debug, PartialEq, Eq)]
        #[expect(missing_docs, reason = "the description of the scalar follows")]
        pub struct $name(pub $of);

        #[doc = $description]
        #[async_graphql::Scalar($(specified_by_url = $url)?)]
        impl async_graphql::ScalarType for $name {
            fn parse(value: async_graphql::Value) -> async_graphql::InputValueResult<Self> {
                Self::parsed(value)
            }

            fn is_valid(value: &async_graphql::Value) -> bool {
                Self::parsed(value.clone()).is_ok()
            }

            fn to_value(&self) -> async_graphql::Value {
                async_graphql::Value::String(self.text().to_string())
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(&self.text())
            }
        }

        impl From<$name> for sea_orm::Value {
            fn from($name(value): $name) -> Self {
                value.into()
            }
        }
    };
}

pub(super) use text_scalar;
