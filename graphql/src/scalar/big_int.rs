//! The scalar `BigInt`.

use async_graphql::{InputValueError, InputValueResult, Scalar, ScalarType, Value};
use serde::{Serialize, Serializer};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "the description of the scalar follows")]
pub struct BigInt(pub i64);

/// An integer of 64 bits, as a string of digits: `"9007199254740993"`. JavaScript numbers lose precision above
/// 9,007,199,254,740,991. Inputs also accept a number.
#[Scalar]
impl ScalarType for BigInt {
    fn parse(value: Value) -> InputValueResult<Self> {
        let number = match &value {
            Value::Number(number) => number.as_i64(),
            Value::String(text) => integer(text),
            _ => return Err(InputValueError::expected_type(value)),
        };
        number
            .map(Self)
            .ok_or_else(|| InputValueError::custom("expected an integer of 64 bits, such as `9007199254740993`"))
    }

    fn is_valid(value: &Value) -> bool {
        Self::parse(value.clone()).is_ok()
    }

    fn to_value(&self) -> Value {
        Value::String(self.0.to_string())
    }
}

/// The integer that a text of digits is.
fn integer(text: &str) -> Option<i64> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    // The library takes a plus, too.
    digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok())?
}

impl Serialize for BigInt {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

impl From<BigInt> for sea_orm::Value {
    fn from(number: BigInt) -> Self {
        number.0.into()
    }
}

#[cfg(test)]
mod tests {
    use async_graphql::value;

    use super::*;

    #[test]
    fn numbers_and_texts_of_digits_are_taken_exactly() {
        let read = |value: Value| <BigInt as ScalarType>::parse(value).ok().map(|BigInt(number)| number);
        for (given, expected) in [
            (value!(9_007_199_254_740_993_i64), 9_007_199_254_740_993),
            (value!("9007199254740993"), 9_007_199_254_740_993),
            (value!("-9223372036854775808"), i64::MIN),
            (value!(0), 0),
        ] {
            assert_eq!(read(given), Some(expected));
        }
        let refused = ["", "-", "+1", "1.0", "1e3", " 1", "9223372036854775808", "x"].map(|text| value!(text));
        for refused in
            refused.into_iter().chain([value!(1.5), value!(9_223_372_036_854_775_808_u64), value!(true), value!([1])])
        {
            assert_eq!(read(refused.clone()), None, "{refused}");
        }
    }

    #[test]
    fn it_is_written_as_a_string() {
        let number = BigInt(9_007_199_254_740_993);
        assert_eq!(serde_json::to_string(&number).unwrap(), "\"9007199254740993\"");
        assert_eq!(ScalarType::to_value(&number), value!("9007199254740993"));
    }
}
