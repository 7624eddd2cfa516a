//! The text of a statement, with values in place of its parameters.

use sea_orm::Value;
use sea_orm::sqlx::Error;

use super::literal;

/// Writes a statement. Each `$1` outside of quotes becomes the first value, and so on.
///
/// # Errors
///
/// [`Error::Encode`] for a value without a literal, or a parameter without a value.
pub fn write(message: &mut String, sql: &str, values: &[Value]) -> Result<(), Error> {
    let (mut rest, mut quote) = (sql, None);
    while let Some(at) = rest.find(['$', '\'', '"']) {
        let mark = rest.as_bytes()[at];
        message.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        match (mark, quote) {
            (b'$', None) if digits > 0 => {
                let number: usize = rest[..digits].parse().map_err(|_| missing(&rest[..digits]))?;
                let value = number.checked_sub(1).and_then(|index| values.get(index));
                literal::write(message, value.ok_or_else(|| missing(&rest[..digits]))?)?;
                rest = &rest[digits..];
                continue;
            }
            // A quote in quotes is doubled: it ends the text, and begins another one.
            (b'\'' | b'"', None) => quote = Some(mark),
            (mark, Some(open)) if mark == open => quote = None,
            _ => {}
        }
        message.push(char::from(mark));
    }
    message.push_str(rest);
    Ok(())
}

fn missing(number: &str) -> Error {
    Error::Encode(format!("the parameter ${number} has no value").into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(sql: &str, values: &[Value]) -> Result<String, Error> {
        let mut message = String::new();
        write(&mut message, sql, values)?;
        Ok(message)
    }

    #[test]
    fn parameters_outside_of_quotes_become_values() {
        let values: Vec<Value> = (1..=11).map(Value::from).collect();
        for (sql, expected) in [
            ("SELECT 1", "SELECT 1"),
            ("SELECT $1, $11,$2", "SELECT (1)::int4, (11)::int4,(2)::int4"),
            ("SELECT '$1', \"$2\", $1", "SELECT '$1', \"$2\", (1)::int4"),
            ("SELECT 'it''s $1' || $1", "SELECT 'it''s $1' || (1)::int4"),
            ("SELECT '\"' || $1 || '\"'", "SELECT '\"' || (1)::int4 || '\"'"),
            ("SELECT 5 $", "SELECT 5 $"),
        ] {
            assert_eq!(text(sql, &values).unwrap(), expected);
        }
    }

    #[test]
    fn a_value_is_no_part_of_the_statement() {
        assert_eq!(text("SELECT $1, $2", &["$2'".into(), 1.into()]).unwrap(), "SELECT ('$2''')::text, (1)::int4");
    }

    #[test]
    fn a_parameter_without_a_value_is_refused() {
        for sql in ["$1", "$0", "$99999999999999999999"] {
            assert!(matches!(text(sql, &[]), Err(Error::Encode(_))), "{sql}");
        }
    }
}
