//! Lists in a text: an array of PostgreSQL (`{a,"b c",NULL}`), or JSON (`["a","b c",null]`).

use rust_decimal::Decimal;
use sea_orm::{JsonValue, Value};

use crate::{Kind, StoredValue};

/// The list of values of this kind in a text; `None` if it is none.
pub(crate) fn read(text: &str, item: Kind) -> Option<Value> {
    let (is_json, list) = match text.trim().as_bytes() {
        [b'[', .., b']'] => (true, text.trim()),
        [b'{', .., b'}'] => (false, text.trim()),
        _ => return None,
    };
    let items = &list[1..list.len() - 1];
    let mut values = Vec::new();
    if !items.trim().is_empty() {
        for text in split(items)? {
            values.push(value(text.trim(), is_json, item)?);
        }
    }
    Some(Value::Array(item.null().array_type(), Some(Box::new(values))))
}

/// The items between the commas outside of quotes.
fn split(items: &str) -> Option<Vec<&str>> {
    let (mut found, mut begin) = (Vec::new(), 0);
    let (mut is_quoted, mut is_escaped) = (false, false);
    for (place, byte) in items.bytes().enumerate() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = true,
            b'"' => is_quoted = !is_quoted,
            b',' if !is_quoted => {
                found.push(&items[begin..place]);
                begin = place + 1;
            }
            _ => {}
        }
    }
    found.push(&items[begin..]);
    (!is_quoted && !is_escaped).then_some(found)
}

/// An item: NULL, or a value of this kind.
fn value(text: &str, is_json: bool, item: Kind) -> Option<Value> {
    let unquoted = text.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
    let unescaped = match unquoted {
        _ if text == if is_json { "null" } else { "NULL" } => return Some(item.null()),
        Some(_) if is_json => text.parse::<JsonValue>().ok()?.as_str()?.to_owned(),
        Some(quoted) => unescape(quoted),
        // Lists in lists, and objects.
        None if text.is_empty() || text.starts_with(['[', '{']) => return None,
        // PostgreSQL quotes them: it is a part of an object.
        None if text.contains(['"', '\\']) => return None,
        // Of JSON, only numbers and truth values have no quotes.
        None if is_json && !is_plain(item) => return None,
        None => text.to_owned(),
    };
    match item {
        Kind::Bool if is_json => StoredValue::Integer(unescaped.parse::<bool>().ok()?.into()).of_kind(item),
        Kind::Bool => StoredValue::Integer((unescaped == "t").into()).of_kind(item),
        Kind::SmallInt | Kind::Int | Kind::BigInt => StoredValue::Integer(unescaped.parse().ok()?).of_kind(item),
        Kind::Float | Kind::Double => StoredValue::Real(unescaped.parse().ok()?).of_kind(item),
        Kind::Uuid => Some(Value::Uuid(Some(unescaped.parse().ok()?))),
        Kind::Decimal => Some(exact(&unescaped)?.into()),
        _ => StoredValue::Text(&unescaped).of_kind(item),
    }
}

/// The decimal of a text, unless it has more digits than one of Rust.
pub(crate) fn exact(text: &str) -> Option<Decimal> {
    let without_zeros = || text.contains('.').then(|| Decimal::from_str_exact(text.trim_end_matches('0')).ok())?;
    Decimal::from_str_exact(text).ok().or_else(without_zeros)
}

fn is_plain(item: Kind) -> bool {
    use Kind::{BigInt, Bool, Decimal, Double, Float, Int, SmallInt};
    matches!(item, Bool | SmallInt | Int | BigInt | Float | Double | Decimal)
}

/// Without the backslashes that PostgreSQL puts before quotes and backslashes.
fn unescape(quoted: &str) -> String {
    let mut letters = quoted.chars();
    std::iter::from_fn(|| letters.next().and_then(|letter| if letter == '\\' { letters.next() } else { Some(letter) }))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(text: &str, item: Kind) -> Option<Vec<Value>> {
        match read(text, item)? {
            Value::Array(_, Some(values)) => Some(*values),
            _ => None,
        }
    }

    #[test]
    fn l1_an_array_and_a_list_in_json_have_the_same_values() {
        let texts = ["", "a", "b c", "it's", "\"", "\\", "a,b", "{}", "NULL", "null", "é\n"];
        let expected: Vec<Value> = texts.map(Value::from).into_iter().chain([Value::String(None)]).collect();
        let array = r#"{"",a,"b c",it's,"\"","\\","a,b","{}","NULL",null,"é
",NULL}"#;
        let json = r#"["", "a","b c","it's","\"","\\","a,b","{}","NULL","null","\u00e9\n",null]"#;
        assert_eq!(list(array, Kind::Text).as_ref(), Some(&expected));
        assert_eq!(list(json, Kind::Text).as_ref(), Some(&expected));
        assert_eq!(list("{}", Kind::Int), Some(vec![]));
        assert_eq!(list(" [ ] ", Kind::Int), Some(vec![]));
    }

    #[test]
    fn l1_items_are_values_of_their_kind() {
        let big = "12345678901234567890.12345678";
        let decimal = Some(vec![big.parse::<Decimal>().unwrap().into()]);
        assert_eq!(list(&format!("{{{big}}}"), Kind::Decimal), decimal);
        assert_eq!(list(&format!("[{big}]"), Kind::Decimal), decimal);
        let max = Some(vec![i64::MAX.into(), i64::MIN.into()]);
        for text in ["{9223372036854775807,-9223372036854775808}", "[9223372036854775807, -9223372036854775808]"] {
            assert_eq!(list(text, Kind::BigInt), max);
        }
        for text in ["{t,f,NULL}", "[true,false,null]"] {
            assert_eq!(list(text, Kind::Bool), Some(vec![true.into(), false.into(), Value::Bool(None)]));
        }
        assert_eq!(list("{Infinity}", Kind::Double), Some(vec![f64::INFINITY.into()]));
    }

    #[test]
    fn l1_what_is_no_list_of_its_kind_has_no_value() {
        for (text, item) in [
            ("", Kind::Text),
            ("a", Kind::Text),
            ("[", Kind::Text),
            ("{\"a}", Kind::Text),
            ("[a]", Kind::Text),
            ("[1]", Kind::Text),
            ("{\"a\":1}", Kind::Text),
            ("{\"a\":\"b\"}", Kind::Int),
            ("[\"1\"]", Kind::Bool),
            ("[1,]", Kind::Int),
            ("{{1},{2}}", Kind::Int),
            ("[0:1]={1,2}", Kind::Int),
            ("[[1]]", Kind::Int),
            ("[40000]", Kind::SmallInt),
            ("[1.5]", Kind::Int),
            ("{infinity}", Kind::Date),
            ("[0.12345678901234567890123456789]", Kind::Decimal),
        ] {
            assert_eq!(list(text, item), None, "{text} {item:?}");
        }
    }
}
