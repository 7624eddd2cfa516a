//! The tables of the book shop, as SeaORM entities.
//!
//! Every primary key is a UUIDv7 made in this process, so ids sort by time of creation: "newest first" is the
//! primary key read backwards, and no table needs a `created_at` column. See [`id`], and
//! [`ulid`] for another spelling.

#![expect(clippy::disallowed_methods, reason = "the derived relations bring a `paginate` that nobody calls")]

pub mod book;
pub mod book_count;
pub mod book_order;
pub mod book_order_count;
pub mod book_rating;
pub mod book_rating_count;
pub mod book_stats;
pub mod book_word;
pub mod book_words;

pub use keyset::{id, ulid};
