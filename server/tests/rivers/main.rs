//! A small application behind the server: rivers, the cities on them, and bridges, whose keys have two columns.

#![expect(clippy::disallowed_methods, reason = "the derived relations bring a `paginate` that nobody calls")]

mod app;
mod asking;
mod events;
mod mutations;
mod own;
mod page;
mod roles;
mod schema;
