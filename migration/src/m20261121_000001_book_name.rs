//! Titles that sort the same on every database, and fit into a cursor.
//!
//! Titles are compared by code point: by the database's own collation PostgreSQL would order them unlike SQLite, and
//! otherwise again on the next server. And a title has at most 300 bytes, which is a hundred characters of three bytes
//! each: with a value of each other sort and an id beside it, that is what a cursor of 512 characters has room for.

use crate::change::Change;

pub fn change() -> Change {
    Change {
        up_postgres: UP_POSTGRES.into(),
        up_sqlite: UP_SQLITE.into(),
        down_postgres: DOWN_POSTGRES.into(),
        down_sqlite: "ALTER TABLE book DROP COLUMN name_bytes".into(),
    }
}

const UP_POSTGRES: &str = r#"
ALTER TABLE book
    ALTER COLUMN name TYPE varchar(100) COLLATE "C",
    ADD CONSTRAINT book_name_bytes CHECK (octet_length(name) <= 300);
"#;

const DOWN_POSTGRES: &str = r#"
ALTER TABLE book
    DROP CONSTRAINT book_name_bytes,
    ALTER COLUMN name TYPE varchar(100) COLLATE "default";
"#;

// SQLite adds no constraint to a table that exists, other than with a column; this one takes no room.
const UP_SQLITE: &str = "
ALTER TABLE book ADD COLUMN
    name_bytes INTEGER GENERATED ALWAYS AS (length(CAST(name AS BLOB))) VIRTUAL CHECK (name_bytes <= 300)
";
