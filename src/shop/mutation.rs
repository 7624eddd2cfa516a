//! The root fields for writing.
//!
//! An input is checked as a whole (`input`) and becomes a write, which runs in one transaction (`write`). The transaction
//! locks the book that it concerns (`lock`). A created object is returned with its position in the lists (`created`).

use std::borrow::Cow;
use std::marker::PhantomData;
use std::sync::PoisonError;

use async_graphql::parser::types::Field;
use async_graphql::registry::Registry;
use async_graphql::{Context, ContextSelectionSet, Object, OutputType, Positioned, ServerResult, Value};
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
use write::{Attempt, Write};

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
    ) -> Option<Shown<Payload<AddedBook>>> {
        perform(context, input).await
    }

    /// Changes the title or the year of a book.
    async fn update_book(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "What is asked for.")] input: UpdateBookInput,
    ) -> Option<Shown<Payload<UpdatedBook>>> {
        perform(context, input).await
    }

    /// Deletes a book; one that has ratings or orders only with them, and only where `cascade` says so.
    async fn delete_book(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "What is asked for.")] input: DeleteBookInput,
    ) -> Option<Shown<Payload<DeletedBook>>> {
        perform(context, input).await
    }

    /// Gives a book a rating.
    async fn rate_book(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "What is asked for.")] input: RateBookInput,
    ) -> Option<Shown<Payload<GivenRating>>> {
        perform(context, input).await
    }

    /// Changes the stars of a rating.
    async fn change_rating(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "What is asked for.")] input: ChangeRatingInput,
    ) -> Option<Shown<Payload<ChangedRating>>> {
        perform(context, input).await
    }

    /// Deletes a rating.
    async fn delete_rating(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "What is asked for.")] input: DeleteRatingInput,
    ) -> Option<Shown<Payload<DeletedRating>>> {
        perform(context, input).await
    }

    /// Places an order for a book.
    async fn place_order(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "What is asked for.")] input: PlaceOrderInput,
    ) -> Option<Shown<Payload<PlacedOrder>>> {
        perform(context, input).await
    }

    /// Cancels an order: it is deleted.
    async fn cancel_order(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "What is asked for.")] input: CancelOrderInput,
    ) -> Option<Shown<Payload<CancelledOrder>>> {
        perform(context, input).await
    }
}

/// Checks the input, and runs the write. Adds every error to the response.
async fn perform<I: Input>(context: &Context<'_>, input: I) -> Option<Shown<Payload<<I::Write as Write>::Done>>>
where
    Payload<<I::Write as Write>::Done>: OutputType,
{
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
    let mut writing = write::write(context, write);
    let selected = context.with_selection_set(&context.item.node.selection_set);
    let errors = || context.query_env.errors.lock().unwrap_or_else(PoisonError::into_inner);
    let (mut value, before) = (Ok(Value::Null), errors().len());
    while let Some(Attempt { done, shown }) = writing.attempt().await {
        // Those of an attempt that was not committed.
        errors().truncate(before);
        let payload = Payload { done, client_mutation_id: client_mutation_id.clone() };
        value = OutputType::resolve(&payload, &selected, context.item).await;
        // The receiver is a task, which waits for it.
        let _ = shown.send(value.is_ok());
    }
    match writing.outcome().await {
        Ok(()) => Some(Shown { value, marker: PhantomData }),
        Err(error) => {
            errors().truncate(before);
            refuse(vec![error]);
            None
        }
    }
}

/// A payload as it was read in its transaction.
struct Shown<T> {
    value: ServerResult<Value>,
    marker: PhantomData<fn() -> T>,
}

impl<T: OutputType> OutputType for Shown<T> {
    fn type_name() -> Cow<'static, str> {
        T::type_name()
    }

    fn create_type_info(registry: &mut Registry) -> String {
        T::create_type_info(registry)
    }

    async fn resolve(&self, _: &ContextSelectionSet<'_>, _: &Positioned<Field>) -> ServerResult<Value> {
        self.value.clone()
    }
}
