//! Global ids.

use async_graphql::ID;
use sea_orm::Value;

use super::part::Parts;
use super::uuid;
use crate::shop;

/// Reads a global id of the shop.
pub fn read(text: &str) -> Result<Parts, String> {
    let (object, key) = shop::declaration().object_of(&ID::from(text)).map_err(|error| error.message().to_owned())?;
    let key = if let [Value::Uuid(Some(key))] = key[..] { key } else { ::uuid::Uuid::nil() };
    Ok(Parts::default().with("type", object).with("key", uuid::parts(key)))
}
