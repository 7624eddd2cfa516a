//! Keyset pagination for SeaORM: exact pages of any list, at a cost that depends only on the size of the page.
//!
//! One statement, the [bracket], reads a page together with the row before it and the row after it. Whether there is a
//! next or a previous page is therefore known exactly, at any depth and under any order.
//!
//! The terms, in the order in which data flows through them:
//!
//! | term | meaning |
//! |---|---|
//! | [`Sort`] | one expression, its direction, and where its NULLs stand |
//! | [`Order`] | a list of sorts that ends in a unique, non-null one: a strict total order |
//! | [`Key`] | the values of a row under an order |
//! | [`Cursor`] | a key as text, bound to its order |
//! | [`Page`] | a request: which end, how many rows, after which key, before which key |
//! | [`Lists`] | the rows to read: one list, or one list per parent |
//! | Range | a contiguous part of one index: equal on a prefix, bounded on the next columns |
//! | [Bracket](bracket) | the statement: witness rows on the near side, the page's rows plus one on the far side |
//! | [`Slice`] | the result: rows in order, `has_previous`, `has_next` |
//!
//! ```
//! # use sea_orm::entity::prelude::*;
//! # mod city {
//! #     use sea_orm::entity::prelude::*;
//! #     #[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
//! #     #[sea_orm(table_name = "city")]
//! #     pub struct Model { #[sea_orm(primary_key)] pub id: i32, pub people: Option<i64> }
//! #     #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
//! #     pub enum Relation {}
//! #     impl ActiveModelBehavior for ActiveModel {}
//! # }
//! # async fn largest_cities(db: &sea_orm::DatabaseConnection) -> Result<(), Box<dyn std::error::Error>> {
//! use keyset::{Args, Limits, Order, Page, Sort};
//!
//! let order = Order::of::<city::Entity>([Sort::desc(city::Column::People)])?;
//! let args = Args { first: Some(20), ..Args::default() };
//! let page = Page::new(&args, &order, Limits::default())?;
//!
//! let slice = keyset::fetch(db, city::Entity::find(), &page).await?;
//! for row in &slice.rows {
//!     println!("{} has {:?} people", row.item.id, row.item.people);
//! }
//! if slice.has_next && let Some(last) = slice.rows.last() {
//!     println!("more after {}", order.seal(&last.key)?);
//! }
//! # Ok(())
//! # }
//! ```
//!
//! PostgreSQL and SQLite are supported. On another database every function returns
//! [`DbErr::BackendNotSupported`](sea_orm::DbErr::BackendNotSupported).

mod kind;
mod order;
mod sort;

mod cursor;
mod key;
mod key_error;
mod parts;
mod wire;

mod page;
mod source;
mod storable;

mod compare;
mod keyed_rows;
mod range;
mod row_order;

mod postings;

pub mod bracket;
mod dialect;
mod placement;
mod start;

mod array;
mod column;
mod column_set;
mod models;
#[cfg(feature = "postgres")]
mod postgres;
mod read_rows;
mod read_value;
mod record;
mod row_layout;
mod stored;
mod table;

mod fetch;
mod join;
mod slice;
mod statement_cache;

mod batch;
mod many;
mod mark;
mod placeholder;

mod around;
mod arrays;
mod offset;

mod has_row;
pub mod id;
pub mod ulid;

mod aggregate;
mod among;
mod as_of;
mod count;
mod count_up_to;
mod indexes;
mod kept;
mod key_ranges;
mod nested;
mod numbered;
mod statistics;

pub use aggregate::{Aggregate, aggregates};
pub use among::{among, among_keys};
pub use around::{Around, fetch_around};
pub use array::json_list;
pub use arrays::length_of_list;
pub use as_of::{as_of, created_at, generated_at, since};
pub use column::{Column, ColumnDefinition};
pub use column_set::ColumnSet;
pub use count::count;
pub use count_up_to::{Count, count_at_least, count_up_to};
pub use cursor::{Cursor, CursorError};
pub use fetch::{fetch, fetch_into, fetch_rows};
pub use has_row::has_row;
pub use indexes::{Indexes, NeededIndex};
pub use join::{Join, find_related, find_rows};
pub use kept::{Kept, kept_count};
pub use key::Key;
pub use key_error::KeyError;
pub use key_ranges::KeyRanges;
pub use kind::Kind;
pub use models::{ModelReader, Modelled, Models, find_models};
pub use nested::{ListPerRow, WithLists, can_nest, fetch_nested};
pub use numbered::{MAX_PAGES, PageCursors, Reach, page_cursors};
pub use order::{Order, OrderError};
pub use page::{Args, End, Limits, Page, PageError};
pub use parts::{CursorParts, read_values, write_stored, write_value};
pub use placeholder::Placeholder;
pub use placement::Placement;
#[cfg(feature = "postgres")]
pub use postgres::{read_binary, read_postgres};
pub use postings::{MAX_WORDS, PostingList, Postings};
pub use read_rows::{Many, ManyBy, ReadRows};
pub use record::Record;
pub use row_layout::{RowLayout, RowReader, TableRow};
pub use slice::{Found, Row, Slice};
pub use sort::{Direction, Nulls, Sort};
pub use source::{Lists, Source};
pub use statement_cache::StatementCache;
pub use statistics::{Indexed, Statistics};
pub use stored::{Columns, Stored, StoredRows, StoredValue};
pub use table::{Table, TableDefinition, TableRows};
pub use wire::Scalar;
