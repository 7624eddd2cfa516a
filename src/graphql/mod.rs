//! The GraphQL schema.
//!
//! A list is named by its object (`book`, `rating`, `order`: which rows, in which orders, under which filters). `list` opens
//! the arguments and has the engine read the page, and `connection` shows the slice as edges.
#![allow(clippy::unused_async, reason = "a resolver is async whether it waits or not")]

use async_graphql::{EmptyMutation, EmptySubscription, SDLExportOptions};

mod api;
mod limits;

mod lists;
mod query;

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

mod error;

pub use api::Api;
pub use error::Code;

use query::Query;

type Schema = async_graphql::Schema<Query, EmptyMutation, EmptySubscription>;

/// The schema as text: what stands in `schema.graphql`.
pub fn sdl() -> String {
    let options = SDLExportOptions::new()
        .sorted_fields()
        .sorted_arguments()
        .sorted_enum_items()
        .prefer_single_line_descriptions();
    builder().finish().sdl_with_options(options)
}

fn builder() -> async_graphql::SchemaBuilder<Query, EmptyMutation, EmptySubscription> {
    async_graphql::Schema::build(Query, EmptyMutation, EmptySubscription)
}
