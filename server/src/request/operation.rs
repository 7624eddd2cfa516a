//! The operation that a request executes, and checks on it in addition to validation.

use std::collections::HashSet;

use async_graphql::parser::types::{
    DocumentOperations, ExecutableDocument, Field, OperationDefinition, OperationType, Selection, SelectionSet,
};
use async_graphql::{Name, Positioned, Variables};
use async_graphql_value::Value;

use super::code::Code;
use super::error::{Error, Result};
use super::visit::{Fragment, Visitor, walk};
use crate::config::Limits;

/// The operation with this name, or the only one.
pub fn find<'a>(document: &'a ExecutableDocument, name: Option<&str>) -> Option<&'a Positioned<OperationDefinition>> {
    named(document, name).map(|(_, operation)| operation)
}

/// The same, with the name that the document gives it.
pub fn named<'a>(
    document: &'a ExecutableDocument,
    name: Option<&str>,
) -> Option<(Option<&'a Name>, &'a Positioned<OperationDefinition>)> {
    let (name, operation) = match (&document.operations, name) {
        (DocumentOperations::Single(operation), None) => return Some((None, operation)),
        (DocumentOperations::Multiple(operations), Some(name)) => operations.get_key_value(name)?,
        (DocumentOperations::Multiple(operations), None) if operations.len() == 1 => operations.iter().next()?,
        _ => return None,
    };
    Some((Some(name), operation))
}

/// The error of a request that names no operation of its document.
pub fn missing(document: &ExecutableDocument, name: Option<&str>) -> Error {
    let message = match name {
        Some(name) => format!("the document has no operation `{name}`"),
        None => {
            format!("expected an `operationName`: the document has {} operations", document.operations.iter().count())
        }
    };
    Error::client(Code::ValidationFailed, message)
}

/// Refuses a valid document with an operation that the library would not execute as the specification says.
///
/// # Errors
///
/// [`Code::ValidationFailed`].
pub fn check(document: &ExecutableDocument) -> Result<()> {
    document.operations.iter().try_for_each(|(_, operation)| match operation.node.ty {
        OperationType::Query => Ok(()),
        OperationType::Mutation => each_once(document, &operation.node),
        OperationType::Subscription => subscription(&operation.node),
    })
}

/// Drops the variables that a subscription does not declare: it would keep them until it ends. Relay sends such variables, for
/// directives that only its client knows.
pub fn drop_undeclared(operation: &OperationDefinition, variables: &mut Variables) {
    variables.retain(|name, _| operation.variable_definitions.iter().any(|found| found.node.name.node == *name));
}

/// The document without absent variables in its inputs, if there are any. By the specification a field of an input whose
/// variable is absent is absent too and has its default; the library would pass null.
pub fn without_absent(
    document: &ExecutableDocument,
    operation: &OperationDefinition,
    variables: &Variables,
) -> Option<ExecutableDocument> {
    let mut definitions = operation.variable_definitions.iter();
    definitions.find(|definition| !variables.contains_key(&definition.node.name.node))?;
    let mut document = document.clone();
    let operations: Vec<&mut OperationDefinition> = match &mut document.operations {
        DocumentOperations::Single(operation) => vec![&mut operation.node],
        DocumentOperations::Multiple(operations) => operations.values_mut().map(|found| &mut found.node).collect(),
    };
    let mut pruning = Pruning { variables, has_pruned: false };
    for operation in operations {
        pruning.selection(&mut operation.selection_set.node);
    }
    for fragment in document.fragments.values_mut() {
        pruning.selection(&mut fragment.node.selection_set.node);
    }
    pruning.has_pruned.then_some(document)
}

struct Pruning<'a> {
    variables: &'a Variables,
    has_pruned: bool,
}

impl Pruning<'_> {
    fn selection(&mut self, set: &mut SelectionSet) {
        for item in &mut set.items {
            match &mut item.node {
                Selection::Field(field) => {
                    let field = &mut field.node;
                    for (_, value) in &mut field.arguments {
                        // The library applies the default of a whole argument.
                        if !matches!(value.node, Value::Variable(_)) {
                            self.is_there(&mut value.node);
                        }
                    }
                    self.selection(&mut field.selection_set.node);
                }
                Selection::InlineFragment(inline) => self.selection(&mut inline.node.selection_set.node),
                Selection::FragmentSpread(_) => {}
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
    // Deeper selections have been refused already.
    let _ = walk(document, &operation.selection_set.node, Limits::MAX_LEVELS + 1, &mut roots);
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
        // It does nothing.
        if field.node.name.node != "__typename" {
            self.name(&field.node.response_key().node);
        }
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

/// Refuses a subscription whose root field is in a fragment, which the library would ignore.
fn subscription(operation: &OperationDefinition) -> Result<()> {
    let [Positioned { node: Selection::Field(_), .. }] = operation.selection_set.node.items.as_slice() else {
        let message = "the root field of a subscription cannot be in a fragment";
        return Err(Error::client(Code::ValidationFailed, message));
    };
    Ok(())
}
