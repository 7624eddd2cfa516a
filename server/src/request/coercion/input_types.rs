//! The types of a schema, and the values that they accept.

use std::fmt;
use std::sync::Arc;

use apollo_compiler::Schema;
use apollo_compiler::ast::{FieldDefinition, Type as Declared};
use apollo_compiler::schema::{EnumType, ExtendedType, InputObjectType};
use apollo_compiler::validation::Valid;
use async_graphql::indexmap::IndexMap;
use async_graphql::parser::types::{BaseType, Type as Written};
use async_graphql::{Name, ScalarType, Value};
use bookends_graphql::{BigInt, Bytes, Date, DateTime, Decimal, LocalDateTime, Time};
use uuid::Uuid;

use crate::request::suggestion::{closest, did_you_mean};

/// The maximum of errors reported for one request.
pub const MAX_ERRORS: usize = 20;

/// A custom scalar, and whether it accepts a value.
pub type Scalar = (&'static str, fn(&Value) -> bool);

/// The custom scalars of `bookends-graphql`.
const OF_LIBRARY: &[Scalar] = &[
    ("BigInt", accepts::<BigInt>),
    ("Bytes", accepts::<Bytes>),
    ("Date", accepts::<Date>),
    ("DateTime", accepts::<DateTime>),
    ("Decimal", accepts::<Decimal>),
    ("LocalDateTime", accepts::<LocalDateTime>),
    ("Time", accepts::<Time>),
    ("UUID", accepts::<Uuid>),
];

fn accepts<T: ScalarType>(value: &Value) -> bool {
    T::parse(value.clone()).is_ok()
}

/// The directive of an input that has exactly one field.
pub const ONE_OF: &str = "oneOf";

/// The types of a schema.
#[derive(Debug)]
pub struct InputTypes {
    schema: Arc<Valid<Schema>>,
    scalars: Vec<Scalar>,
    /// Whether messages say which field may have been meant.
    suggests: bool,
}

/// A type that a value must have: that of a variable, or of an argument or a field of an input.
#[derive(Clone, Copy, Debug)]
pub enum Wanted<'a> {
    /// As a document has it.
    Written(&'a Written),
    /// As the schema has it.
    Declared(&'a Declared),
}

/// What a type is without its `!`.
enum Base<'a> {
    Named(&'a str),
    List(Wanted<'a>),
}

impl<'a> Wanted<'a> {
    fn is_nullable(self) -> bool {
        match self {
            Self::Written(written) => written.nullable,
            Self::Declared(declared) => !declared.is_non_null(),
        }
    }

    fn base(self) -> Base<'a> {
        match self {
            Self::Written(Written { base: BaseType::Named(name), .. }) => Base::Named(name),
            Self::Written(Written { base: BaseType::List(item), .. }) => Base::List(Self::Written(item)),
            Self::Declared(Declared::Named(name) | Declared::NonNullNamed(name)) => Base::Named(name),
            Self::Declared(Declared::List(item) | Declared::NonNullList(item)) => Base::List(Self::Declared(item)),
        }
    }
}

impl fmt::Display for Wanted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Written(written) => written.fmt(f),
            Self::Declared(declared) => declared.fmt(f),
        }
    }
}

/// The reason why a value is refused: the field of the input, and the predicate of a sentence.
#[derive(Debug, PartialEq)]
pub struct Problem {
    pub field: Option<String>,
    pub text: String,
}

impl InputTypes {
    /// The types of a schema, and its custom scalars beside those of the library. Other scalars accept every value.
    pub fn new(schema: Arc<Valid<Schema>>, scalars: &[Scalar], suggests: bool) -> Self {
        let scalars = scalars.iter().chain(OF_LIBRARY).copied().collect();
        Self { schema, scalars, suggests }
    }

    /// The definition of an object's field.
    pub fn field(&self, object: &str, name: &str) -> Option<&FieldDefinition> {
        let fields = match self.schema.types.get(object)? {
            ExtendedType::Object(object) => &object.fields,
            ExtendedType::Interface(interface) => &interface.fields,
            _ => return None,
        };
        fields.get(name).map(|field| &***field)
    }

    /// The reasons why a type does not accept a value.
    pub fn problems(&self, value: &Value, wanted: Wanted<'_>) -> Vec<Problem> {
        match (value, wanted.base()) {
            // One reason per field of an input.
            (Value::Object(fields), Base::Named(name)) => match self.schema.types.get(name) {
                Some(ExtendedType::InputObject(kind)) => self.check_fields(fields, kind),
                _ => self.problem(value, wanted),
            },
            _ => self.problem(value, wanted),
        }
    }

    fn problem(&self, value: &Value, wanted: Wanted<'_>) -> Vec<Problem> {
        let text = self.fits(value, wanted).err();
        text.map(|text| Problem { field: None, text }).into_iter().collect()
    }

    fn check_fields(&self, given: &IndexMap<Name, Value>, kind: &InputObjectType) -> Vec<Problem> {
        let known = &kind.fields;
        let names = || known.keys().map(apollo_compiler::Name::as_str);
        let unknown = given.keys().filter(|name| !known.contains_key(name.as_str())).take(MAX_ERRORS).map(|name| {
            let meant = closest(name, names()).filter(|_| self.suggests).map(did_you_mean);
            let name = cut(name);
            Problem { text: format!("has no field `{name}`{}", meant.unwrap_or_default()), field: Some(name) }
        });
        let wrong = known.iter().filter_map(|(name, field)| {
            let wanted = Wanted::Declared(&field.ty);
            let text = match given.get(name.as_str()) {
                Some(value) => format!("has an invalid field: `{name}` {}", self.fits(value, wanted).err()?),
                None if wanted.is_nullable() || field.default_value.is_some() => return None,
                None => format!("lacks the field `{name}`"),
            };
            Some(Problem { field: Some(name.to_string()), text })
        });
        let mut problems: Vec<Problem> = unknown.chain(wrong).collect();
        if problems.is_empty() && kind.directives.has(ONE_OF) && !is_one(given) {
            let names: Vec<String> = names().map(|name| format!("`{name}`")).collect();
            let text = format!("must have exactly one field, which is not null: {}", names.join(" or "));
            problems.push(Problem { field: None, text });
        }
        problems
    }

    /// Whether a type accepts a value, or why not.
    fn fits(&self, value: &Value, wanted: Wanted<'_>) -> Result<(), String> {
        match (value, wanted.base()) {
            (Value::Null, _) if wanted.is_nullable() => Ok(()),
            (Value::Null, _) => Err("cannot be null".into()),
            (Value::List(items), Base::List(item)) => items.iter().try_for_each(|value| self.fits(value, item)),
            // A single value is a list of one.
            (value, Base::List(item)) => self.fits(value, item),
            (value, Base::Named(name)) => self.is_a(value, name),
        }
    }

    fn is_a(&self, value: &Value, name: &str) -> Result<(), String> {
        let fits = match (name, value) {
            ("Int", Value::Number(number)) => number.as_i64().is_some_and(|number| i32::try_from(number).is_ok()),
            ("Float", Value::Number(_)) | ("String" | "ID", Value::String(_)) | ("Boolean", Value::Boolean(_)) => true,
            ("ID", Value::Number(number)) => number.is_i64() || number.is_u64(),
            ("Int" | "Float" | "String" | "Boolean" | "ID", _) => false,
            (_, value) => match (self.schema.types.get(name), value) {
                (Some(ExtendedType::Enum(kind)), value) => return is_one_of(kind, value),
                (Some(ExtendedType::InputObject(kind)), Value::Object(fields)) => {
                    return self.check_fields(fields, kind).pop().map_or(Ok(()), |problem| Err(problem.text));
                }
                (Some(ExtendedType::Scalar(_)), value) => self.scalar_accepts(name, value),
                (Some(_), _) => false,
                (None, _) => return Err("has an unknown type".into()),
            },
        };
        if fits { Ok(()) } else { Err(format!("cannot be {}", shown(value))) }
    }

    fn scalar_accepts(&self, name: &str, value: &Value) -> bool {
        let known = self.scalars.iter().find(|(known, _)| *known == name);
        known.is_none_or(|(_, accepts)| accepts(value))
    }
}

/// Whether there is one field, with a value.
fn is_one(given: &IndexMap<Name, Value>) -> bool {
    given.len() == 1 && given.values().all(|value| *value != Value::Null)
}

/// Whether an enum has a value, or why not.
fn is_one_of(kind: &EnumType, value: &Value) -> Result<(), String> {
    let is_one = match value {
        Value::Enum(name) => kind.values.contains_key(name.as_str()),
        // In JSON a name is a string.
        Value::String(name) => kind.values.contains_key(name.as_str()),
        _ => false,
    };
    if is_one {
        return Ok(());
    }
    let names: Vec<&str> = kind.values.keys().map(apollo_compiler::Name::as_str).collect();
    Err(format!("cannot be {}: expected one of {}", shown(value), names.join(", ")))
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
