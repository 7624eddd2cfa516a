//! The root fields for writing.
//!
//! An input is checked as a whole (`input`) and becomes a write, which runs in one transaction (`write`). The transaction
//! locks the book that it concerns (`lock`). A created object is returned with its position in the lists (`created`).

use async_graphql::{Context, Object};
use keyset_graphql::ShownPayload;
use keyset_graphql::cost::{Cost, Costs};

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

/// The prices of the fields below.
pub const COSTS: Costs = &[
    ("addBook", Cost::Write),
    ("updateBook", Cost::Write),
    ("deleteBook", Cost::Write),
    ("rateBook", Cost::Write),
    ("changeRating", Cost::Write),
    ("deleteRating", Cost::Write),
    ("placeOrder", Cost::Write),
    ("cancelOrder", Cost::Write),
];

/// The prices of the fields of payloads.
pub const COSTS_OF_PAYLOADS: Costs =
    &[("previousEdgeCursor", Cost::Statement), ("previousEdgeCursorOfBook", Cost::Statement)];

/// The entry points for writing. Each is done wholly or not at all. One that is not done is null beside all
/// that is wrong with its input, where `extensions.field` names the field.
#[Object]
impl Mutation {
    /// Adds a book.
    async fn add_book(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "What is asked for.")] input: AddBookInput,
    ) -> Option<ShownPayload<Payload<AddedBook>>> {
        perform(context, input).await
    }

    /// Changes the title or the year of a book.
    async fn update_book(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "What is asked for.")] input: UpdateBookInput,
    ) -> Option<ShownPayload<Payload<UpdatedBook>>> {
        perform(context, input).await
    }

    /// Deletes a book; one that has ratings or orders only with them, and only where `cascade` says so.
    async fn delete_book(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "What is asked for.")] input: DeleteBookInput,
    ) -> Option<ShownPayload<Payload<DeletedBook>>> {
        perform(context, input).await
    }

    /// Gives a book a rating.
    async fn rate_book(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "What is asked for.")] input: RateBookInput,
    ) -> Option<ShownPayload<Payload<GivenRating>>> {
        perform(context, input).await
    }

    /// Changes the stars of a rating.
    async fn change_rating(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "What is asked for.")] input: ChangeRatingInput,
    ) -> Option<ShownPayload<Payload<ChangedRating>>> {
        perform(context, input).await
    }

    /// Deletes a rating.
    async fn delete_rating(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "What is asked for.")] input: DeleteRatingInput,
    ) -> Option<ShownPayload<Payload<DeletedRating>>> {
        perform(context, input).await
    }

    /// Places an order for a book.
    async fn place_order(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "What is asked for.")] input: PlaceOrderInput,
    ) -> Option<ShownPayload<Payload<PlacedOrder>>> {
        perform(context, input).await
    }

    /// Cancels an order: it is deleted.
    async fn cancel_order(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "What is asked for.")] input: CancelOrderInput,
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
