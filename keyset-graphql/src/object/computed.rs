//! Fields whose values are computed: scalars, enums, and lists of them.

use async_graphql::registry::MetaType;
use async_graphql::{InputType, OutputType, Value};
use sea_orm::DbErr;

use crate::plan::writer;
use crate::registry::ObjectFields;

/// A value of a computed field: a scalar or an enum, which can be null, or a list of them. It is written as the schema has it.
///
/// An object has fields, which the query selects: it is no such value.
pub trait ComputedValue: OutputType + InputType + 'static {}

impl<T: OutputType + InputType + 'static> ComputedValue for T {}

/// Registers a field with this name and description.
///
/// # Panics
///
/// Panics if the values are objects, which are inputs, too.
pub fn register<L: ComputedValue>(fields: &mut ObjectFields<'_>, name: &'static str, description: &'static str) {
    fields.field::<L>(name, description);
    let type_name = <L as OutputType>::type_name();
    let of = fields.registry.types.get(type_name.trim_matches(['[', ']', '!']));
    let is_leaf = of.is_some_and(|of| matches!(of, MetaType::Scalar { .. } | MetaType::Enum { .. }));
    assert!(is_leaf, "the field `{name}` is computed: expected a scalar or an enum, not `{type_name}`");
}

/// Writes a value as JSON.
pub fn write<L: ComputedValue>(value: &L, json: &mut Vec<u8>) -> Result<(), DbErr> {
    let value = value.to_value();
    if let Some(number) = beyond_int(&value)
        && <L as OutputType>::type_name().trim_matches(['[', ']', '!']) == "Int"
    {
        return Err(DbErr::Type(format!("expected an Int, which has 32 bits, not {number}: use BigInt")));
    }
    writer::write(&value, json);
    Ok(())
}

/// An integer that GraphQL's `Int` cannot hold.
fn beyond_int(value: &Value) -> Option<&async_graphql::Number> {
    match value {
        Value::Number(number) if number.is_i64() || number.is_u64() => {
            let is_int = number.as_i64().is_some_and(|number| i32::try_from(number).is_ok());
            (!is_int).then_some(number)
        }
        Value::List(items) => items.iter().find_map(beyond_int),
        _ => None,
    }
}
