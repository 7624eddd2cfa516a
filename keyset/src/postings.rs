//! Rows whose keys stand in several lists at once, such as the postings of words: pages that leap from key to key.
//!
//! Each list is a range of an index, in the order of the key. No list is read to its end: a step asks the next list for its
//! first key at or after the current one, which is one descent. A key that all lists have is tested, and the next step asks
//! for a greater one. This is the leapfrog join of Veldhuizen (2014), as a recursive query whose limit is that of the page:
//!
//! ```sql
//! WITH RECURSIVE keyset_leaps (keyset_key, keyset_at, keyset_agree, keyset_list, keyset_hit, keyset_found) AS (
//!     SELECT /* the first key of list 0 beyond the cursor */
//!     UNION ALL
//!     SELECT CASE (keyset_list + 1) % 2
//!              WHEN 0 THEN (SELECT book_id FROM posting WHERE word = $1 AND book_id >= keyset_key ORDER BY book_id LIMIT 1)
//!              WHEN 1 THEN (SELECT book_id FROM posting WHERE word = $2 AND book_id >= keyset_key ORDER BY book_id LIMIT 1)
//!            END, …
//!     FROM keyset_leaps WHERE keyset_key IS NOT NULL AND /* hits */ < 11),
//! keyset_postings AS (SELECT keyset_hit FROM keyset_leaps WHERE keyset_hit IS NOT NULL)
//! SELECT … FROM book WHERE id IN (SELECT keyset_key FROM keyset_postings) ORDER BY id LIMIT 11
//! ```
//!
//! With a frequent and a rare list, the steps are at most twice the keys of the rare one. The other conditions of the query
//! are tested within the step, so that the limit counts rows of the page.

use sea_orm::sea_query::{Expr, Query, SelectStatement};

use crate::Column;

mod find;
mod leaps;
mod list;
mod sql;

pub use list::{MAX_WORDS, PostingList};

/// The rows of a table whose keys stand in all of these lists.
///
/// ```
/// # use sea_orm::entity::prelude::*;
/// # mod book {
/// #     use sea_orm::entity::prelude::*;
/// #     #[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
/// #     #[sea_orm(table_name = "book")]
/// #     pub struct Model { #[sea_orm(primary_key)] pub id: i32, pub title: String }
/// #     #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
/// #     pub enum Relation {}
/// #     impl ActiveModelBehavior for ActiveModel {}
/// # }
/// # mod posting {
/// #     use sea_orm::entity::prelude::*;
/// #     #[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
/// #     #[sea_orm(table_name = "posting")]
/// #     pub struct Model { #[sea_orm(primary_key)] pub word: String, #[sea_orm(primary_key)] pub book_id: i32 }
/// #     #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
/// #     pub enum Relation {}
/// #     impl ActiveModelBehavior for ActiveModel {}
/// # }
/// # async fn example(db: &sea_orm::DatabaseConnection) -> Result<(), Box<dyn std::error::Error>> {
/// use keyset::{Order, Page, PostingList, Postings};
///
/// let word = |word: &str| {
///     PostingList::new(posting::Entity::find().filter(posting::Column::Word.eq(word)), posting::Column::BookId)
/// };
/// let both = Postings::new(book::Column::Id, [word("fifth"), word("symphony")]);
/// let (books, order) = both.find(book::Entity::find(), Order::of::<book::Entity>([])?);
/// let slice = keyset::fetch(db, books, &Page::first(&order, 10)).await?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Postings {
    /// The key of the rows.
    key: Expr,
    name: String,
    /// All keys of the table: in place of a prefix of too many words.
    table: SelectStatement,
    lists: Vec<PostingList>,
}

impl Postings {
    /// The rows whose `key`, a primary key of one column, stands in all of these lists. Without a list, all rows.
    pub fn new(key: impl Into<Column>, lists: impl IntoIterator<Item = PostingList>) -> Self {
        let key = key.into();
        Self {
            key: key.expr(),
            name: format!("{}.{}", key.table(), key.name()),
            table: Query::select().from(key.table_iden().clone()).take(),
            lists: lists.into_iter().collect(),
        }
    }
}
