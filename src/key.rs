//! Primary keys, as the API spells them, and the global ids that name them.

use ::entity::ulid;
use async_graphql::ID;
use bookends_server::{ObjectType, RowObject};
use sea_orm::Value;
use uuid::Uuid;

use crate::declaration;
use bookends_server::request::{Code, Error, Result};

/// The fields that spell the primary key of an object.
pub fn add_key_fields(object: &mut ObjectType) {
    let description = "The primary key, a UUID of version 7. The fields `book`, `rating` and `order` of `Query` accept it as \
        `by: { uuid }`.";
    object.of_key("uuid", |key| uuid(&key).map(|key| key.to_string())).describe(description);
    let description = "The primary key as a ULID: 26 characters, which sort by time of creation. \
        `by: { uuid }` accepts it, too.";
    object.of_key("ulid", |key| uuid(&key).map(ulid::encode)).describe(description);
}

fn uuid(value: &Value) -> Option<Uuid> {
    if let Value::Uuid(key) = value { *key } else { None }
}

/// The primary key of the object of this type that a global id names.
///
/// # Errors
///
/// [`Code::IdInvalid`] for a malformed id, and for the id of another type.
pub fn key_of<T: RowObject>(id: &ID) -> Result<Uuid> {
    let key = declaration().key(T::NAME, id)?;
    key.first()
        .and_then(uuid)
        .ok_or_else(|| Error::client(Code::IdInvalid, "malformed global id: pass the field `id` of an object"))
}

/// The global id of the object of this type with this key.
pub fn id_of<T: RowObject>(key: Uuid) -> ID {
    declaration().id(T::NAME, &[key.into()]).unwrap_or_default()
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
