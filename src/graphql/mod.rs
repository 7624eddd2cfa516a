//! The GraphQL schema.
//!
//! A connection resolver names the rows and their order; `connection` does the rest: it opens the arguments, has the
//! engine read the page, and turns the slice into edges.
#![allow(clippy::unused_async, reason = "a resolver is async whether it waits or not")]

use async_graphql::dataloader::DataLoader;
use async_graphql::{EmptyMutation, EmptySubscription, SDLExportOptions};

use crate::db::Db;

mod query;

mod book;
mod rating;

mod connection;
mod loader;
mod node;

mod date_time;

mod error;

use query::Query;

/// The schema, ready to execute.
pub type Schema = async_graphql::Schema<Query, EmptyMutation, EmptySubscription>;

/// The schema over a database.
pub fn schema(db: Db) -> Schema {
    // A page asks for all its books at once: there is nothing to wait for.
    let books = DataLoader::new(loader::Books(db.clone()), tokio::spawn).delay(std::time::Duration::ZERO);
    builder().data(books).data(db).finish()
}

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
