//! The scalar `Decimal`.

use std::fmt::Display;

use rust_decimal::Decimal as Number;

use super::text::{TextScalar, text_scalar};

text_scalar!(
    #[derive(Copy, Default)]
    Decimal(Number),
    "An exact decimal number, as a string: `12.50`. Inputs accept at most 28 digits. Inputs also accept a number without an exponent:
pass more than 15 digits as a string.",
    "https://www.w3.org/TR/xmlschema11-2/#decimal"
);

impl TextScalar for Decimal {
    const EXPECTED: &str = "expected a decimal number of at most 28 digits, such as `12.50`";
    const HAS_NUMBERS: bool = true;

    fn read(text: &str) -> Option<Self> {
        is_decimal(text).then(|| Number::from_str_exact(text).ok())?.map(Self)
    }

    fn text(&self) -> impl Display {
        self.0
    }
}

impl Decimal {
    /// With at least this many digits after the point.
    pub(crate) fn of_scale(mut number: Number, scale: Option<u32>) -> Self {
        if let Some(scale) = scale.filter(|scale| *scale > number.scale()) {
            number.rescale(scale);
        }
        Self(number)
    }
}

/// Whether a text is a decimal number of XML Schema: digits with at most one point, and a sign. The library would accept and
/// round other forms.
fn is_decimal(text: &str) -> bool {
    let text = text.strip_prefix(['+', '-']).unwrap_or(text);
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let mut digits = whole.bytes().chain(fraction.bytes()).peekable();
    digits.peek().is_some() && digits.all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use async_graphql::{ScalarType as _, Value};

    use super::*;

    /// The lexical space of <https://www.w3.org/TR/xmlschema11-2/#decimal>.
    #[test]
    fn a_decimal_is_one_of_xml_schema() {
        for (text, expected) in
            [("12.50", "12.50"), ("-1.23", "-1.23"), ("+100000.00", "100000.00"), ("210.", "210"), (".5", "0.5")]
        {
            let Ok(decimal) = Decimal::parse(Value::from(text)) else { panic!("{text}") };
            assert_eq!(decimal.to_value(), Value::from(expected));
        }
        let cents = |text: &str| Decimal::of_scale(text.parse().unwrap_or_default(), Some(2)).0.to_string();
        assert_eq!([cents("210"), cents("0.5"), cents("0.125")], ["210.00", "0.50", "0.125"]);
        for text in ["", ".", "+", "-.", "1e3", "1_000", " 1", "1.2.3", "+-1", "NaN", "٣"] {
            assert!(Decimal::parse(Value::from(text)).is_err(), "{text}");
        }
    }
}
