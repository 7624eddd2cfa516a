//! Objects with a global id (GraphQL Global Object Identification).
//!
//! A global id is the `base64url` of one byte for the type and the 16 bytes of the primary key: 23 characters, opaque,
//! unique across types.

use async_graphql::{Context, ID, Interface, OutputType};
use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use sea_orm::{EntityTrait, PrimaryKeyTrait};
use uuid::Uuid;

use super::book::Book;
use super::error::{Code, Error, Result};
use super::rating::Rating;
use crate::db::Db;

/// An object with an id that is unique among all objects.
#[derive(Interface)]
#[graphql(field(name = "id", ty = "ID", desc = "The global id: `node` finds the object by it."))]
pub enum Node {
    Book(Book),
    Rating(Rating),
}

/// An object that stands for a row of a table.
pub trait RowObject: OutputType + From<<Self::Entity as EntityTrait>::Model> {
    /// The table.
    type Entity: EntityTrait;

    /// Reads what the selected fields of a whole page need beside the rows, in one statement for all of them.
    fn prepare(_: &Context<'_>, _: &mut [Self]) -> impl Future<Output = Result<()>> + Send {
        async { Ok(()) }
    }
}

/// The type of the object that a global id names. The numbers are in every id in the world: they never change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum NodeType {
    Book = 1,
    Rating = 2,
}

/// A global id, taken apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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

    fn decode(id: &str) -> Option<Self> {
        let mut bytes = [0; 17];
        // The length first: whatever is sent, seventeen bytes are all that is decoded.
        let whole = id.len() == 23 && BASE64_URL_SAFE_NO_PAD.decode_slice(id, &mut bytes) == Ok(17);
        let (&[tag], key) = bytes.split_first_chunk()?;
        let node_type = [NodeType::Book, NodeType::Rating].into_iter().find(|node_type| *node_type as u8 == tag)?;
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

/// The object with this global id, if there is one.
pub async fn find(context: &Context<'_>, id: &ID) -> Result<Option<Node>> {
    async fn row<T: RowObject>(context: &Context<'_>, key: Uuid) -> Result<Option<T>>
    where
        <<T::Entity as EntityTrait>::PrimaryKey as PrimaryKeyTrait>::ValueType: From<Uuid>,
    {
        let db = &context.data_unchecked::<Db>().reader;
        Ok(T::Entity::find_by_id(key).one(db).await?.map(T::from))
    }
    let NodeId { node_type, key } = NodeId::parse(id)?;
    Ok(match node_type {
        NodeType::Book => row::<Book>(context, key).await?.map(Node::from),
        NodeType::Rating => row::<Rating>(context, key).await?.map(Node::from),
    })
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
