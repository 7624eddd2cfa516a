//! The payload of every mutation.

use async_graphql::{ContainerType, OutputType, SimpleObject};

use super::book::{AddedBook, DeletedBook, UpdatedBook};
use super::order::{CancelledOrder, PlacedOrder};
use super::rating::{ChangedRating, DeletedRating, GivenRating};

/// A mutation that has been done.
#[derive(SimpleObject)]
#[graphql(
    concrete(name = "AddBookPayload", params(AddedBook)),
    concrete(name = "UpdateBookPayload", params(UpdatedBook)),
    concrete(name = "DeleteBookPayload", params(DeletedBook)),
    concrete(name = "RateBookPayload", params(GivenRating)),
    concrete(name = "ChangeRatingPayload", params(ChangedRating)),
    concrete(name = "DeleteRatingPayload", params(DeletedRating)),
    concrete(name = "PlaceOrderPayload", params(PlacedOrder)),
    concrete(name = "CancelOrderPayload", params(CancelledOrder))
)]
pub struct Payload<T: OutputType + ContainerType> {
    #[graphql(flatten)]
    pub done: T,
    /// What the input said.
    pub client_mutation_id: Option<String>,
}
