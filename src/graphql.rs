//! The GraphQL schema, and the way of a request to it.
//!
//! `api` looks at a request before anything is done: whether it is known (`documents`), how deep it is (`nesting`),
//! what it may cost (`limits`), and whether its operation can be done as it is written (`operation`, `coercion`). What
//! comes by a WebSocket comes through `executor`.
//!
//! A list is named by its object (`book`, `rating`, `order`: which rows, in which orders, under which filters). `list`
//! opens the arguments and has the engine read the page, and `connection` shows the slice as edges.
#![allow(clippy::unused_async, reason = "a resolver is async whether it waits or not")]

use async_graphql::SDLExportOptions;

mod api;
mod coercion;
mod documents;
mod limits;
mod nesting;
mod operation;

mod admission;
mod executor;

mod lists;
mod mutation;
mod query;
mod subscription;

mod book;
mod order;
mod rating;

mod object;

mod connection;
mod count;
mod list;
mod once;
mod page_cursors;

mod filter;
mod sort;

mod node;

mod date_time;
mod decimal;

mod code;
mod error;

pub use admission::{Admission, NotDone};
pub use api::{Api, no_batches, was_executed};
pub use code::Code;
pub use error::{Error, refusal};
pub use executor::Session;
pub use mutation::Permission;

use mutation::Mutation;
use query::Query;
use subscription::Subscription;

type Schema = async_graphql::Schema<Query, Mutation, Subscription>;

/// The schema as text: what stands in `schema.graphql`.
pub fn sdl() -> String {
    let options = SDLExportOptions::new()
        .sorted_fields()
        .sorted_arguments()
        .sorted_enum_items()
        .prefer_single_line_descriptions();
    builder().finish().sdl_with_options(options)
}

fn builder() -> async_graphql::SchemaBuilder<Query, Mutation, Subscription> {
    async_graphql::Schema::build(Query, Mutation, Subscription)
}
