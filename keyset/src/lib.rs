//! Keyset pagination for SeaORM: exact pages of any list, at a cost that depends on the size of the page alone.
//!
//! A page is read by one statement, the [bracket], which also fetches the page's two neighbours: that there is a
//! next page, or a previous one, is a fact and never a guess, at any depth and under any ordering.
//!
//! The words, in the order in which data flows through them:
//!
//! | word | meaning |
//! |---|---|
//! | [`Sort`] | one expression, its direction, its null placement |
//! | [`Order`] | a list of sorts that ends in a unique, non-null one: a strict total order by construction |
//! | [`Key`] | a row's values under an order |
//! | [`Cursor`] | a key as text, bound to its order |
//! | [`Page`] | what was asked: which end, how many, after what, before what; validated |
//! | Range | a stretch of one index: equal on a prefix, bounded on the next columns |
//! | [Bracket](bracket) | the statement: witness rows on the near side, page rows plus one on the far side |
//! | [`Slice`] | what was found: rows in order, `has_previous`, `has_next` |
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

mod kind;
mod order;
mod sort;

mod cursor;
mod key;
mod wire;

mod page;

mod range;

pub mod bracket;
mod dialect;

mod fetch;
mod slice;

mod batch;
mod many;

mod as_of;
mod count;
mod count_up_to;
mod numbered;

pub use as_of::{as_of, since};
pub use count::{count, count_many};
pub use count_up_to::{Count, count_up_to, count_up_to_many};
pub use cursor::{Cursor, CursorError};
pub use fetch::{fetch, fetch_into};
pub use key::Key;
pub use kind::Kind;
pub use many::{fetch_many, fetch_many_into};
pub use numbered::{MOST_PAGES, PageCursors, page_cursors, page_cursors_many};
pub use order::{Order, OrderError};
pub use page::{Args, End, Limits, Page, PageError};
pub use slice::{Found, Row, Slice};
pub use sort::{Direction, Nulls, Sort};
