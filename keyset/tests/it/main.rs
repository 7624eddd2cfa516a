//! The engine against a database and against its naive twin.

mod atlas;
mod naive;

mod around;
mod arrays;
mod as_of;
mod connections;
mod cost;
mod count;
mod cursor;
mod exactness;
mod indexes;
mod joined;
mod key_ranges;
mod kinds;
mod many;
mod numbered;
mod offset;
mod postings;
mod statement;
mod statistics;
