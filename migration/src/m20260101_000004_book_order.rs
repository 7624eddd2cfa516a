//! What customers paid for the books.

use crate::change::Change;

pub fn change() -> Change {
    Change {
        up_postgres: UP_POSTGRES.into(),
        up_sqlite: UP_SQLITE.into(),
        down_postgres: "DROP TABLE book_order".into(),
        down_sqlite: "DROP TABLE book_order".into(),
    }
}

const UP_POSTGRES: &str = "
CREATE TABLE book_order (
    id          uuid PRIMARY KEY DEFAULT uuidv7(),
    total_price numeric(10, 2) NOT NULL CHECK (total_price >= 0),
    book_id     uuid NOT NULL REFERENCES book (id) DEFERRABLE INITIALLY DEFERRED
);

-- ORDER BY total_price, id: both ways
CREATE INDEX book_order_by_total_price ON book_order (total_price, id);
-- of one book, ORDER BY id: both ways
CREATE INDEX book_order_of_book ON book_order (book_id, id);
";

const UP_SQLITE: &str = "
CREATE TABLE book_order (
    id          BLOB NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    -- whole cents: a double holds every one of them so closely that it reads back exactly
    total_price REAL NOT NULL
        CHECK (total_price BETWEEN 0 AND 99999999.99 AND total_price = round(total_price, 2)),
    book_id     BLOB NOT NULL REFERENCES book (id)
) STRICT, WITHOUT ROWID;

-- ORDER BY total_price, id: both ways
CREATE INDEX book_order_by_total_price ON book_order (total_price, id);
-- of one book, ORDER BY id: both ways
CREATE INDEX book_order_of_book ON book_order (book_id, id);
";
