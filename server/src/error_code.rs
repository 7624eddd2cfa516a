//! The codes of errors as an enum of the schema. No field returns it, so that introspection does not list it: code generators
//! that read the text of the schema have it.

use std::borrow::Cow;

use async_graphql::parser::types::Field;
use async_graphql::registry::{Deprecation, MetaEnumValue, MetaType, MetaTypeId, Registry};
use async_graphql::{ContextSelectionSet, OutputType, Positioned, ServerResult, Value};

use crate::request::Code;
use crate::schema::own_codes;

/// The values of `extensions.code` in errors.
pub enum ErrorCode {}

impl OutputType for ErrorCode {
    fn type_name() -> Cow<'static, str> {
        "ErrorCode".into()
    }

    fn create_type_info(registry: &mut Registry) -> String {
        let value = |text: &str, meaning: &str| MetaEnumValue {
            name: text.to_owned(),
            description: Some(sentence(meaning)),
            deprecation: Deprecation::NoDeprecated,
            visible: None,
            inaccessible: false,
            tags: Vec::new(),
            directive_invocations: Vec::new(),
        };
        let built_in = Code::ALL.iter().map(|(_, text, meaning)| (*text, *meaning));
        let own = own_codes().into_iter().map(|code| (code.text, code.meaning));
        let codes: Vec<_> = built_in.chain(own).collect();
        let values = || codes.iter().map(|(text, meaning)| ((*text).to_owned(), value(text, meaning)));
        registry.create_output_type::<Self, _>(MetaTypeId::Enum, |_| MetaType::Enum {
            name: Self::type_name().into_owned(),
            description: Some("The values of `extensions.code` in errors. No field returns this type.".to_owned()),
            enum_values: values().collect(),
            visible: None,
            inaccessible: false,
            tags: Vec::new(),
            rust_typename: Some(std::any::type_name::<Self>()),
            directive_invocations: Vec::new(),
            requires_scopes: Vec::new(),
        })
    }

    async fn resolve(&self, _: &ContextSelectionSet<'_>, _: &Positioned<Field>) -> ServerResult<Value> {
        match *self {}
    }
}

/// A fragment of a message or a table as a description.
fn sentence(fragment: &str) -> String {
    let mut characters = fragment.chars();
    let first = characters.next().map(char::to_uppercase).into_iter().flatten();
    first.chain(characters).chain(['.']).collect()
}
