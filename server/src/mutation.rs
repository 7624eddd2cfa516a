//! Mutations.
//!
//! An input is checked as a whole ([`Input`]) and becomes a write, which runs in one transaction ([`Write`]). It says what it has
//! done ([`Transaction::announce`]), and can return a created object with its position in its list ([`Transaction::edge`]).

use async_graphql::Context;
use bookends_graphql::ShownPayload;

mod edge;
mod input;
mod payload;
mod rows;
mod transaction;
mod write;

pub use input::{Input, Problems};
pub use payload::{Done, Payload};
pub(crate) use rows::Rows;
pub use transaction::Transaction;
pub use write::{Write, WriteError, WriteResult};

use crate::request::Error;

/// Checks the input, and runs the write. Adds every error to the response: the field is then null.
pub async fn perform<I: Input>(
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
