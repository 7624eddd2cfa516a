//! Keys of rows, to find rows by them.

use keyset::StoredValue;
use sea_orm::Value;

/// The value of a primary key.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum RowKey {
    Id([u8; 16]),
    Integer(i64),
    Text(Box<str>),
    /// Any other values, as their text.
    Other(String),
}

impl RowKey {
    /// The key with these values.
    pub fn of(values: &[Value]) -> Self {
        let [value] = values else { return Self::Other(format!("{values:?}")) };
        match StoredValue::of(value) {
            StoredValue::Id(id) => Self::Id(id),
            StoredValue::Integer(integer) => Self::Integer(integer),
            StoredValue::Text(text) => Self::Text(text.into()),
            _ => Self::Other(format!("{value:?}")),
        }
    }
}
