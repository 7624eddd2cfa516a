//! The scalar `Decimal`.

use async_graphql::{InputValueError, InputValueResult, Scalar, ScalarType, Value};
use sea_orm::prelude::Decimal as Number;
use serde::{Serialize, Serializer};

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
        let number = Some(text).filter(|text| is_decimal(text)).and_then(|text| Number::from_str_exact(&text).ok());
        number
            .map(Self)
            .ok_or_else(|| InputValueError::custom("expected a decimal number of at most 28 digits, such as `12.50`"))
    }

    fn to_value(&self) -> Value {
        Value::String(format!("{:.2}", self.0))
    }
}

/// Whether a text is digits with at most one point: the library would accept and round other forms.
fn is_decimal(text: &str) -> bool {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let text = text.strip_prefix('-').unwrap_or(text);
    text.split_once('.').map_or_else(|| digits(text), |(whole, fraction)| digits(whole) && digits(fraction))
}

impl Serialize for Decimal {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&format_args!("{:.2}", self.0))
    }
}

impl From<Decimal> for sea_orm::Value {
    fn from(decimal: Decimal) -> Self {
        decimal.0.into()
    }
}
