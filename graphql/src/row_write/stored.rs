//! Values as they are stored, and keys as they come back.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use keyset::Column;
use sea_orm::sea_query::{Expr, ExprTrait};
use sea_orm::{DbBackend, Value};

use crate::filter::lists;

/// A value as an expression that is stored. SQLite has lists as JSON.
pub fn stored(column: &Column, value: Value, backend: DbBackend) -> Expr {
    match value {
        Value::Array(_, items) if backend == DbBackend::Sqlite => {
            let list = items.map(|items| items.iter().map(item).collect::<serde_json::Value>().to_string());
            Expr::val(list)
        }
        Value::Array(_, Some(items)) if items.iter().any(|item| *item == item.as_null()) => {
            column.stored(array(column, *items))
        }
        value => column.stored(value),
    }
}

/// An array of PostgreSQL. A parameter cannot be one with a NULL: `SeaQuery` panics.
fn array(column: &Column, items: Vec<Value>) -> Expr {
    let places: Vec<String> = (1..=items.len()).map(|place| format!("(${place})")).collect();
    let array = Expr::cust_with_exprs(
        // SeaQuery takes brackets for quotes.
        format!("ARRAY(VALUES {})", places.join(", ")),
        items.into_iter().map(|item| Expr::val(lists::plain(item))),
    );
    array.cast_as(format!("{}[]", lists::array(column.kind().item()).0))
}

/// An item of a list as JSON: a number, a truth value, or a text.
fn item(value: &Value) -> serde_json::Value {
    match value {
        Value::Bool(Some(v)) => (*v).into(),
        Value::SmallInt(Some(v)) => (*v).into(),
        Value::Int(Some(v)) => (*v).into(),
        Value::BigInt(Some(v)) => (*v).into(),
        Value::Float(Some(v)) => f64::from(*v).into(),
        Value::Double(Some(v)) => (*v).into(),
        Value::String(Some(v)) => v.as_str().into(),
        Value::Bytes(Some(v)) => BASE64_STANDARD.encode(v).into(),
        Value::Json(Some(v)) => v.as_ref().clone(),
        Value::Decimal(Some(v)) => v.to_string().into(),
        Value::ChronoDate(Some(v)) => v.to_string().into(),
        Value::ChronoTime(Some(v)) => v.to_string().into(),
        Value::ChronoDateTime(Some(v)) => v.format("%Y-%m-%dT%H:%M:%S%.f").to_string().into(),
        Value::ChronoDateTimeUtc(Some(v)) => v.to_rfc3339().into(),
        Value::Uuid(Some(v)) => v.to_string().into(),
        _ => serde_json::Value::Null,
    }
}

/// The value of a key as the column is compared with it.
pub fn compared(column: &Column, value: &Value) -> Value {
    let scalar = column.kind().scalar(&column.kind().of_field(value.clone()));
    scalar.and_then(|scalar| column.value(scalar)).unwrap_or_else(|| value.clone())
}
