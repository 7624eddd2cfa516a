//! The types of a schema, and whether a value is one of them.

use std::collections::HashMap;

use async_graphql::indexmap::IndexMap;
use async_graphql::parser::types::{
    BaseType, EnumType, FieldDefinition, InputValueDefinition, Type, TypeKind, TypeSystemDefinition,
};
use async_graphql::{Name, Positioned, ScalarType, Value};

use super::MOST_ERRORS;
use crate::graphql::date_time::DateTime;
use crate::graphql::decimal::Decimal;

/// The types of a schema.
#[derive(Debug)]
pub struct InputTypes(HashMap<Name, TypeKind>);

/// What is wrong with a value: the field of the input that it is of, and a fragment of a sentence.
#[derive(Debug, PartialEq)]
pub struct Problem {
    pub field: Option<String>,
    pub text: String,
}

impl InputTypes {
    /// Those of a schema, as its text declares them.
    pub fn of(sdl: &str) -> Self {
        let document = async_graphql::parser::parse_schema(sdl).expect("the schema that the library wrote");
        let types = document.definitions.into_iter().filter_map(|definition| match definition {
            TypeSystemDefinition::Type(definition) => Some((definition.node.name.node, definition.node.kind)),
            _ => None,
        });
        Self(types.collect())
    }

    /// The definition of an object's field.
    pub fn field(&self, object: &str, name: &Name) -> Option<&FieldDefinition> {
        let fields = match self.0.get(object)? {
            TypeKind::Object(object) => &object.fields,
            TypeKind::Interface(interface) => &interface.fields,
            _ => return None,
        };
        fields.iter().map(|field| &field.node).find(|field| field.name.node == *name)
    }

    /// What is wrong with a value that is to be one of a type.
    pub fn problems(&self, value: &Value, wanted: &Type) -> Vec<Problem> {
        match (value, &wanted.base) {
            // Each field of an input by itself.
            (Value::Object(fields), BaseType::Named(name)) => match self.0.get(name) {
                Some(TypeKind::InputObject(kind)) => self.of_fields(fields, &kind.fields),
                _ => self.problem(value, wanted),
            },
            _ => self.problem(value, wanted),
        }
    }

    fn problem(&self, value: &Value, wanted: &Type) -> Vec<Problem> {
        let text = self.fits(value, wanted).err();
        text.map(|text| Problem { field: None, text }).into_iter().collect()
    }

    fn of_fields(&self, given: &IndexMap<Name, Value>, known: &[Positioned<InputValueDefinition>]) -> Vec<Problem> {
        let is_known = |name: &Name| known.iter().any(|field| field.node.name.node == *name);
        let unknown = given.keys().filter(|name| !is_known(name)).take(MOST_ERRORS).map(|name| {
            let name = cut(name);
            Problem { text: format!("it has no field `{name}`"), field: Some(name) }
        });
        let wrong = known.iter().filter_map(|Positioned { node: field, .. }| {
            let (name, wanted) = (&field.name.node, &field.ty.node);
            let text = match given.get(name) {
                Some(value) => format!("`{name}`: {}", self.fits(value, wanted).err()?),
                None if wanted.nullable || field.default_value.is_some() => return None,
                None => format!("`{name}` is missing"),
            };
            Some(Problem { field: Some(name.to_string()), text })
        });
        unknown.chain(wrong).collect()
    }

    /// Whether a value is one of the type; or why not.
    fn fits(&self, value: &Value, wanted: &Type) -> Result<(), String> {
        match (value, &wanted.base) {
            (Value::Null, _) if wanted.nullable => Ok(()),
            (Value::Null, _) => Err("it is null".into()),
            (Value::List(items), BaseType::List(item)) => items.iter().try_for_each(|value| self.fits(value, item)),
            // A value is a list of one.
            (value, BaseType::List(item)) => self.fits(value, item),
            (value, BaseType::Named(name)) => self.is_a(value, name),
        }
    }

    fn is_a(&self, value: &Value, name: &Name) -> Result<(), String> {
        let fits = match (name.as_str(), value) {
            ("Int", Value::Number(number)) => number.as_i64().is_some_and(|number| i32::try_from(number).is_ok()),
            ("Float", Value::Number(_)) | ("String" | "ID", Value::String(_)) | ("Boolean", Value::Boolean(_)) => true,
            ("ID", Value::Number(number)) => number.is_i64() || number.is_u64(),
            ("Int" | "Float" | "String" | "Boolean" | "ID", _) => false,
            ("DateTime", value) => DateTime::parse(value.clone()).is_ok(),
            ("Decimal", value) => Decimal::parse(value.clone()).is_ok(),
            (_, value) => match (self.0.get(name), value) {
                (Some(TypeKind::Enum(kind)), value) => return is_one_of(kind, value),
                (Some(TypeKind::InputObject(kind)), Value::Object(fields)) => {
                    return self.of_fields(fields, &kind.fields).pop().map_or(Ok(()), |problem| Err(problem.text));
                }
                (Some(TypeKind::Scalar), _) => true,
                (Some(_), _) => false,
                (None, _) => return Err("there is no such type".into()),
            },
        };
        if fits { Ok(()) } else { Err(format!("it is {}", shown(value))) }
    }
}

fn is_one_of(kind: &EnumType, value: &Value) -> Result<(), String> {
    let names: Vec<&str> = kind.values.iter().map(|value| value.node.value.node.as_str()).collect();
    let is_one = match value {
        Value::Enum(name) => names.contains(&name.as_str()),
        // Where a variable is JSON, a name is a text.
        Value::String(name) => names.contains(&name.as_str()),
        _ => false,
    };
    if is_one { Ok(()) } else { Err(format!("it is {}, and none of {}", shown(value), names.join(", "))) }
}

/// A value, as far as it fits into a message.
fn shown(value: &Value) -> String {
    match value {
        Value::List(_) => "a list".into(),
        Value::Object(_) => "an object".into(),
        value => cut(&value.to_string()),
    }
}

/// A text, as far as it fits into a message.
fn cut(text: &str) -> String {
    const LONGEST: usize = 40;
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
