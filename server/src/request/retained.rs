//! The memory that a subscription keeps until it ends: its document, the plan of it, and its variables.

use async_graphql::{Value, Variables};

use super::documents::Document;

/// The bytes of each part of a document, which is kept as it was sent, as it is executed and as its plan, and of the execution.
/// They are upper bounds, which `tests/memory.rs` measures.
const PART: usize = 256;
const EXECUTION: usize = 32 << 10;
/// The bytes of an object, with room for its first fields, and those that each field adds.
const OBJECT: usize = 512;
const FIELD: usize = 256;

/// The bytes that a subscription keeps.
pub fn retained(document: &Document, variables: &Variables) -> usize {
    let variables: usize = variables.iter().map(|(name, value)| name.len() + size(value)).sum();
    // Names and values are pieces of the text.
    EXECUTION + PART * document.parts() + document.text.len() + variables
}

/// The bytes of a value.
fn size(value: &Value) -> usize {
    let within = match value {
        Value::String(text) => text.len(),
        Value::Enum(name) => name.len(),
        Value::List(items) => items.iter().map(size).sum(),
        Value::Object(fields) => {
            OBJECT + fields.iter().map(|(name, value)| name.len() + FIELD + size(value)).sum::<usize>()
        }
        Value::Binary(bytes) => bytes.len(),
        Value::Null | Value::Number(_) | Value::Boolean(_) => 0,
    };
    // A list that grows has room for as many again.
    2 * size_of::<Value>() + within
}
