//! The root fields for writing.
//!
//! An input is checked as a whole (`input`) and becomes a write, which runs in one transaction (`write`). The transaction
//! locks the book that it concerns (`lock`). A created object is returned with its position in the lists (`created`).

use async_graphql::{Context, Object};
use bookends_graphql::{Cost, FieldCost, ShownPayload};

mod book;
mod created;
mod input;
mod lock;
mod of_book;
mod order;
mod payload;
mod rating;
mod title;
mod transaction;
mod write;

use book::{AddBookInput, AddedBook, DeleteBookInput, DeletedBook, UpdateBookInput, UpdatedBook};
use input::{Input, Problems};
use order::{CancelOrderInput, CancelledOrder, PlaceOrderInput, PlacedOrder};
use payload::Payload;
use rating::{ChangeRatingInput, ChangedRating, DeleteRatingInput, DeletedRating, GivenRating, RateBookInput};
use write::Write;

use crate::request::Error;

pub struct Mutation;

const FIELDS: [&str; 8] =
    ["addBook", "updateBook", "deleteBook", "rateBook", "changeRating", "deleteRating", "placeOrder", "cancelOrder"];

/// The fields of payloads that read where a new object stands.
const PLACES: [(&str, &str); 5] = [
    ("AddBookPayload", "previousEdgeCursor"),
    ("RateBookPayload", "previousEdgeCursor"),
    ("RateBookPayload", "previousEdgeCursorOfBook"),
    ("PlaceOrderPayload", "previousEdgeCursor"),
    ("PlaceOrderPayload", "previousEdgeCursorOfBook"),
];

/// The prices of the fields below, and of those of their payloads.
pub fn costs() -> impl Iterator<Item = FieldCost> {
    let places = PLACES.into_iter().map(|(payload, field)| FieldCost::new(payload, field, Cost::Statement));
    FIELDS.into_iter().map(|field| FieldCost::new("Mutation", field, Cost::Write)).chain(places)
}

/// The root of all mutations. Each field is one transaction. If it fails, it is null. If its input is invalid, it returns one
/// error for each invalid field, and `extensions.field` names the field.
#[Object]
impl Mutation {
    /// Adds a book.
    async fn add_book(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "The input.")] input: AddBookInput,
    ) -> Option<ShownPayload<Payload<AddedBook>>> {
        perform(context, input).await
    }

    /// Changes the title or the year of publication of a book.
    async fn update_book(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "The input.")] input: UpdateBookInput,
    ) -> Option<ShownPayload<Payload<UpdatedBook>>> {
        perform(context, input).await
    }

    /// Deletes a book. If the book has ratings or orders, `cascade` must be true.
    async fn delete_book(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "The input.")] input: DeleteBookInput,
    ) -> Option<ShownPayload<Payload<DeletedBook>>> {
        perform(context, input).await
    }

    /// Adds a rating to a book.
    async fn rate_book(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "The input.")] input: RateBookInput,
    ) -> Option<ShownPayload<Payload<GivenRating>>> {
        perform(context, input).await
    }

    /// Changes the number of stars of a rating.
    async fn change_rating(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "The input.")] input: ChangeRatingInput,
    ) -> Option<ShownPayload<Payload<ChangedRating>>> {
        perform(context, input).await
    }

    /// Deletes a rating.
    async fn delete_rating(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "The input.")] input: DeleteRatingInput,
    ) -> Option<ShownPayload<Payload<DeletedRating>>> {
        perform(context, input).await
    }

    /// Places an order for a book.
    async fn place_order(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "The input.")] input: PlaceOrderInput,
    ) -> Option<ShownPayload<Payload<PlacedOrder>>> {
        perform(context, input).await
    }

    /// Cancels an order, and deletes it.
    async fn cancel_order(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "The input.")] input: CancelOrderInput,
    ) -> Option<ShownPayload<Payload<CancelledOrder>>> {
        perform(context, input).await
    }
}

/// Checks the input, and runs the write. Adds every error to the response.
async fn perform<I: Input>(
    context: &Context<'_>,
    input: I,
) -> Option<ShownPayload<Payload<<I::Write as Write>::Done>>> {
    let refuse = |errors: Vec<Error>| {
        for error in errors {
            let error = async_graphql::Error::from(error).into_server_error(context.item.pos);
            context.add_error(context.set_error_path(error));
        }
    };
    let client_mutation_id = input.client_mutation_id();
    let mut problems = Problems::default();
    let Some(write) = input.check(context, &mut problems) else {
        refuse(problems.into());
        return None;
    };
    match write::write(context, write, client_mutation_id).await {
        Ok(payload) => Some(payload),
        Err(error) => {
            refuse(vec![error]);
            None
        }
    }
}
