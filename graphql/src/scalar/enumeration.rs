//! Enums of the database, as enums of GraphQL. A value that is no name there is mapped to one.

use std::borrow::Cow;

use async_graphql::Value as Input;
use async_graphql::registry::Registry;
use keyset::Column;
use sea_orm::Value;
use sea_orm::sea_query::{ColumnType, DynIden};

use crate::declare::names::{pascal, screaming};
use crate::error::code;
use crate::plan::writer::write as write_json;
use crate::{Error, Result, registry};

/// The values of a column's enum.
fn values(column: &Column) -> impl Iterator<Item = Cow<'static, str>> {
    let variants = if let ColumnType::Enum { variants, .. } = column.item_type() { &variants[..] } else { &[] };
    variants.iter().map(DynIden::inner)
}

/// Registers the enum of a column, and returns its name.
pub(super) fn register(column: &Column, registry: &mut Registry) -> String {
    let ColumnType::Enum { name, .. } = column.item_type() else { return String::new() };
    let item = |value: Cow<'static, str>| {
        let name = screaming(&value);
        let description = if value == name { String::new() } else { format!("`{value}` in the database.") };
        (name, description)
    };
    registry::enumeration(registry, &pascal(&name.to_string()), "", values(column).map(item))
}

/// The value that a name stands for.
pub(super) fn read(column: &Column, name: &Input) -> Result<Value> {
    let given = match name {
        Input::Enum(name) => name.as_str(),
        Input::String(name) => name,
        _ => "",
    };
    let found = values(column).find(|value| screaming(value) == given);
    let unknown = || Error::client(code::BAD_USER_INPUT, format!("the enum of `{}` has no such value", column.name()));
    let value = |text: Cow<'static, str>| column.value(keyset::Scalar::Text(text.into_owned()));
    found.and_then(value).ok_or_else(unknown)
}

/// Writes the name of a value; `None` if the enum does not have it.
pub(super) fn write(column: &Column, value: &str, json: &mut Vec<u8>) -> Option<()> {
    let known = values(column).find(|known| known == value)?;
    write_json(&screaming(&known), json);
    Some(())
}
