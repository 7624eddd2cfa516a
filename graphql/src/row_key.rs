//! Keys of rows, to find rows by them.

use std::collections::HashMap;

use keyset::{Column, StoredValue, TableRow};
use sea_orm::sea_query::OptionEnum;
use sea_orm::{DbErr, Value};

/// The value of a primary key.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum RowKey {
    Id([u8; 16]),
    Integer(i64),
    Text(Box<str>),
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
                _ => Self::Other(vec![text(value)]),
            },
            values => Self::Other(values.iter().map(text).collect()),
        }
    }
}

/// The rows that differ in these columns, and the number of each row among them.
pub(crate) fn distinct<'r>(rows: &'r [TableRow], columns: &[Column]) -> Result<(Vec<&'r TableRow>, Vec<usize>), DbErr> {
    let (mut distinct, mut known, mut numbers) = (Vec::new(), HashMap::new(), Vec::with_capacity(rows.len()));
    for row in rows {
        let values = columns.iter().map(|column| row.value(column.number(), column.kind()));
        let values: Vec<Value> = values.collect::<Result<_, _>>()?;
        numbers.push(*known.entry(RowKey::of(&values)).or_insert_with(|| {
            distinct.push(row);
            distinct.len() - 1
        }));
    }
    Ok((distinct, numbers))
}

/// The text of a value. Equal values have one.
fn text(value: &Value) -> String {
    match value {
        Value::Decimal(Some(decimal)) => decimal.normalize().to_string(),
        Value::Enum(OptionEnum::Some(of_type)) => format!("{:?}", Value::from(of_type.value.as_ref())),
        value => format!("{value:?}"),
    }
}
