//! Enums of the database, as enums of GraphQL. A value that is no name there is mapped to one.

use async_graphql::Value as Input;
use async_graphql::registry::Registry;
use keyset::Column;
use sea_orm::Value;
use sea_orm::sea_query::{ColumnType, Enum, OptionEnum};

use crate::declare::names::{pascal, screaming};
use crate::error::code;
use crate::plan::writer::write as write_json;
use crate::{Error, Result, registry};

/// The values of a column's enum, each with its name.
fn values(column: &Column) -> Vec<(String, String)> {
    let ColumnType::Enum { variants, .. } = column.column_type() else { return Vec::new() };
    variants.iter().map(|variant| (variant.to_string(), screaming(&variant.to_string()))).collect()
}

/// Registers the enum of a column, and returns its name.
pub(super) fn register(column: &Column, registry: &mut Registry) -> String {
    let ColumnType::Enum { name, .. } = column.column_type() else { return String::new() };
    let item = |(value, name): (String, String)| {
        let description = if value == name { String::new() } else { format!("`{value}` in the database.") };
        (name, description)
    };
    registry::enumeration(registry, &pascal(&name.to_string()), "", values(column).into_iter().map(item))
}

/// The value that a name stands for.
pub(super) fn read(column: &Column, name: &Input) -> Result<Value> {
    let given = match name {
        Input::Enum(name) => name.as_str(),
        Input::String(name) => name,
        _ => "",
    };
    let found = values(column).into_iter().find(|(_, known)| known == given);
    let unknown = || Error::client(code::BAD_USER_INPUT, format!("the enum of `{}` has no such value", column.name()));
    let ColumnType::Enum { name, .. } = column.column_type() else { return Err(unknown()) };
    let of_type = |(value, _): (String, String)| Enum { type_name: name.to_string().into(), value: value.into() };
    found.map(|found| Value::Enum(OptionEnum::Some(Box::new(of_type(found))))).ok_or_else(unknown)
}

/// Writes the name of a value; `None` if the enum does not have it.
pub(super) fn write(column: &Column, value: &str, json: &mut Vec<u8>) -> Option<()> {
    let (_, name) = values(column).into_iter().find(|(known, _)| known == value)?;
    write_json(&name, json);
    Some(())
}
