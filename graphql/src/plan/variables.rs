//! The variables of a request.

use std::borrow::Cow;

use async_graphql::parser::types::OperationDefinition;
use async_graphql::{Value, Variables};
use async_graphql_value::Value as Written;

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

/// Whether a value has a variable, at any depth.
pub fn has_variable(value: &Written) -> bool {
    match value {
        Written::Variable(_) => true,
        Written::List(items) => items.iter().any(has_variable),
        Written::Object(fields) => fields.values().any(has_variable),
        _ => false,
    }
}

/// A value with its variables; `None` for an absent one. By the specification (section 3.10, "Input Coercion") a field of an input
/// object whose variable is absent is absent too.
pub fn constant(value: &Written, variables: &Variables) -> Option<Value> {
    Some(match value {
        Written::Variable(name) => variables.get(name)?.clone(),
        Written::List(items) => {
            Value::List(items.iter().map(|item| constant(item, variables).unwrap_or_default()).collect())
        }
        Written::Object(fields) => {
            let fields = fields.iter().filter_map(|(name, value)| Some((name.clone(), constant(value, variables)?)));
            Value::Object(fields.collect())
        }
        value => value.clone().into_const()?,
    })
}
