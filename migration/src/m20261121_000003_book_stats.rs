//! What readers and customers gave each book, added up.
//!
//! Lists are ordered by these sums, so they must stand in an index, and triggers keep them in the transaction of every
//! write: by `INSERT`, `UPDATE`, `DELETE` and `COPY`. Both sums are whole numbers, stars and cents, so that no order of
//! additions and subtractions makes a difference.
//!
//! PostgreSQL runs a trigger once for a statement, over all the rows that it touched. First the books are locked, as
//! the foreign keys will do anyway when the transaction ends, then their sums, and each in the order of their ids: so
//! neither two such statements nor one of them and a deletion of the book wait for each other. Writers of one book do
//! wait for each other's commit; under SERIALIZABLE, all but one of them have to try again.
//!
//! The key of a book never changes: its sums refer to it and do not follow.

use crate::change::Change;

pub fn change() -> Change {
    // The indexes before any row: PostgreSQL makes none while foreign keys wait to be checked.
    Change {
        up_postgres: [TABLE_POSTGRES, INDEXES, &COUNTED.map(|c| c.triggers_postgres()).concat(), &books_postgres()].concat(),
        up_sqlite: [TABLE_SQLITE, INDEXES, &COUNTED.map(|c| c.triggers_sqlite()).concat(), &books_sqlite()].concat(),
        down_postgres: DOWN_POSTGRES.into(),
        down_sqlite: DOWN_SQLITE.into(),
    }
}

/// A table whose rows are counted and added up for the book that they are of.
#[derive(Clone, Copy)]
pub struct Counted {
    pub table: &'static str,
    /// The column that counts them.
    count: &'static str,
    /// The column that adds them up.
    sum: &'static str,
    /// What a row adds, on each database: a whole number.
    postgres: &'static str,
    sqlite: &'static str,
}

pub const COUNTED: [Counted; 2] = [RATINGS, ORDERS];

const RATINGS: Counted = Counted {
    table: "book_rating",
    count: "rating_count",
    sum: "rating_sum",
    postgres: "rating",
    sqlite: "{row}.rating",
};

const ORDERS: Counted = Counted {
    table: "book_order",
    count: "order_count",
    sum: "revenue_cents",
    postgres: "(total_price * 100)::bigint",
    sqlite: "CAST(round({row}.total_price * 100) AS INTEGER)",
};

impl Counted {
    /// The count and the sum of the rows of a book, with this value of a row.
    fn counted(&self, value: &str, book: &str) -> String {
        let of_book = format!("FROM {} WHERE book_id = {book}.id", self.table);
        format!("(SELECT count(*) {of_book}), (SELECT coalesce(sum({value}), 0) {of_book})")
    }

    fn triggers_postgres(&self) -> String {
        let table = self.table;
        let trigger = |event: &str, rows: &str, name: &str| {
            format!("CREATE TRIGGER {name} AFTER {event} ON {table} {rows} EXECUTE FUNCTION {table}_{name}();\n")
        };
        [
            self.functions_postgres(),
            self.functions_of_changes_postgres(),
            trigger("INSERT", "REFERENCING NEW TABLE AS added", "added"),
            trigger("UPDATE", "REFERENCING NEW TABLE AS added OLD TABLE AS removed", "changed"),
            trigger("DELETE", "REFERENCING OLD TABLE AS removed", "removed"),
            trigger("TRUNCATE", "", "emptied"),
        ]
        .concat()
    }

    /// The functions of its updates and truncations. Additions come first: no sum falls short of its rows in between.
    pub fn functions_of_changes_postgres(&self) -> String {
        let Self { table, count, sum, .. } = self;
        let lock_both = lock(BOTH);
        let changed = format!("{lock_both}{};{};", self.add_postgres(), self.remove_postgres());
        let lock_all = lock(ALL);
        let emptied = format!("{lock_all}\n    UPDATE book_stats SET {count} = 0, {sum} = 0;");
        function(&format!("{table}_changed"), &changed) + &function(&format!("{table}_emptied"), &emptied)
    }

    /// The functions of its insertions and deletions.
    pub fn functions_postgres(&self) -> String {
        let table = self.table;
        let [added, removed] = ["added", "removed"].map(|rows| lock(&format!("SELECT book_id FROM {rows}")));
        function(&format!("{table}_added"), &format!("{added}{};", self.add_postgres()))
            + &function(&format!("{table}_removed"), &format!("{removed}{};", self.remove_postgres()))
    }

    /// A row can come before its book, whose key is checked at the end of the transaction: then the addition makes the
    /// sums, and the book finds them there.
    pub fn add_postgres(&self) -> String {
        let Self { count, sum, postgres: value, .. } = self;
        format!(
            "
    INSERT INTO book_stats AS stats (book_id, {count}, {sum})
    SELECT book_id, count(*), sum({value}) FROM added GROUP BY book_id ORDER BY book_id
    ON CONFLICT (book_id) DO UPDATE
        SET {count} = stats.{count} + excluded.{count}, {sum} = stats.{sum} + excluded.{sum}"
        )
    }

    /// A row can outlive its book: then there is nothing to remove it from.
    pub fn remove_postgres(&self) -> String {
        let Self { count, sum, postgres: value, .. } = self;
        format!(
            "
    UPDATE book_stats AS stats SET {count} = stats.{count} - gone.count, {sum} = stats.{sum} - gone.sum
    FROM (SELECT book_id, count(*) AS count, sum({value}) AS sum FROM removed GROUP BY book_id) AS gone
    WHERE stats.book_id = gone.book_id"
        )
    }

    fn triggers_sqlite(&self) -> String {
        let Self { table, count, sum, .. } = self;
        let value = |row| self.sqlite.replace("{row}", row);
        let [new, old] = ["NEW", "OLD"].map(value);
        let add =
            format!("UPDATE book_stats SET {count} = {count} + 1, {sum} = {sum} + {new} WHERE book_id = NEW.book_id");
        let remove =
            format!("UPDATE book_stats SET {count} = {count} - 1, {sum} = {sum} - {old} WHERE book_id = OLD.book_id");
        format!(
            "
CREATE TRIGGER {table}_added AFTER INSERT ON {table} BEGIN {add}; END;
CREATE TRIGGER {table}_changed AFTER UPDATE ON {table} BEGIN {add}; {remove}; END;
CREATE TRIGGER {table}_removed AFTER DELETE ON {table} BEGIN {remove}; END;
"
        )
    }
}

/// The books of a change, and all of them.
pub const BOTH: &str = "SELECT book_id FROM added UNION SELECT book_id FROM removed";
pub const ALL: &str = "SELECT id FROM book";

/// Locks these books, then their sums.
pub fn lock(books: &str) -> String {
    lock_books(books)
        + &format!("\n    PERFORM FROM book_stats WHERE book_id IN ({books}) ORDER BY book_id FOR NO KEY UPDATE;")
}

pub fn lock_books(books: &str) -> String {
    format!("\n    PERFORM FROM book WHERE id IN ({books}) ORDER BY id FOR KEY SHARE;")
}

fn function(name: &str, body: &str) -> String {
    format!(
        "
CREATE OR REPLACE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN{body}
    RETURN NULL;
END $$;
"
    )
}

const TABLE_POSTGRES: &str = "
CREATE TABLE book_stats (
    book_id        uuid PRIMARY KEY REFERENCES book (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
    rating_count   integer NOT NULL DEFAULT 0,
    rating_sum     bigint NOT NULL DEFAULT 0,
    order_count    integer NOT NULL DEFAULT 0,
    revenue_cents  bigint NOT NULL DEFAULT 0,
    average_rating double precision
        GENERATED ALWAYS AS (rating_sum::double precision / nullif(rating_count, 0)) STORED,
    total_revenue  numeric(20, 2) GENERATED ALWAYS AS (CASE WHEN order_count > 0 THEN revenue_cents / 100.0 END) STORED
);
";

const TABLE_SQLITE: &str = "
CREATE TABLE book_stats (
    book_id        BLOB NOT NULL PRIMARY KEY REFERENCES book (id) ON DELETE CASCADE,
    rating_count   INTEGER NOT NULL DEFAULT 0,
    rating_sum     INTEGER NOT NULL DEFAULT 0,
    order_count    INTEGER NOT NULL DEFAULT 0,
    revenue_cents  INTEGER NOT NULL DEFAULT 0,
    average_rating REAL GENERATED ALWAYS AS (rating_sum * 1.0 / nullif(rating_count, 0)) STORED,
    total_revenue  REAL GENERATED ALWAYS AS (CASE WHEN order_count > 0 THEN revenue_cents / 100.0 END) STORED
) STRICT, WITHOUT ROWID;
";

/// Every book has sums. They are counted when it is inserted, because its rows can be there before it: where it is
/// deleted and inserted again in one transaction, or replaced.
fn books_postgres() -> String {
    format!(
        "{}
CREATE TRIGGER stats AFTER INSERT ON book REFERENCING NEW TABLE AS added EXECUTE FUNCTION book_added();

INSERT INTO book_stats (book_id, {COLUMNS}) SELECT id, {} FROM book;
",
        books_function_postgres(),
        counts_postgres("book"),
    )
}

/// The function of the insertions of books.
pub fn books_function_postgres() -> String {
    function("book_added", &format!("{};", add_books_postgres()))
}

pub fn add_books_postgres() -> String {
    format!(
        "
    INSERT INTO book_stats (book_id, {COLUMNS}) SELECT id, {} FROM added
    ON CONFLICT (book_id) DO UPDATE SET ({COLUMNS}) = ({EXCLUDED})",
        counts_postgres("added"),
    )
}

fn counts_postgres(row: &str) -> String {
    COUNTED.map(|counted| counted.counted(counted.postgres, row)).join(", ")
}

fn books_sqlite() -> String {
    let counts = |row: &str| {
        let value = |counted: Counted| counted.sqlite.replace("{row}.", "");
        COUNTED.map(|counted| counted.counted(&value(counted), row)).join(", ")
    };
    format!(
        "
CREATE TRIGGER book_added AFTER INSERT ON book BEGIN
    INSERT INTO book_stats (book_id, {COLUMNS}) VALUES (NEW.id, {})
    ON CONFLICT (book_id) DO UPDATE SET ({COLUMNS}) = ({EXCLUDED});
END;

INSERT INTO book_stats (book_id, {COLUMNS}) SELECT id, {} FROM book;
",
        counts("NEW"),
        counts("book"),
    )
}

const COLUMNS: &str = "rating_count, rating_sum, order_count, revenue_cents";
const EXCLUDED: &str = "excluded.rating_count, excluded.rating_sum, excluded.order_count, excluded.revenue_cents";

const INDEXES: &str = "
CREATE INDEX book_stats_by_average_rating ON book_stats (average_rating, book_id);
CREATE INDEX book_stats_by_average_rating_against_id ON book_stats (average_rating, book_id DESC);
CREATE INDEX book_stats_by_total_revenue ON book_stats (total_revenue, book_id);
CREATE INDEX book_stats_by_total_revenue_against_id ON book_stats (total_revenue, book_id DESC);
";

const DOWN_POSTGRES: &str = "
DROP TRIGGER stats ON book;
DROP TABLE book_stats;
DROP FUNCTION book_added();
DROP FUNCTION book_rating_added() CASCADE;
DROP FUNCTION book_rating_changed() CASCADE;
DROP FUNCTION book_rating_removed() CASCADE;
DROP FUNCTION book_rating_emptied() CASCADE;
DROP FUNCTION book_order_added() CASCADE;
DROP FUNCTION book_order_changed() CASCADE;
DROP FUNCTION book_order_removed() CASCADE;
DROP FUNCTION book_order_emptied() CASCADE;
";

const DOWN_SQLITE: &str = "
DROP TRIGGER book_added;
DROP TRIGGER book_rating_added;
DROP TRIGGER book_rating_changed;
DROP TRIGGER book_rating_removed;
DROP TRIGGER book_order_added;
DROP TRIGGER book_order_changed;
DROP TRIGGER book_order_removed;
DROP TABLE book_stats;
";
