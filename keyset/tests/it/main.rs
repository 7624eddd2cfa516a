//! The engine against a database and against its naive twin.

mod atlas;
mod cost;
mod cursor;
mod exactness;
mod naive;
mod statement;
