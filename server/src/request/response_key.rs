//! Response keys: a long one costs more, because it is written for each object.

use async_graphql::parser::types::Field;

/// The characters of a response key for which a field costs once.
pub const KEY: usize = 64;

/// How often a field costs: as often as it has this many characters in its response key, which is written for each object, and
/// with each error below it.
pub fn times(field: &Field) -> usize {
    field.response_key().node.len().div_ceil(KEY)
}
