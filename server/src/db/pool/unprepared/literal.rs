//! Values as literals of PostgreSQL, with the types that the driver gives to parameters.

use sea_orm::Value;
use sea_orm::sea_query::{ArrayType, PostgresQueryBuilder, QueryBuilder};
use sea_orm::sqlx::Error;

/// Writes a value.
///
/// # Errors
///
/// [`Error::Encode`] for a text with a NUL, which PostgreSQL cannot hold, and for a value of a type that no table of ours
/// has.
pub fn write(message: &mut String, value: &Value) -> Result<(), Error> {
    message.push('(');
    value_of(message, value)?;
    message.push_str(")::");
    match value {
        Value::Array(of, _) => {
            message.push_str(name(of)?);
            message.push_str("[]");
        }
        scalar => message.push_str(name(&scalar.array_type())?),
    }
    Ok(())
}

fn value_of(message: &mut String, value: &Value) -> Result<(), Error> {
    match value {
        Value::Array(_, Some(items)) => {
            message.push_str("ARRAY[");
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    message.push(',');
                }
                value_of(message, item)?;
            }
            message.push(']');
        }
        // The library escapes some characters as other databases do.
        Value::String(Some(text)) => quote(message, text)?,
        Value::Json(Some(json)) => quote(message, &json.to_string())?,
        Value::Char(Some(letter)) => quote(message, letter.encode_utf8(&mut [0; 4]))?,
        // It quotes neither infinity nor what is not a number.
        Value::Float(Some(number)) => quote(message, &number.to_string())?,
        Value::Double(Some(number)) => quote(message, &number.to_string())?,
        other => message.push_str(&PostgresQueryBuilder.value_to_string(other)),
    }
    Ok(())
}

/// Writes a text in quotes, whatever `standard_conforming_strings` is.
///
/// # Errors
///
/// [`Error::Encode`] for a text with a NUL.
pub fn quote(message: &mut String, text: &str) -> Result<(), Error> {
    if text.contains('\0') {
        return Err(Error::Encode("a text with a NUL".into()));
    }
    if text.contains('\\') {
        message.push('E');
    }
    message.push('\'');
    for part in text.split_inclusive(['\'', '\\']) {
        message.push_str(part);
        // Such a letter is written twice.
        if let Some(letter @ ('\'' | '\\')) = part.chars().next_back() {
            message.push(letter);
        }
    }
    message.push('\'');
    Ok(())
}

/// The type of a parameter.
fn name(of: &ArrayType) -> Result<&'static str, Error> {
    Ok(match of {
        ArrayType::Bool => "bool",
        ArrayType::SmallInt | ArrayType::TinyUnsigned => "int2",
        ArrayType::Int | ArrayType::SmallUnsigned => "int4",
        ArrayType::BigInt | ArrayType::Unsigned | ArrayType::BigUnsigned => "int8",
        ArrayType::Float => "float4",
        ArrayType::Double => "float8",
        ArrayType::String | ArrayType::Char => "text",
        ArrayType::Bytes => "bytea",
        ArrayType::Uuid => "uuid",
        ArrayType::Json => "jsonb",
        ArrayType::Decimal => "numeric",
        ArrayType::ChronoDate => "date",
        ArrayType::ChronoTime => "time",
        ArrayType::ChronoDateTime => "timestamp",
        ArrayType::ChronoDateTimeUtc | ArrayType::ChronoDateTimeLocal | ArrayType::ChronoDateTimeWithTimeZone => {
            "timestamptz"
        }
        other => return Err(Error::Encode(format!("no literal has the type {other:?}").into())),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn literal(value: impl Into<Value>) -> String {
        let mut message = String::new();
        write(&mut message, &value.into()).unwrap();
        message
    }

    #[test]
    fn a_value_has_its_type() {
        assert_eq!(literal(true), "(TRUE)::bool");
        assert_eq!(literal(-1), "(-1)::int4");
        assert_eq!(literal(i64::MIN), "(-9223372036854775808)::int8");
        assert_eq!(literal(None::<i32>), "(NULL)::int4");
        assert_eq!(literal(f64::NEG_INFINITY), "('-inf')::float8");
        assert_eq!(literal(vec![1, 2]), "(ARRAY[1,2])::int4[]");
        assert_eq!(literal(serde_json::json!({ "a": "'\\" })), r#"(E'{"a":"''\\\\"}')::jsonb"#);
        assert_eq!(literal(Vec::<String>::new()), "(ARRAY[])::text[]");
    }

    #[test]
    fn no_text_ends_its_literal() {
        for (text, expected) in [
            ("a", "('a')::text"),
            ("it's", "('it''s')::text"),
            (r"\", r"(E'\\')::text"),
            (r"\'; DROP TABLE book; --", r"(E'\\''; DROP TABLE book; --')::text"),
            ("$1 \"x\" \u{1a}\n", "('$1 \"x\" \u{1a}\n')::text"),
        ] {
            assert_eq!(literal(text), expected);
        }
    }

    #[test]
    fn a_text_with_a_nul_is_refused() {
        assert!(matches!(write(&mut String::new(), &"a\0b".into()), Err(Error::Encode(_))));
        assert!(matches!(write(&mut String::new(), &vec!["a\0b".to_owned()].into()), Err(Error::Encode(_))));
    }
}
