//! What is asked of the operation of a request, beyond what validation asks of every document.

use std::collections::HashSet;

use async_graphql::parser::types::{
    DocumentOperations, ExecutableDocument, OperationDefinition, OperationType, Selection, SelectionSet,
};
use async_graphql::{Name, Positioned, ServerError, Variables};
use async_graphql_value::Value;

use super::code::Code;
use super::coercion::InputTypes;
use super::error::{Error, Result};

/// The operation of this name, or the only one. Where there is none to execute, the execution says so.
pub fn find<'a>(document: &'a ExecutableDocument, name: Option<&str>) -> Option<&'a OperationDefinition> {
    let operation = match (&document.operations, name) {
        (DocumentOperations::Single(operation), None) => Some(operation),
        (DocumentOperations::Multiple(operations), Some(name)) => operations.get(name),
        (DocumentOperations::Multiple(operations), None) if operations.len() == 1 => operations.values().next(),
        _ => None,
    };
    operation.map(|operation| &operation.node)
}

/// The variables with the defaults of those that are absent: the library would not see them in `@skip` and `@include`.
pub fn with_defaults(operation: &OperationDefinition, mut variables: Variables) -> Variables {
    for Positioned { node: definition, .. } in &operation.variable_definitions {
        if let Some(default) = &definition.default_value {
            variables.entry(definition.name.node.clone()).or_insert_with(|| default.node.clone());
        }
    }
    variables
}

/// Refuses an operation that cannot be done as it is written.
///
/// # Errors
///
/// [`Code::BadUserInput`], as often as something is wrong, for variables and arguments; and [`Code::ValidationFailed`] for
/// fields at the root that the library would not do as GraphQL has it.
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

/// The document without the variables that are absent in its inputs, as GraphQL has it: a field of an input whose
/// variable is absent is absent, too, and has its default. The library would take it for null. None where there are
/// none.
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
        // Validation refuses one that nothing uses.
        operation.variable_definitions.retain(|definition| {
            let name = &definition.node.name.node;
            variables.contains_key(name) || pruning.used.contains(name)
        });
    }
    pruning.has_pruned.then_some(document)
}

struct Pruning<'a> {
    variables: &'a Variables,
    /// The variables that stand elsewhere than in inputs.
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
                        // An argument by itself the library leaves to its default.
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

    /// Whether a value is there; what is absent in it is taken out.
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
/// do both.
fn each_once(document: &ExecutableDocument, operation: &OperationDefinition) -> Result<()> {
    let mut sets: Vec<&SelectionSet> = vec![&operation.selection_set.node];
    let (mut keys, mut spread): (HashSet<&Name>, HashSet<&Name>) = Default::default();
    while let Some(set) = sets.pop() {
        for item in &set.items {
            match &item.node {
                Selection::Field(field) if keys.insert(&field.node.response_key().node) => {}
                Selection::Field(field) => return Err(twice(&field.node.response_key().node)),
                Selection::InlineFragment(inline) => sets.push(&inline.node.selection_set.node),
                Selection::FragmentSpread(fragment) => {
                    let name = &fragment.node.fragment_name.node;
                    if !spread.insert(name) {
                        return Err(twice(name));
                    }
                    // Validation says of one that is missing that it is.
                    sets.extend(document.fragments.get(name).map(|found| &found.node.selection_set.node));
                }
            }
        }
    }
    Ok(())
}

fn twice(name: &Name) -> Error {
    let message =
        format!("`{name}` stands twice at the root of a mutation: once is enough, or each with a name of its own");
    Error::client(Code::ValidationFailed, message)
}

/// A subscription has one field at its root, whatever the variables are: the library would merge the streams of
/// several, and pass over what is in a fragment.
fn subscription(operation: &OperationDefinition) -> Result<()> {
    let refuse = |message: &str| Err(Error::client(Code::ValidationFailed, message));
    let [root] = operation.selection_set.node.items.as_slice() else {
        return refuse("a subscription has exactly one field at its root: subscribe to each by itself");
    };
    let Selection::Field(field) = &root.node else {
        return refuse("a subscription names its field at its root: fragments can stand below it");
    };
    let conditional = |name: &str| name == "skip" || name == "include";
    if field.node.directives.iter().any(|directive| conditional(&directive.node.name.node)) {
        return refuse("the field at the root of a subscription takes neither `@skip` nor `@include`");
    }
    if field.node.name.node.starts_with("__") {
        return refuse("the field at the root of a subscription is none that starts with `__`");
    }
    Ok(())
}
