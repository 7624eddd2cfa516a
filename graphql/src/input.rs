//! The arguments of fields, and the fields of input objects, as the schema describes them.

use async_graphql::InputType;
use async_graphql::indexmap::IndexMap;
use async_graphql::registry::{Deprecation, MetaInputValue, Registry};

/// A description; an empty text is none. Comments of a database can have any character: the text of the schema escapes only quotes, so
/// one with a backslash is a block, which a line break makes it.
pub fn described(description: &str) -> Option<String> {
    if description.is_empty() {
        return None;
    }
    if !description.contains(|letter: char| letter == '\\' || letter.is_control()) {
        return Some(description.to_owned());
    }
    let text = description.replace("\r\n", "\n").replace('\r', "\n");
    let mut text: String = text.chars().filter(|letter| *letter == '\n' || !letter.is_control()).collect();
    if text.contains('\\') && !text.contains('\n') {
        text.push('\n');
    }
    Some(if text.contains('\n') { text.replace("\"\"\"", "\\\"\"\"") } else { text })
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
        let ty = T::create_type_info(self.registry);
        self.field_of(name, description, ty)
    }

    /// Describes a field with a default.
    pub fn field_with_default<T: InputType>(&mut self, name: &str, description: &str, default: &T) -> &mut Self {
        let ty = T::create_type_info(self.registry);
        self.add(name, description, ty, Some(default.to_value().to_string()))
    }

    /// Deprecates the field that was described last.
    pub fn deprecated(&mut self, reason: &str) -> &mut Self {
        if let Some((_, field)) = self.fields.last_mut() {
            field.deprecation = Deprecation::Deprecated { reason: Some(reason.to_owned()) };
        }
        self
    }

    /// Describes a field of a registered type.
    pub fn field_of(&mut self, name: &str, description: &str, ty: String) -> &mut Self {
        self.add(name, description, ty, None)
    }

    fn add(&mut self, name: &str, description: &str, ty: String, default_value: Option<String>) -> &mut Self {
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
}

#[cfg(test)]
mod tests {
    use super::described;

    #[test]
    fn a_description_is_valid_in_the_text_of_a_schema() {
        let texts = ["", "plain \"\"\"", "a\\b", "two\r\nlines \"\"\"", "bell\u{7}"].map(described);
        let expected = [None, Some("plain \"\"\""), Some("a\\b\n"), Some("two\nlines \\\"\"\""), Some("bell")];
        assert_eq!(texts, expected.map(|text| text.map(str::to_owned)));
    }
}
