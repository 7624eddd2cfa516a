//! The books.

use crate::change::Change;

pub fn change() -> Change {
    Change {
        up_postgres: UP_POSTGRES.into(),
        up_sqlite: UP_SQLITE.into(),
        down_postgres: "DROP TABLE book".into(),
        down_sqlite: "DROP TABLE book".into(),
    }
}

const UP_POSTGRES: &str = "
CREATE TABLE book (
    id   uuid PRIMARY KEY DEFAULT uuidv7(),
    name varchar(100) NOT NULL CHECK (name <> ''),
    year integer NOT NULL CHECK (year BETWEEN -9999 AND 9999)
);

-- ORDER BY name, id: both ways
CREATE INDEX book_by_name ON book (name, id);
-- ORDER BY year, id: both ways
CREATE INDEX book_by_year ON book (year, id);
";

const UP_SQLITE: &str = "
CREATE TABLE book (
    id   BLOB NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    name TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 100),
    year INTEGER NOT NULL CHECK (year BETWEEN -9999 AND 9999)
) STRICT, WITHOUT ROWID;

-- ORDER BY name, id: both ways
CREATE INDEX book_by_name ON book (name, id);
-- ORDER BY year, id: both ways
CREATE INDEX book_by_year ON book (year, id);
";
