//! Reading an input as a whole.

use async_graphql::{ID, InputType, Value};
use keyset::Column;

use super::{WriteField, WriteKind};
use crate::declare::declaration::Declaration;
use crate::error::code;
use crate::scalar::refused;
use crate::{Error, Result};

/// What an input asks for.
#[derive(Debug, Default)]
pub(crate) struct RowInput {
    /// The key of the row to change or to delete.
    pub key: Vec<sea_orm::Value>,
    /// The columns that are set.
    pub values: Vec<(Column, sea_orm::Value)>,
    pub client_mutation_id: Option<String>,
}

impl RowInput {
    /// The value that a column is set to.
    pub fn value(&self, column: &Column) -> Option<&sea_orm::Value> {
        self.values.iter().find(|(set, _)| set == column).map(|(_, value)| value)
    }
}

impl WriteField {
    /// Reads an input.
    ///
    /// # Errors
    ///
    /// All errors of its fields.
    pub(crate) fn read(&self, declaration: &Declaration, input: &Value) -> std::result::Result<RowInput, Vec<Error>> {
        let object = declaration.object(self.object.index);
        let (mut read, mut errors) = (RowInput::default(), Vec::new());
        let given = |name: &str| if let Value::Object(fields) = input { fields.get(name) } else { None };
        if self.kind != WriteKind::Create {
            let id = ID::parse(given("id").cloned()).map_err(refused);
            match id.and_then(|id| declaration.key(&object.name, &id)) {
                Ok(key) => read.key = key,
                Err(error) => errors.push(error.of_field("id")),
            }
        }
        for field in &self.inputs {
            let Some(value) = given(&field.name) else { continue };
            let values = self.prepared(&field.name, value).and_then(|value| field.read(declaration, &value));
            if let Err(error) = values.and_then(|values| add(&mut read.values, values)) {
                errors.push(error.of_field(field.name.clone()));
            }
        }
        if let Some(Value::String(text)) = given("clientMutationId") {
            read.client_mutation_id = Some(text.clone());
        }
        if errors.is_empty() { Ok(read) } else { Err(errors) }
    }

    /// The value of a field as it is stored, after its checks.
    fn prepared(&self, field: &str, value: &Value) -> Result<Value> {
        let own = self.prepared.iter().filter(|(name, _)| name == field && *value != Value::Null);
        own.map(|(_, prepare)| prepare).try_fold(value.clone(), |value, prepare| prepare(&value))
    }
}

/// Adds values of columns. Two references can share a column.
fn add(known: &mut Vec<(Column, sea_orm::Value)>, values: Vec<(Column, sea_orm::Value)>) -> Result<()> {
    for (column, value) in values {
        match known.iter().find(|(other, _)| *other == column) {
            None => known.push((column, value)),
            Some((_, other)) if *other == value => {}
            Some(_) => {
                let message = format!("expected an object with the `{}` of the others", column.name());
                return Err(Error::client(code::BAD_USER_INPUT, message));
            }
        }
    }
    Ok(())
}
