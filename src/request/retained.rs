//! The memory that a subscription keeps until it ends: its document and its variables.

use async_graphql::{Value, Variables};

use super::documents::Document;

/// The bytes of each part of a document, and of the execution. They are upper bounds, which `tests/memory.rs` measures.
const PART: usize = 256;
const EXECUTION: usize = 16 << 10;

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
        // A name stands beside its hash and its place.
        Value::Object(fields) => {
            fields.iter().map(|(name, value)| name.len() + 2 * size_of::<Value>() + size(value)).sum()
        }
        Value::Binary(bytes) => bytes.len(),
        Value::Null | Value::Number(_) | Value::Boolean(_) => 0,
    };
    2 * size_of::<Value>() + within
}
