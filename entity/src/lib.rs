//! The tables of the book shop, as SeaORM entities.
//!
//! Every primary key is a UUIDv7 made in this process, so ids sort by time of creation: "newest first" is the
//! primary key read backwards, and no table needs a `created_at` column. See [`id`].

pub mod book;
pub mod book_order;
pub mod book_rating;
pub mod id;
