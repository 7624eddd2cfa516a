//! Objects that are values: what is selected of them is picked from their JSON.

use async_graphql::{Name, Variables};
use serde_json::Value;

use super::collect::{Fragments, Sets, collect};
use super::fields::PlannedFields;
use super::writer::{Writer, Written};

/// What is selected of a value.
pub struct Plain(PlannedFields<(Name, Plain)>);

impl Plain {
    pub fn new(sets: &Sets<'_>, fragments: &Fragments) -> Self {
        let collected = collect(sets, fragments, &|_| true);
        Self(PlannedFields::new(&collected, |field| {
            Some((field.field().node.name.node.clone(), Self::new(&field.sets(), fragments)))
        }))
    }

    /// Whether a value of one of these names is selected, at any depth.
    pub fn selects(&self, names: &[&str], variables: &Variables) -> bool {
        self.0
            .selected(variables)
            .any(|(name, plain)| names.contains(&name.as_str()) || plain.selects(names, variables))
    }

    /// Writes what is selected. The value of a field has its name.
    pub fn write(&self, value: &Value, writer: &mut Writer<'_>) -> Written {
        match value {
            Value::Object(members) => self.0.write(writer, |writer, (name, plain), _| {
                plain.write(members.get(name.as_str()).unwrap_or(&Value::Null), writer)
            }),
            Value::Array(items) => writer.list(items.iter(), |writer, item| self.write(item, writer)),
            value => {
                writer.value(value);
                Ok(())
            }
        }
    }
}
