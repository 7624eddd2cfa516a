//! Removes from PostgreSQL what titles were searched by before there were postings: the column of words, its index and its
//! functions. Readers wait for this change alone, and not while the titles are folded. SQLite has removed it already.

use crate::change::{Change, lock_postgres};
use crate::m20261121_000004_book_search as search;

pub fn change() -> Change {
    let before = search::change();
    let lock = lock_postgres(&["book"], "ACCESS EXCLUSIVE");
    Change {
        up_postgres: lock.clone() + &before.down_postgres,
        up_sqlite: String::new(),
        down_postgres: lock + &before.up_postgres,
        down_sqlite: String::new(),
    }
}
