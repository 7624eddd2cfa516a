//! The types of global ids.

use uuid::Uuid;

/// The type of the object that a global id names. The numbers are part of every id that a client has stored: they never
/// change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum NodeType {
    Book = 1,
    Rating = 2,
    Order = 3,
}

/// A decoded global id.
pub type NodeId = keyset_graphql::GlobalId<NodeType, Uuid>;

impl keyset_graphql::NodeType for NodeType {
    const ALL: &[Self] = &[Self::Book, Self::Rating, Self::Order];

    fn tag(self) -> u8 {
        self as u8
    }
}
