//! Primary keys, as the API spells them.

use ::entity::ulid;
use keyset_graphql::{Fields, Keyed};
use uuid::Uuid;

use crate::request::{Code, Error, Result};

/// The fields that spell the primary key of an object.
pub fn add_key_fields<T: Keyed<Key = Uuid>>(fields: &mut Fields<T>) {
    let description = "The primary key, a UUID of version 7. The fields `book`, `rating` and `order` of `Query` accept it as `by: { uuid }`.";
    fields.of_key("uuid", description, |key| key.to_string());
    let description = "The primary key as a ULID: 26 characters, which sort by time of creation. \
        `by: { uuid }` accepts it, too.";
    fields.of_key("ulid", description, ulid::encode);
}

/// Reads a primary key: a UUID in any of its usual spellings, or a ULID.
///
/// # Errors
///
/// [`Code::IdInvalid`] for a text that is neither.
pub fn parse_key(text: &str) -> Result<Uuid> {
    Uuid::parse_str(text)
        .ok()
        .or_else(|| ulid::decode(text).ok())
        .ok_or_else(|| Error::client(Code::IdInvalid, "malformed key: expected a UUID or a ULID"))
}
