//! A response as text.
//!
//! A plan writes JSON. A response of async-graphql is a tree of values, so by default the JSON is parsed into one. A server
//! saves both steps: it puts an [`Execution`](crate::Execution) into the data of the request, and writes the response by
//! [`write()`].

use async_graphql::Value;

/// Appends a value as JSON, and JSON as it is.
pub fn write(value: &Value, json: &mut Vec<u8>) {
    match value {
        Value::Binary(text) => json.extend_from_slice(text),
        Value::Object(fields) => {
            json.push(b'{');
            for (index, (name, value)) in fields.iter().enumerate() {
                if index > 0 {
                    json.push(b',');
                }
                crate::plan::writer::write(&name.as_str(), json);
                json.push(b':');
                write(value, json);
            }
            json.push(b'}');
        }
        Value::List(items) => {
            json.push(b'[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    json.push(b',');
                }
                write(item, json);
            }
            json.push(b']');
        }
        value => crate::plan::writer::write(value, json),
    }
}

/// Replaces JSON by the values that it stands for, at any depth.
pub fn parse(value: &mut Value) {
    match value {
        // A plan writes nothing that is not JSON.
        Value::Binary(text) => *value = serde_json::from_slice(text).unwrap_or_default(),
        Value::List(items) => items.iter_mut().for_each(parse),
        Value::Object(fields) => fields.values_mut().for_each(parse),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use async_graphql::value;

    use super::*;

    #[test]
    fn json_stays_as_it_is_at_any_depth() {
        let mut value = value!({ "a": [1.0, null, "\"\n", true], "b": {} });
        let mut json = Vec::new();
        write(&value, &mut json);
        assert_eq!(String::from_utf8(json).unwrap(), serde_json::to_string(&value).unwrap());

        if let Value::Object(fields) = &mut value {
            fields
                .insert(async_graphql::Name::new("c"), Value::List(vec![Value::Binary(b"{\"d\":1}".to_vec().into())]));
        }
        let mut json = Vec::new();
        write(&value, &mut json);
        assert!(json.ends_with(br#""b":{},"c":[{"d":1}]}"#));
        parse(&mut value);
        assert_eq!(value.into_json().unwrap(), serde_json::from_slice::<serde_json::Value>(&json).unwrap());
    }
}
