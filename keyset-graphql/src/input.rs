//! Generic input objects.
//!
//! async-graphql derives `InputObject` for concrete types alone: a generic struct has to name its parameters in
//! `#[graphql(concrete(..))]`, so a library would have to name the types of its users. The generic inputs of this crate
//! implement [`InputType`] by hand, with the parts that the derive macro writes.

use async_graphql::indexmap::IndexMap;
use async_graphql::registry::{Deprecation, MetaInputValue, MetaType, MetaTypeId, Registry};
use async_graphql::{InputObjectType, InputType, InputValueError, Name, Value};

/// A description; an empty text is none.
pub fn described(description: &str) -> Option<String> {
    Some(description.to_owned()).filter(|text| !text.is_empty())
}

/// The fields of an input object, or the arguments of a field, as the schema describes them.
pub struct InputFields<'a> {
    registry: &'a mut Registry,
    fields: IndexMap<String, MetaInputValue>,
}

impl<'a> InputFields<'a> {
    /// No fields yet.
    pub(crate) fn new(registry: &'a mut Registry) -> Self {
        Self { registry, fields: IndexMap::new() }
    }

    /// The described fields.
    pub(crate) fn finish(self) -> IndexMap<String, MetaInputValue> {
        self.fields
    }

    /// Describes a field.
    pub fn field<T: InputType>(&mut self, name: &str, description: &str) -> &mut Self {
        self.describe::<T>(name, description, None)
    }

    /// Describes a field with a default.
    pub fn field_with_default<T: InputType>(&mut self, name: &str, description: &str, default: &T) -> &mut Self {
        self.describe::<T>(name, description, Some(default.to_value().to_string()))
    }

    /// Deprecates the field that was described last.
    pub fn deprecated(&mut self, reason: &str) -> &mut Self {
        if let Some((_, field)) = self.fields.last_mut() {
            field.deprecation = Deprecation::Deprecated { reason: Some(reason.to_owned()) };
        }
        self
    }

    /// Adds the fields of another input object.
    pub fn flatten<T: InputObjectType>(&mut self) -> &mut Self {
        if let MetaType::InputObject { input_fields, .. } = self.registry.create_fake_input_type::<T>() {
            self.fields.extend(input_fields);
        }
        self
    }

    fn describe<T: InputType>(&mut self, name: &str, description: &str, default_value: Option<String>) -> &mut Self {
        let field = MetaInputValue {
            name: name.to_owned(),
            description: described(description),
            ty: T::create_type_info(self.registry),
            deprecation: Deprecation::NoDeprecated,
            default_value,
            visible: None,
            inaccessible: false,
            tags: Vec::new(),
            is_secret: false,
            directive_invocations: Vec::new(),
        };
        self.fields.insert(name.to_owned(), field);
        self
    }
}

/// Registers an input object.
pub(crate) fn register<T: InputType>(
    registry: &mut Registry,
    description: &str,
    describe: impl Fn(&mut InputFields<'_>),
) -> String {
    registry.create_input_type::<T, _>(MetaTypeId::InputObject, |registry| {
        let mut fields = InputFields::new(registry);
        describe(&mut fields);
        MetaType::InputObject {
            name: T::type_name().into_owned(),
            description: described(description),
            input_fields: fields.finish(),
            visible: None,
            inaccessible: false,
            tags: Vec::new(),
            rust_typename: Some(std::any::type_name::<T>()),
            oneof: false,
            directive_invocations: Vec::new(),
        }
    })
}

/// The fields of a value that must be an object.
pub(crate) fn object<T: InputType>(value: Option<Value>) -> Result<IndexMap<Name, Value>, InputValueError<T>> {
    match value {
        Some(Value::Object(fields)) => Ok(fields),
        value => Err(InputValueError::expected_type(value.unwrap_or_default())),
    }
}

/// Reads a field.
pub(crate) fn read<T: InputType, O: InputType>(
    fields: &IndexMap<Name, Value>,
    name: &str,
) -> Result<T, InputValueError<O>> {
    T::parse(fields.get(name).cloned()).map_err(InputValueError::propagate)
}

/// Reads a field with a default.
pub(crate) fn read_or<T: InputType, O: InputType>(
    fields: &IndexMap<Name, Value>,
    name: &str,
    default: T,
) -> Result<T, InputValueError<O>> {
    if fields.contains_key(name) { read(fields, name) } else { Ok(default) }
}

/// An object of these fields.
pub(crate) fn value<const N: usize>(fields: [(&str, Value); N]) -> Value {
    Value::Object(fields.into_iter().map(|(name, value)| (Name::new(name), value)).collect())
}
