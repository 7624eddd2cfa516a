//! Checks on the operation that a request executes, in addition to validation.

use std::collections::HashSet;

use async_graphql::parser::types::{
    DocumentOperations, ExecutableDocument, Field, OperationDefinition, OperationType, Selection, SelectionSet,
};
use async_graphql::{Name, Positioned, ServerError, Variables};
use async_graphql_value::Value;

use super::code::Code;
use super::coercion::InputTypes;
use super::error::{Error, Result};
use super::visit::{Fragment, Visitor, walk};
use crate::config::Limits;

/// The operation with this name, or the only one. If there is none, the execution reports it.
pub fn find<'a>(document: &'a ExecutableDocument, name: Option<&str>) -> Option<&'a Positioned<OperationDefinition>> {
    match (&document.operations, name) {
        (DocumentOperations::Single(operation), None) => Some(operation),
        (DocumentOperations::Multiple(operations), Some(name)) => operations.get(name),
        (DocumentOperations::Multiple(operations), None) if operations.len() == 1 => operations.values().next(),
        _ => None,
    }
}

/// Refuses an operation that the library would not execute as the specification says.
///
/// # Errors
///
/// [`Code::BadUserInput`] for each wrong variable and argument; [`Code::ValidationFailed`] for root fields.
pub fn check(
    document: &ExecutableDocument,
    operation: &OperationDefinition,
    variables: &Variables,
    types: &InputTypes,
) -> std::result::Result<(), Vec<ServerError>> {
    let errors = types.check_variables(operation, variables);
    if !errors.is_empty() {
        return Err(errors);
    }
    match operation.ty {
        OperationType::Query => Ok(()),
        OperationType::Mutation => each_once(document, operation),
        OperationType::Subscription => subscription(operation),
    }
    .map_err(|error| vec![error.of_request()])?;
    let errors = types.check_arguments(document, operation, variables);
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

/// The document without absent variables in its inputs, if there are any. By the specification a field of an input whose
/// variable is absent is absent too and has its default; the library would pass null.
pub fn without_absent(document: &ExecutableDocument, variables: &Variables) -> Option<ExecutableDocument> {
    let operations = document.operations.iter().map(|(_, operation)| &operation.node);
    let mut definitions = operations.flat_map(|operation| &operation.variable_definitions);
    definitions.find(|definition| !variables.contains_key(&definition.node.name.node))?;
    let mut document = document.clone();
    let operations: Vec<&mut OperationDefinition> = match &mut document.operations {
        DocumentOperations::Single(operation) => vec![&mut operation.node],
        DocumentOperations::Multiple(operations) => operations.values_mut().map(|found| &mut found.node).collect(),
    };
    let mut pruning = Pruning { variables, used: HashSet::new(), has_pruned: false };
    for fragment in document.fragments.values_mut() {
        pruning.selection(&mut fragment.node.selection_set.node);
    }
    for operation in operations {
        pruning.selection(&mut operation.selection_set.node);
        // Validation refuses an unused variable.
        operation.variable_definitions.retain(|definition| {
            let name = &definition.node.name.node;
            variables.contains_key(name) || pruning.used.contains(name)
        });
    }
    pruning.has_pruned.then_some(document)
}

struct Pruning<'a> {
    variables: &'a Variables,
    /// The variables that are used outside of inputs.
    used: HashSet<Name>,
    has_pruned: bool,
}

impl Pruning<'_> {
    fn selection(&mut self, set: &mut SelectionSet) {
        for item in &mut set.items {
            let (directives, below) = match &mut item.node {
                Selection::Field(field) => {
                    let field = &mut field.node;
                    for (_, value) in &mut field.arguments {
                        // The library applies the default of a whole argument.
                        match &mut value.node {
                            Value::Variable(name) => _ = self.used.insert(name.clone()),
                            value => _ = self.is_there(value),
                        }
                    }
                    (&field.directives, Some(&mut field.selection_set.node))
                }
                Selection::InlineFragment(inline) => {
                    (&inline.node.directives, Some(&mut inline.node.selection_set.node))
                }
                Selection::FragmentSpread(spread) => (&spread.node.directives, None),
            };
            for (_, value) in directives.iter().flat_map(|directive| &directive.node.arguments) {
                if let Value::Variable(name) = &value.node {
                    self.used.insert(name.clone());
                }
            }
            if let Some(below) = below {
                self.selection(below);
            }
        }
    }

    /// Whether a value is present. Removes absent parts of it.
    fn is_there(&mut self, value: &mut Value) -> bool {
        match value {
            Value::Variable(name) => {
                let is_there = self.variables.contains_key(name);
                self.has_pruned |= !is_there;
                return is_there;
            }
            Value::List(items) => {
                for item in items {
                    if !self.is_there(item) {
                        *item = Value::Null;
                    }
                }
            }
            Value::Object(fields) => fields.retain(|_, value| self.is_there(value)),
            _ => {}
        }
        true
    }
}

/// Refuses a mutation with two fields of one response key at its root. GraphQL merges them into one; the library would
/// execute both.
fn each_once(document: &ExecutableDocument, operation: &OperationDefinition) -> Result<()> {
    let mut roots = RootFields::default();
    // The limits have refused deeper selections already.
    let _ = walk(document, &operation.selection_set.node, Limits::MAX_LEVELS, &mut roots);
    roots.repeated.map_or(Ok(()), |name| Err(repeated(name)))
}

/// Finds a response key that occurs twice at the root.
#[derive(Default)]
struct RootFields<'a> {
    level: usize,
    names: HashSet<&'a Name>,
    repeated: Option<&'a Name>,
}

impl<'a> RootFields<'a> {
    fn name(&mut self, name: &'a Name) {
        if self.level == 0 && !self.names.insert(name) {
            self.repeated.get_or_insert(name);
        }
    }
}

impl<'a> Visitor<'a> for RootFields<'a> {
    fn enter_field(&mut self, field: &'a Positioned<Field>) {
        self.name(&field.node.response_key().node);
        self.level += 1;
    }

    fn leave_field(&mut self, _: &'a Positioned<Field>) {
        self.level -= 1;
    }

    fn enter_fragment(&mut self, _: Fragment<'a>) -> bool {
        self.level == 0 && self.repeated.is_none()
    }
}

fn repeated(name: &Name) -> Error {
    let message = format!("`{name}` occurs twice at the root of a mutation: give each field an alias of its own");
    Error::client(Code::ValidationFailed, message)
}

/// Refuses a subscription without exactly one unconditional field at its root. The library would merge the streams of
/// several fields and ignore fragments.
fn subscription(operation: &OperationDefinition) -> Result<()> {
    let refuse = |message: &str| Err(Error::client(Code::ValidationFailed, message));
    let [root] = operation.selection_set.node.items.as_slice() else {
        return refuse("a subscription has exactly one field at its root: send one subscription per field");
    };
    let Selection::Field(field) = &root.node else {
        return refuse("the root field of a subscription cannot be in a fragment");
    };
    let conditional = |name: &str| name == "skip" || name == "include";
    if field.node.directives.iter().any(|directive| conditional(&directive.node.name.node)) {
        return refuse("the root field of a subscription accepts neither `@skip` nor `@include`");
    }
    if field.node.name.node.starts_with("__") {
        return refuse("the root field of a subscription cannot be an introspection field");
    }
    Ok(())
}
