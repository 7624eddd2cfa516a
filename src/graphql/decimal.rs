//! `Decimal`.

use std::str::FromStr;

use async_graphql::{InputValueError, InputValueResult, Scalar, ScalarType, Value};
use sea_orm::prelude::Decimal as Number;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Decimal(pub Number);

/// An exact decimal number, as text: `12.50`. A number is taken, too, where JSON can write it exactly.
#[Scalar]
impl ScalarType for Decimal {
    fn parse(value: Value) -> InputValueResult<Self> {
        let text = match &value {
            Value::String(text) => text.clone(),
            Value::Number(number) => number.to_string(),
            _ => return Err(InputValueError::expected_type(value)),
        };
        Ok(Self(Number::from_str(&text)?))
    }

    fn to_value(&self) -> Value {
        Value::String(format!("{:.2}", self.0))
    }
}

impl From<Decimal> for sea_orm::Value {
    fn from(decimal: Decimal) -> Self {
        decimal.0.into()
    }
}
