//! Objects with a global id (GraphQL Global Object Identification).
//!
//! A global id is the `base64url` of one byte for the type and the 16 bytes of the primary key: 23 characters, opaque,
//! unique across types.

use std::collections::{BTreeSet, HashMap};

use async_graphql::{Context, ID, Interface};
use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use ulid::Ulid;
use uuid::Uuid;

use super::book::Book;
use super::code::Code;
use super::error::{Error, Result};
use super::object::RowObject;
use super::order::Order;
use super::rating::Rating;

/// An object with an id that is unique among all objects.
#[derive(Clone, Interface)]
#[graphql(field(name = "id", ty = "ID", desc = "The global id: `node` finds the object by it."))]
pub enum Node {
    Book(Book),
    Rating(Rating),
    Order(Order),
}

/// The type of the object that a global id names. The numbers are in every id in the world: they never change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum NodeType {
    Book = 1,
    Rating = 2,
    Order = 3,
}

impl NodeType {
    const ALL: [Self; 3] = [Self::Book, Self::Rating, Self::Order];
}

/// A global id, taken apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct NodeId {
    pub node_type: NodeType,
    pub key: Uuid,
}

impl NodeId {
    /// Reads a global id.
    ///
    /// # Errors
    ///
    /// [`Code::IdInvalid`] for a text that is none.
    pub fn parse(id: &ID) -> Result<Self> {
        Self::decode(id)
            .ok_or_else(|| Error::client(Code::IdInvalid, "not a global id: the field `id` of an object has one"))
    }

    /// Reads the global id of an object of this type.
    ///
    /// # Errors
    ///
    /// [`Code::IdInvalid`] for a text that is none, and for the id of another type.
    pub fn parse_as(id: &ID, node_type: NodeType) -> Result<Self> {
        let parsed = Self::parse(id)?;
        if parsed.node_type == node_type {
            return Ok(parsed);
        }
        let message = format!("the id is one of `{:?}`, where one of `{node_type:?}` is expected", parsed.node_type);
        Err(Error::client(Code::IdInvalid, message))
    }

    fn decode(id: &str) -> Option<Self> {
        let mut bytes = [0; 17];
        // The length first: whatever is sent, seventeen bytes are all that is decoded.
        let whole = id.len() == 23 && BASE64_URL_SAFE_NO_PAD.decode_slice(id, &mut bytes) == Ok(17);
        let (&[tag], key) = bytes.split_first_chunk()?;
        let node_type = NodeType::ALL.into_iter().find(|node_type| *node_type as u8 == tag)?;
        whole.then_some(Self { node_type, key: Uuid::from_slice(key).ok()? })
    }
}

impl From<NodeId> for ID {
    fn from(id: NodeId) -> Self {
        let mut bytes = [id.node_type as u8; 17];
        bytes[1..].copy_from_slice(id.key.as_bytes());
        Self(BASE64_URL_SAFE_NO_PAD.encode(bytes))
    }
}

/// Reads a primary key: a UUID in any of its usual spellings, or a ULID.
///
/// # Errors
///
/// [`Code::IdInvalid`] for a text that is neither.
pub fn parse_key(text: &str) -> Result<Uuid> {
    let from_ulid = || Ulid::from_string(text).ok().map(Uuid::from);
    Uuid::parse_str(text)
        .ok()
        .or_else(from_ulid)
        .ok_or_else(|| Error::client(Code::IdInvalid, "neither a UUID nor a ULID"))
}

/// The objects with these global ids, as far as there are any, in the same order: one statement for each type.
pub async fn find(context: &Context<'_>, ids: &[NodeId]) -> Result<Vec<Option<Node>>> {
    let mut found: HashMap<NodeId, Node> = HashMap::new();
    for node_type in NodeType::ALL {
        let keys: BTreeSet<Uuid> = ids.iter().filter(|id| id.node_type == node_type).map(|id| id.key).collect();
        if keys.is_empty() {
            continue;
        }
        let nodes = match node_type {
            NodeType::Book => nodes::<Book>(context, &keys).await?,
            NodeType::Rating => nodes::<Rating>(context, &keys).await?,
            NodeType::Order => nodes::<Order>(context, &keys).await?,
        };
        found.extend(nodes.into_iter().map(|(key, node)| (NodeId { node_type, key }, node)));
    }
    Ok(ids.iter().map(|id| found.get(id).cloned()).collect())
}

async fn nodes<T: RowObject + Into<Node>>(context: &Context<'_>, keys: &BTreeSet<Uuid>) -> Result<HashMap<Uuid, Node>> {
    Ok(T::by_keys(context, keys).await?.into_iter().map(|(key, object)| (key, object.into())).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn f2_an_id_is_23_characters_and_comes_back() {
        let id = NodeId { node_type: NodeType::Rating, key: Uuid::from_u128(7) };
        let text = ID::from(id);
        assert_eq!(text.as_str(), "AgAAAAAAAAAAAAAAAAAAAAc");
        assert_eq!(NodeId::parse(&text).unwrap(), id);
    }

    #[test]
    fn f3_a_malformed_id_is_none() {
        for text in ["", "?", "AgAAAAAAAAAAAAAAAAAAAA", "CQAAAAAAAAAAAAAAAAAAAAc", "AgAAAAAAAAAAAAAAAAAAAAd", "é"] {
            assert!(NodeId::parse(&text.into()).is_err(), "{text}");
        }
        assert!(NodeId::parse(&"A".repeat(1_000_000).into()).is_err());
    }
}
