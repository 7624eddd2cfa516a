//! Objects with a global id (GraphQL Global Object Identification).

use keyset_graphql::{Nodes, ObjectType};
use uuid::Uuid;

use super::book::Book;
use super::node_type::NodeType;
use super::order::BookOrder;
use super::rating::Rating;

impl Nodes for NodeType {
    type Key = Uuid;

    fn object(self) -> ObjectType<Uuid> {
        match self {
            Self::Book => ObjectType::of::<Book>(),
            Self::Rating => ObjectType::of::<Rating>(),
            Self::Order => ObjectType::of::<BookOrder>(),
        }
    }
}
