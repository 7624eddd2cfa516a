//! The arguments of fields, and the fields of input objects, as the schema describes them.

use async_graphql::InputType;
use async_graphql::indexmap::IndexMap;
use async_graphql::registry::{Deprecation, MetaInputValue, Registry};

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

    /// Describes a field of a registered type, with its default.
    pub fn field_of(&mut self, name: &str, description: &str, ty: String, default_value: Option<String>) -> &mut Self {
        let field = MetaInputValue {
            name: name.to_owned(),
            description: described(description),
            ty,
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

    pub(crate) fn registry(&mut self) -> &mut Registry {
        self.registry
    }

    fn describe<T: InputType>(&mut self, name: &str, description: &str, default_value: Option<String>) -> &mut Self {
        let ty = T::create_type_info(self.registry);
        self.field_of(name, description, ty, default_value)
    }
}
