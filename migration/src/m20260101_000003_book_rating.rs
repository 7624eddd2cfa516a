//! What readers gave the books.

use crate::change::Change;

pub fn change() -> Change {
    Change {
        up_postgres: UP_POSTGRES.into(),
        up_sqlite: UP_SQLITE.into(),
        down_postgres: "DROP TABLE book_rating".into(),
        down_sqlite: "DROP TABLE book_rating".into(),
    }
}

const UP_POSTGRES: &str = "
CREATE TABLE book_rating (
    id      uuid PRIMARY KEY DEFAULT uuidv7(),
    rating  smallint NOT NULL CHECK (rating BETWEEN 1 AND 5),
    book_id uuid NOT NULL REFERENCES book (id) DEFERRABLE INITIALLY DEFERRED
);

-- ORDER BY rating, id: both ways
CREATE INDEX book_rating_by_rating ON book_rating (rating, id);
-- of one book, ORDER BY id: both ways
CREATE INDEX book_rating_of_book ON book_rating (book_id, id);
";

const UP_SQLITE: &str = "
CREATE TABLE book_rating (
    id      BLOB NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    rating  INTEGER NOT NULL CHECK (rating BETWEEN 1 AND 5),
    book_id BLOB NOT NULL REFERENCES book (id)
) STRICT, WITHOUT ROWID;

-- ORDER BY rating, id: both ways
CREATE INDEX book_rating_by_rating ON book_rating (rating, id);
-- of one book, ORDER BY id: both ways
CREATE INDEX book_rating_of_book ON book_rating (book_id, id);
";
