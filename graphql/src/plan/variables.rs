//! The variables of a request.

use std::borrow::Cow;

use async_graphql::Variables;
use async_graphql::parser::types::OperationDefinition;

/// The variables, with the defaults of absent ones: async-graphql does not apply them in `@skip` and `@include`.
pub fn with_defaults<'a>(operation: &OperationDefinition, mut variables: Cow<'a, Variables>) -> Cow<'a, Variables> {
    for definition in operation.variable_definitions.iter().map(|definition| &definition.node) {
        let name = &definition.name.node;
        if let Some(default) = definition.default_value.as_ref().filter(|_| !variables.contains_key(name)) {
            variables.to_mut().insert(name.clone(), default.node.clone());
        }
    }
    variables
}
