//! A book that is deleted and inserted again in one transaction is locked like any other before its sums are.
//!
//! A statement that waits for the lock of such a book finds, when the other transaction commits, that the row is gone. The new
//! row is not of its snapshot. It went on to the sums of the book, and came to lock the book at its end, with the foreign key:
//! the next deletion had the book meanwhile, and waited for the sums. Now it looks again, until it has every book that it sees.
//! Each turn has a snapshot of its own, and follows a wait: what one transaction deletes is not seen by the next turn.
//!
//! SQLite has one writer at a time.

use crate::change::Change;
use crate::m20261121_000003_book_stats::{ALL, BOTH, COUNTED, lock_books};
use crate::m20261123_000001_counts::functions_postgres;

pub fn change() -> Change {
    let before = functions_postgres() + &COUNTED.map(|counted| counted.functions_of_changes_postgres()).concat();
    let books = ["SELECT book_id FROM added", "SELECT book_id FROM removed", BOTH, ALL];
    let up = books.iter().fold(before.clone(), |text, books| text.replace(&lock_books(books), &lock_all(books)));
    Change { up_postgres: up, up_sqlite: String::new(), down_postgres: before, down_sqlite: String::new() }
}

fn lock_all(books: &str) -> String {
    format!(
        "
    LOOP
        EXIT WHEN (SELECT count(*) FROM (SELECT FROM book WHERE id IN ({books}) ORDER BY id FOR KEY SHARE) AS locked)
            = (SELECT count(*) FROM book WHERE id IN ({books}));
    END LOOP;"
    )
}
