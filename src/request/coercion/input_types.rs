//! The types of a schema, and the values that they accept.

use std::collections::{HashMap, HashSet};

use async_graphql::indexmap::IndexMap;
use async_graphql::parser::types::{
    BaseType, EnumType, FieldDefinition, InputObjectType, Type, TypeKind, TypeSystemDefinition,
};
use async_graphql::{Name, Positioned, Value};

use crate::request::suggestion::{closest, did_you_mean};

/// The maximum of errors reported for one request.
pub const MAX_ERRORS: usize = 20;

/// A custom scalar, and whether it accepts a value.
pub type Scalar = (&'static str, fn(&Value) -> bool);

/// The directive of an input that has exactly one field.
pub const ONE_OF: &str = "oneOf";

/// The types of a schema.
#[derive(Debug)]
pub struct InputTypes {
    types: HashMap<Name, TypeKind>,
    /// The inputs that have exactly one field.
    one_of: HashSet<Name>,
    scalars: &'static [Scalar],
    /// Whether messages say which field may have been meant.
    suggests: bool,
}

/// The reason why a value is refused: the field of the input, and the predicate of a sentence.
#[derive(Debug, PartialEq)]
pub struct Problem {
    pub field: Option<String>,
    pub text: String,
}

impl InputTypes {
    /// The types that the text of a schema declares, and its custom scalars. Other scalars accept every value.
    ///
    /// # Panics
    ///
    /// Panics if the text is not a schema.
    pub fn new(sdl: &str, scalars: &'static [Scalar], suggests: bool) -> Self {
        let document = async_graphql::parser::parse_schema(sdl).expect("the text of a schema");
        let (mut types, mut one_of) = (HashMap::new(), HashSet::new());
        for definition in document.definitions {
            let TypeSystemDefinition::Type(Positioned { node: definition, .. }) = definition else { continue };
            let name = definition.name.node;
            if definition.directives.iter().any(|directive| directive.node.name.node == ONE_OF) {
                one_of.insert(name.clone());
            }
            types.insert(name, definition.kind);
        }
        Self { types, one_of, scalars, suggests }
    }

    /// The definition of an object's field.
    pub fn field(&self, object: &str, name: &Name) -> Option<&FieldDefinition> {
        let fields = match self.types.get(object)? {
            TypeKind::Object(object) => &object.fields,
            TypeKind::Interface(interface) => &interface.fields,
            _ => return None,
        };
        fields.iter().map(|field| &field.node).find(|field| field.name.node == *name)
    }

    /// The reasons why a type does not accept a value.
    pub fn problems(&self, value: &Value, wanted: &Type) -> Vec<Problem> {
        match (value, &wanted.base) {
            // One reason per field of an input.
            (Value::Object(fields), BaseType::Named(name)) => match self.types.get(name) {
                Some(TypeKind::InputObject(kind)) => self.check_fields(fields, name, kind),
                _ => self.problem(value, wanted),
            },
            _ => self.problem(value, wanted),
        }
    }

    fn problem(&self, value: &Value, wanted: &Type) -> Vec<Problem> {
        let text = self.fits(value, wanted).err();
        text.map(|text| Problem { field: None, text }).into_iter().collect()
    }

    fn check_fields(&self, given: &IndexMap<Name, Value>, of: &Name, kind: &InputObjectType) -> Vec<Problem> {
        let known = &kind.fields;
        let names = || known.iter().map(|field| field.node.name.node.as_str());
        let is_known = |name: &Name| names().any(|known| known == name.as_str());
        let unknown = given.keys().filter(|name| !is_known(name)).take(MAX_ERRORS).map(|name| {
            let meant = closest(name, names()).filter(|_| self.suggests).map(did_you_mean);
            let name = cut(name);
            Problem { text: format!("has no field `{name}`{}", meant.unwrap_or_default()), field: Some(name) }
        });
        let wrong = known.iter().filter_map(|Positioned { node: field, .. }| {
            let (name, wanted) = (&field.name.node, &field.ty.node);
            let text = match given.get(name) {
                Some(value) => format!("has an invalid field: `{name}` {}", self.fits(value, wanted).err()?),
                None if wanted.nullable || field.default_value.is_some() => return None,
                None => format!("lacks the field `{name}`"),
            };
            Some(Problem { field: Some(name.to_string()), text })
        });
        let mut problems: Vec<Problem> = unknown.chain(wrong).collect();
        if problems.is_empty() && self.one_of.contains(of) && !is_one(given) {
            let names: Vec<String> = names().map(|name| format!("`{name}`")).collect();
            let text = format!("must have exactly one field, which is not null: {}", names.join(" or "));
            problems.push(Problem { field: None, text });
        }
        problems
    }

    /// Whether a type accepts a value, or why not.
    fn fits(&self, value: &Value, wanted: &Type) -> Result<(), String> {
        match (value, &wanted.base) {
            (Value::Null, _) if wanted.nullable => Ok(()),
            (Value::Null, _) => Err("cannot be null".into()),
            (Value::List(items), BaseType::List(item)) => items.iter().try_for_each(|value| self.fits(value, item)),
            // A single value is a list of one.
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
            (_, value) => match (self.types.get(name), value) {
                (Some(TypeKind::Enum(kind)), value) => return is_one_of(kind, value),
                (Some(TypeKind::InputObject(kind)), Value::Object(fields)) => {
                    return self.check_fields(fields, name, kind).pop().map_or(Ok(()), |problem| Err(problem.text));
                }
                (Some(TypeKind::Scalar), value) => self.scalar_accepts(name, value),
                (Some(_), _) => false,
                (None, _) => return Err("has an unknown type".into()),
            },
        };
        if fits { Ok(()) } else { Err(format!("cannot be {}", shown(value))) }
    }

    fn scalar_accepts(&self, name: &Name, value: &Value) -> bool {
        let known = self.scalars.iter().find(|(known, _)| known == name);
        known.is_none_or(|(_, accepts)| accepts(value))
    }
}

/// Whether there is one field, with a value.
fn is_one(given: &IndexMap<Name, Value>) -> bool {
    given.len() == 1 && given.values().all(|value| *value != Value::Null)
}

/// Whether an enum has a value, or why not.
fn is_one_of(kind: &EnumType, value: &Value) -> Result<(), String> {
    let names: Vec<&str> = kind.values.iter().map(|value| value.node.value.node.as_str()).collect();
    let is_one = match value {
        Value::Enum(name) => names.contains(&name.as_str()),
        // In JSON a name is a string.
        Value::String(name) => names.contains(&name.as_str()),
        _ => false,
    };
    if is_one { Ok(()) } else { Err(format!("cannot be {}: expected one of {}", shown(value), names.join(", "))) }
}

/// A value, shortened for a message.
fn shown(value: &Value) -> String {
    match value {
        Value::List(_) => "a list".into(),
        Value::Object(_) => "an object".into(),
        value => cut(&value.to_string()),
    }
}

/// A text, shortened for a message.
fn cut(text: &str) -> String {
    const MAX: usize = 40;
    match text.char_indices().nth(MAX) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
