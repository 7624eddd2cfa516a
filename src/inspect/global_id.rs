//! Global ids.

use async_graphql::ID;

use super::part::Parts;
use super::uuid;
use crate::shop::NodeId;

/// Reads a global id of the shop.
pub fn read(text: &str) -> Result<Parts, String> {
    let id = NodeId::parse(&ID::from(text)).map_err(|error| error.message().to_owned())?;
    Ok(Parts::default().with("type", format!("{:?}", id.node_type)).with("key", uuid::parts(id.key)))
}
