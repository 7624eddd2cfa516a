//! The entry points for writing.
//!
//! An input is checked as a whole (`input`), and what it asks for is done in one transaction (`write`), in which the
//! book that it is about stays as it is (`lock`). What is created comes back with its place in the lists (`created`).

use async_graphql::{Context, Object};

mod book;
mod created;
mod input;
mod lock;
mod of_book;
mod order;
mod payload;
mod permission;
mod rating;
mod title;
mod write;

pub use permission::Permission;

use book::{AddBookInput, AddedBook, DeleteBookInput, DeletedBook, UpdateBookInput, UpdatedBook};
use input::{Input, Problems};
use order::{CancelOrderInput, CancelledOrder, PlaceOrderInput, PlacedOrder};
use payload::Payload;
use rating::{ChangeRatingInput, ChangedRating, DeleteRatingInput, DeletedRating, GivenRating, RateBookInput};
use write::Write;

pub struct Mutation;

/// The mutations: `fn name(Input) -> Done`. All take one input, and a payload is null beside the errors.
macro_rules! mutations {
    ($( #[doc = $doc:literal] fn $name:ident($input:ty) -> $done:ty; )+) => {
        /// The entry points for writing. Each is done wholly or not at all. One that is not done is null beside all
        /// that is wrong with its input, where `extensions.field` names the field.
        #[Object]
        impl Mutation { $(
            #[doc = $doc]
            async fn $name(
                &self,
                context: &Context<'_>,
                #[graphql(desc = "What is asked for.")] input: $input,
            ) -> Option<Payload<$done>> {
                let client_mutation_id = input.client_mutation_id.clone();
                let done = perform(context, input).await?;
                Some(Payload { done, client_mutation_id })
            }
        )+ }
    };
}

mutations! {
    /// Adds a book.
    fn add_book(AddBookInput) -> AddedBook;
    /// Changes the title or the year of a book.
    fn update_book(UpdateBookInput) -> UpdatedBook;
    /// Deletes a book; one that has ratings or orders only with them, and only where `cascade` says so.
    fn delete_book(DeleteBookInput) -> DeletedBook;
    /// Gives a book a rating.
    fn rate_book(RateBookInput) -> GivenRating;
    /// Changes the stars of a rating.
    fn change_rating(ChangeRatingInput) -> ChangedRating;
    /// Deletes a rating.
    fn delete_rating(DeleteRatingInput) -> DeletedRating;
    /// Places an order for a book.
    fn place_order(PlaceOrderInput) -> PlacedOrder;
    /// Cancels an order: it is deleted.
    fn cancel_order(CancelOrderInput) -> CancelledOrder;
}

/// Checks who asks and what for, and does it. Nothing, beside all errors, where it cannot be done.
async fn perform<I: Input>(context: &Context<'_>, input: I) -> Option<<I::Write as Write>::Done> {
    let refuse = |errors: Vec<super::error::Error>| {
        for error in errors {
            let error = async_graphql::Error::from(error).into_server_error(context.item.pos);
            context.add_error(context.set_error_path(error));
        }
    };
    if let Err(error) = Permission::check(context) {
        refuse(vec![error]);
        return None;
    }
    let mut problems = Problems::default();
    let Some(write) = input.check(context, &mut problems) else {
        refuse(problems.into());
        return None;
    };
    write::write(context, write).await.map_err(|error| refuse(vec![error])).ok()
}
