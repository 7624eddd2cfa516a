//! The book shop: the reference application of Bookends.
//!
//! `book`, `rating` and `order` each declare one object: its fields, the orders and arguments of its lists. `query` declares the
//! fields that read them, `mutation` those that write. The deletion of a book is written by hand. [`app`] puts them together.
#![allow(clippy::unused_async, reason = "async-graphql requires resolvers to be async")]

mod app;
mod key;

mod book;
mod order;
mod rating;

mod query;
mod search;

mod mutation;

pub mod seed;
mod shelf;

pub use app::{FIRST_QUERY, api, app, application, connect, sdl};
pub use query::declaration;
