//! The folding of titles on SQLite, nested less.
//!
//! The triggers had one `replace()` in another, 38 deep. SQLite before 3.46 parses no more than a hundred levels, to
//! which each of them comes several times: its tools could not open the file. Here a few stand in each other, and what
//! they give is a column of the next few.

use crate::change::Change;
use crate::m20261121_000004_book_search::{LETTERS, triggers_sqlite};

pub fn change() -> Change {
    Change {
        up_postgres: String::new(),
        up_sqlite: DROP.to_owned() + &triggers_sqlite(&folded_sql()),
        down_postgres: String::new(),
        down_sqlite: DROP.to_owned() + &triggers_sqlite(&crate::m20261121_000004_book_search::folded_sql("NEW.name")),
    }
}

const DROP: &str = "DROP TRIGGER book_named; DROP TRIGGER book_renamed;";

/// How many stand in each other.
const NESTED: usize = 8;

/// The title of a new row, folded: `(SELECT replace(…text…) FROM (SELECT replace(…NEW.name…) AS text))`
fn folded_sql() -> String {
    let few = |text: String, letters: &[(&str, &str)]| {
        letters.iter().fold(text, |text, (letter, base)| format!("replace({text}, '{letter}', '{base}')"))
    };
    let mut groups = LETTERS.chunks(NESTED);
    let first = groups.next().map_or_else(|| "NEW.name".into(), |letters| few("NEW.name".into(), letters));
    groups.fold(format!("(SELECT {first})"), |inner, letters| {
        let folded = few("text".into(), letters);
        format!("(SELECT {folded} FROM (SELECT {inner} AS text))")
    })
}
