//! The scalar `BigInt`.

use std::fmt::Display;

use super::text::{TextScalar, text_scalar};

text_scalar!(
    #[derive(Copy, PartialOrd, Ord, Hash)]
    BigInt(i64),
    "An integer of 64 bits, as a string of digits: `\"9007199254740993\"`. JavaScript numbers lose precision above
9,007,199,254,740,991. Inputs also accept a number."
);

impl TextScalar for BigInt {
    const EXPECTED: &str = "expected an integer of 64 bits, such as `9007199254740993`";
    const HAS_NUMBERS: bool = true;

    fn read(text: &str) -> Option<Self> {
        let digits = text.strip_prefix('-').unwrap_or(text);
        // The library takes a plus, too.
        digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok())?.map(Self)
    }

    fn text(&self) -> impl Display {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use async_graphql::{ScalarType, Value, value};

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
        assert_eq!(number.to_value(), value!("9007199254740993"));
    }
}
