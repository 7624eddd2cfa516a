//! What readers and customers gave each book, added up.
//!
//! Lists are ordered by these sums, so they must stand in an index, and triggers keep them in the transaction of every
//! write: by `INSERT`, `UPDATE`, `DELETE` and `COPY`. Both sums are whole numbers, stars and cents, so that no order of
//! additions and subtractions makes a difference.
//!
//! PostgreSQL runs a trigger once for a statement, over all the rows that it touched. The sums of several books are
//! always locked in the order of their ids, so that two such statements cannot wait for each other.

use crate::change::Change;

pub fn change() -> Change {
    let counted = [RATINGS, ORDERS];
    // The indexes before any row: PostgreSQL makes none while foreign keys wait to be checked.
    Change {
        up_postgres: [TABLE_POSTGRES, INDEXES, &counted.map(|c| c.triggers_postgres()).concat(), BOOKS_POSTGRES].concat(),
        up_sqlite: [TABLE_SQLITE, INDEXES, &counted.map(|c| c.triggers_sqlite()).concat(), BOOKS_SQLITE].concat(),
        down_postgres: DOWN_POSTGRES.into(),
        down_sqlite: DOWN_SQLITE.into(),
    }
}

/// A table whose rows are counted and added up for the book that they are of.
#[derive(Clone, Copy)]
struct Counted {
    table: &'static str,
    /// The column that counts them.
    count: &'static str,
    /// The column that adds them up.
    sum: &'static str,
    /// What a row adds, on each database: a whole number.
    postgres: &'static str,
    sqlite: &'static str,
}

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
    /// Additions come first: no sum falls short of its rows in between.
    ///
    /// A row can come before its book, whose key is checked at the end of the transaction: then the addition makes the
    /// sums, and the book finds them there. A row can outlive its book, too: then there is nothing to remove it from.
    fn triggers_postgres(&self) -> String {
        let Self { table, count, sum, postgres: value, .. } = self;
        let add = format!(
            "
    INSERT INTO book_stats AS stats (book_id, {count}, {sum})
    SELECT book_id, count(*), sum({value}) FROM added GROUP BY book_id ORDER BY book_id
    ON CONFLICT (book_id) DO UPDATE
        SET {count} = stats.{count} + excluded.{count}, {sum} = stats.{sum} + excluded.{sum};"
        );
        let remove = format!(
            "
    UPDATE book_stats AS stats SET {count} = stats.{count} - gone.count, {sum} = stats.{sum} - gone.sum
    FROM (SELECT book_id, count(*) AS count, sum({value}) AS sum FROM removed GROUP BY book_id) AS gone
    WHERE stats.book_id = gone.book_id;"
        );
        let lock = |books| {
            format!("\n    PERFORM FROM book_stats WHERE book_id IN ({books}) ORDER BY book_id FOR NO KEY UPDATE;")
        };
        let lock_old = lock("SELECT book_id FROM removed");
        let lock_both = lock("SELECT book_id FROM added UNION SELECT book_id FROM removed");
        let trigger = |event: &str, rows: &str, name: &str, body: &str| {
            format!(
                "
CREATE FUNCTION {table}_{name}() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN{body}
    RETURN NULL;
END $$;
CREATE TRIGGER {name} AFTER {event} ON {table} {rows} EXECUTE FUNCTION {table}_{name}();
"
            )
        };
        [
            trigger("INSERT", "REFERENCING NEW TABLE AS added", "added", &add),
            trigger(
                "UPDATE",
                "REFERENCING NEW TABLE AS added OLD TABLE AS removed",
                "changed",
                &[lock_both, add.clone(), remove.clone()].concat(),
            ),
            trigger("DELETE", "REFERENCING OLD TABLE AS removed", "removed", &[lock_old, remove].concat()),
            trigger("TRUNCATE", "", "emptied", &format!("\n    UPDATE book_stats SET {count} = 0, {sum} = 0;")),
        ]
        .concat()
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

/// Every book has sums. One that is deleted and inserted again in one transaction keeps its rows, which are counted.
const BOOKS_POSTGRES: &str = "
CREATE FUNCTION book_added() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO book_stats (book_id, rating_count, rating_sum, order_count, revenue_cents)
    SELECT id, ratings.count, ratings.sum, orders.count, orders.sum
    FROM added,
        LATERAL (SELECT count(*) AS count, coalesce(sum(rating), 0) AS sum
                 FROM book_rating WHERE book_id = added.id) AS ratings,
        LATERAL (SELECT count(*) AS count, coalesce(sum((total_price * 100)::bigint), 0) AS sum
                 FROM book_order WHERE book_id = added.id) AS orders
    ON CONFLICT (book_id) DO NOTHING;
    RETURN NULL;
END $$;

CREATE TRIGGER stats AFTER INSERT ON book REFERENCING NEW TABLE AS added EXECUTE FUNCTION book_added();

INSERT INTO book_stats (book_id) SELECT id FROM book;
UPDATE book_stats AS stats SET rating_count = r.count, rating_sum = r.sum
FROM (SELECT book_id, count(*) AS count, sum(rating) AS sum FROM book_rating GROUP BY book_id) AS r
WHERE r.book_id = stats.book_id;
UPDATE book_stats AS stats SET order_count = o.count, revenue_cents = o.cents
FROM (SELECT book_id, count(*) AS count, sum((total_price * 100)::bigint) AS cents
      FROM book_order GROUP BY book_id) AS o
WHERE o.book_id = stats.book_id;
";

const BOOKS_SQLITE: &str = "
CREATE TRIGGER book_added AFTER INSERT ON book BEGIN INSERT INTO book_stats (book_id) VALUES (NEW.id); END;

INSERT INTO book_stats (book_id) SELECT id FROM book;
UPDATE book_stats SET rating_count = r.count, rating_sum = r.sum
FROM (SELECT book_id, count(*) AS count, sum(rating) AS sum FROM book_rating GROUP BY book_id) AS r
WHERE r.book_id = book_stats.book_id;
UPDATE book_stats SET order_count = o.count, revenue_cents = o.cents
FROM (SELECT book_id, count(*) AS count, sum(CAST(round(total_price * 100) AS INTEGER)) AS cents
      FROM book_order GROUP BY book_id) AS o
WHERE o.book_id = book_stats.book_id;
";

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
