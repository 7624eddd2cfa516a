//! An event.

use ::entity::{book_order, book_rating};
use uuid::Uuid;

/// The number of events that a subscriber may fall behind.
pub const RING: usize = 1024;

/// A new row.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// A rating was added.
    RatingAdded(book_rating::Model),
    /// An order was placed.
    OrderPlaced(book_order::Model),
}

impl Event {
    /// The primary key of the new row.
    pub fn id(&self) -> Uuid {
        match self {
            Self::RatingAdded(rating) => rating.id,
            Self::OrderPlaced(order) => order.id,
        }
    }

    /// The book of the new row.
    pub fn book_id(&self) -> Uuid {
        match self {
            Self::RatingAdded(rating) => rating.book_id,
            Self::OrderPlaced(order) => order.book_id,
        }
    }
}
