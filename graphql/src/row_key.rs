//! Keys of rows, to find rows by them.

use std::collections::HashMap;

use keyset::{Column, StoredValue, TableRow};
use sea_orm::Value;
use sea_orm::sea_query::OptionEnum;

use crate::Result;
use crate::scalar::unshown;

/// The value of a primary key.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum RowKey {
    Id([u8; 16]),
    Integer(i64),
    Text(Box<str>),
    Bytes(Box<[u8]>),
    /// Any other values, as their text.
    Other(Vec<String>),
}

impl RowKey {
    /// The key with these values.
    pub fn of(values: &[Value]) -> Self {
        match values {
            [Value::Enum(OptionEnum::Some(of_type))] => Self::Text(of_type.value.as_ref().into()),
            [value] => match StoredValue::of(value) {
                StoredValue::Id(id) => Self::Id(id),
                StoredValue::Integer(integer) => Self::Integer(integer),
                StoredValue::Text(text) => Self::Text(text.into()),
                StoredValue::Blob(bytes) => bytes.try_into().map_or_else(|_| Self::Bytes(bytes.into()), Self::Id),
                _ => Self::Other(vec![text(value)]),
            },
            values => Self::Other(values.iter().map(text).collect()),
        }
    }
}

/// The rows that differ in some columns: one object can stand at several places.
pub(crate) struct Distinct<'r> {
    pub rows: Vec<&'r TableRow>,
    /// Their values in these columns, one after the other.
    pub values: Vec<Value>,
    /// The number of each row among them; an error if it has a value that its column does not hold.
    pub numbers: Vec<Result<usize>>,
}

impl<'r> Distinct<'r> {
    /// Those of these rows that differ in these columns.
    pub fn of(rows: &'r [TableRow], columns: &[Column]) -> Self {
        let mut known = HashMap::with_capacity(rows.len());
        Self::numbered(rows, columns, |values, next| *known.entry(RowKey::of(values)).or_insert(next))
    }

    /// All of these rows, which are known to differ in these columns.
    pub fn all(rows: &'r [TableRow], columns: &[Column]) -> Self {
        Self::numbered(rows, columns, |_, next| next)
    }

    /// `number` is that of values: the next one, or that of equal ones.
    fn numbered(rows: &'r [TableRow], columns: &[Column], mut number: impl FnMut(&[Value], usize) -> usize) -> Self {
        let mut distinct = Self {
            rows: Vec::with_capacity(rows.len()),
            values: Vec::with_capacity(rows.len() * columns.len()),
            numbers: Vec::with_capacity(rows.len()),
        };
        for row in rows {
            let (next, begin) = (distinct.rows.len(), distinct.values.len());
            let unread = columns.iter().find(|column| {
                let value = row.value(column.number(), column.kind());
                value.map(|value| distinct.values.push(value)).is_err()
            });
            let number = match unread {
                None => Ok(number(&distinct.values[begin..], next)),
                Some(column) => Err(unshown(column)),
            };
            if number.as_ref().is_ok_and(|number| *number == next) {
                distinct.rows.push(row);
            } else {
                distinct.values.truncate(begin);
            }
            distinct.numbers.push(number);
        }
        distinct
    }
}

/// The text of a value. Equal values have one.
fn text(value: &Value) -> String {
    match value {
        Value::Decimal(Some(decimal)) => decimal.normalize().to_string(),
        Value::Enum(OptionEnum::Some(of_type)) => format!("{:?}", Value::from(of_type.value.as_ref())),
        value => format!("{value:?}"),
    }
}
