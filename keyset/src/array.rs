//! Lists in a text: an array of PostgreSQL (`{a,"b c",NULL}`), or JSON (`["a","b c",null]`).

use std::borrow::Cow;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use rust_decimal::Decimal;
use sea_orm::{JsonValue, Value};

use crate::{Kind, StoredValue};

/// The list of values of this kind in a text; `None` if it is none.
pub(crate) fn read(text: &str, item: Kind) -> Option<Value> {
    let values = match (item, parts(text)?) {
        (Kind::Json, (true, _)) => {
            let list: JsonValue = text.parse().ok()?;
            list.as_array()?.iter().map(|item| Some(item.clone()).filter(|it| !it.is_null()).into()).collect()
        }
        (_, (is_json, items)) => {
            items.into_iter().map(|text| value(text.trim(), is_json, item)).collect::<Option<_>>()?
        }
    };
    Some(Value::Array(item.null().array_type(), Some(Box::new(values))))
}

/// A list of values of JSON in a text, as JSON: with all digits of their numbers. `None` if it is none.
///
/// ```
/// let list = keyset::json_list(r#"{"{\"a\": 1.50}",2,NULL}"#);
/// assert_eq!(list.as_deref(), Some(r#"[{"a": 1.50},2,null]"#));
/// ```
pub fn json_list(text: &str) -> Option<Cow<'_, str>> {
    let (is_json, items) = parts(text)?;
    let list = if is_json {
        Cow::Borrowed(text.trim())
    } else {
        let item = |text| if is_null(text, is_json) { Some("null".into()) } else { unquoted(text, is_json) };
        Cow::Owned(format!("[{}]", items.into_iter().map(item).collect::<Option<Vec<_>>>()?.join(",")))
    };
    list.parse::<JsonValue>().ok()?.is_array().then_some(list)
}

/// Whether a text is a list of JSON, or an array of PostgreSQL, and its items; `None` if it is neither.
fn parts(text: &str) -> Option<(bool, Vec<&str>)> {
    let list = text.trim();
    let is_json = match list.as_bytes() {
        [b'[', .., b']'] => true,
        [b'{', .., b'}'] => false,
        _ => return None,
    };
    let items = &list[1..list.len() - 1];
    Some((is_json, if items.trim().is_empty() { Vec::new() } else { split(items)? }))
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

fn is_null(text: &str, is_json: bool) -> bool {
    text == if is_json { "null" } else { "NULL" }
}

/// The text of an item without its quotes; `None` if it is none.
fn unquoted(text: &str, is_json: bool) -> Option<Cow<'_, str>> {
    let quoted = text.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
    Some(match quoted {
        Some(_) if is_json => text.parse::<JsonValue>().ok()?.as_str()?.to_owned().into(),
        Some(quoted) => unescape(quoted).into(),
        // Lists in lists, and objects.
        None if text.is_empty() || text.starts_with('{') || is_json && text.starts_with('[') => return None,
        // PostgreSQL quotes them: it is a part of an object.
        None if text.contains(['"', '\\']) => return None,
        None => text.into(),
    })
}

/// An item: NULL, or a value of this kind.
fn value(text: &str, is_json: bool, item: Kind) -> Option<Value> {
    if is_null(text, is_json) {
        return Some(item.null());
    }
    // Of JSON, only numbers and truth values have no quotes.
    if is_json && !is_plain(item) && !text.starts_with('"') {
        return None;
    }
    let unescaped = unquoted(text, is_json)?;
    match item {
        Kind::Bool if is_json => StoredValue::Integer(unescaped.parse::<bool>().ok()?.into()).of_kind(item),
        Kind::Bool => StoredValue::Integer((unescaped == "t").into()).of_kind(item),
        Kind::SmallInt | Kind::Int | Kind::BigInt => StoredValue::Integer(unescaped.parse().ok()?).of_kind(item),
        Kind::Float | Kind::Double => StoredValue::Real(unescaped.parse().ok()?).of_kind(item),
        Kind::Uuid => Some(Value::Uuid(Some(unescaped.parse().ok()?))),
        Kind::Decimal => Some(exact(&unescaped)?.into()),
        Kind::Bytes if is_json => Some(BASE64_STANDARD.decode(&*unescaped).ok()?.into()),
        Kind::Bytes => Some(bytes(unescaped.strip_prefix("\\x")?)?.into()),
        // The blanks that pad it.
        Kind::Char if !is_json => Some(unescaped.trim_end_matches(' ').into()),
        _ => StoredValue::Text(&unescaped).of_kind(item),
    }
}

/// The decimal of a text, unless it has more digits than one of Rust.
pub(crate) fn exact(text: &str) -> Option<Decimal> {
    let without_zeros = || text.contains('.').then(|| Decimal::from_str_exact(text.trim_end_matches('0')).ok())?;
    Decimal::from_str_exact(text).ok().or_else(without_zeros)
}

/// The bytes that two hexadecimal digits each stand for.
fn bytes(digits: &str) -> Option<Vec<u8>> {
    let byte = |pair: &[u8]| u8::from_str_radix(str::from_utf8(pair).ok()?, 16).ok();
    digits.as_bytes().chunks(2).map(|pair| byte(pair).filter(|_| pair.len() == 2)).collect()
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
        let texts = ["", "a", "b c", "it's", "\"", "\\", "a,b", "{}", "[]", "NULL", "null", "é\n"];
        let expected: Vec<Value> = texts.map(Value::from).into_iter().chain([Value::String(None)]).collect();
        let array = r#"{"",a,"b c",it's,"\"","\\","a,b","{}",[],"NULL",null,"é
",NULL}"#;
        let json = r#"["", "a","b c","it's","\"","\\","a,b","{}","[]","NULL","null","\u00e9\n",null]"#;
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
    fn l1_bytes_padded_texts_and_json_are_items() {
        let json = |text: &str| Value::from(text.parse::<JsonValue>().unwrap());
        let values = [r#"{"a": [1, "b,c"]}"#, "2.5", r#""q\"""#, "true"].map(json);
        let expected = Some(values.into_iter().chain([Value::Json(None)]).collect());
        let array = r#"{"{\"a\": [1, \"b,c\"]}",2.5,"\"q\\\"\"",true,NULL}"#;
        let list_of_json = r#"[{"a": [1, "b,c"]}, 2.5, "q\"", true, null]"#;
        assert_eq!([array, list_of_json].map(|text| list(text, Kind::Json)), [expected.clone(), expected]);
        assert_eq!(json_list("[1.50, [2]]").as_deref(), Some("[1.50, [2]]"));
        assert_eq!(json_list("{1.50,null}").as_deref(), Some("[1.50,null]"));
        for text in ["", "[1", "{a}", "{{1},{2}}", "[0:1]={1,2}", "{\"a\": 1}"] {
            assert_eq!(json_list(text), None, "{text}");
        }
        let bytes: Vec<Value> = [vec![0_u8, 255], vec![]].map(Value::from).into();
        assert_eq!(list(r#"{"\\x00ff","\\x"}"#, Kind::Bytes).as_ref(), Some(&bytes));
        assert_eq!(list(r#"["AP8=", ""]"#, Kind::Bytes).as_ref(), Some(&bytes));
        assert_eq!(list("{\"a   \",b}", Kind::Char), Some(vec!["a".into(), "b".into()]));
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
            (r#"{"\\x0"}"#, Kind::Bytes),
            (r#"{"\\xé"}"#, Kind::Bytes),
            ("{abc}", Kind::Bytes),
            ("[\"?\"]", Kind::Bytes),
            ("{\"{\"}", Kind::Json),
            ("[0.12345678901234567890123456789]", Kind::Decimal),
        ] {
            assert_eq!(list(text, item), None, "{text} {item:?}");
        }
    }
}
