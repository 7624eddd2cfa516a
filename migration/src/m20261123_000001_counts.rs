//! How many books, ratings and orders there are: the sum of the rows of `book_count`, `book_rating_count` and
//! `book_order_count`, which triggers keep in the transaction of every write.
//!
//! On PostgreSQL a writer waits for no other one. Each session has a row of its own, and adds to it at the end of each
//! statement. It remembers where the row stands (`ctid`) in a setting of the session, which a rollback sets back, too. So
//! the row is found at once, however many old versions of it a long transaction keeps alive. Where another writer has
//! the row locked or removed, the session begins a new one. A row that another session has meanwhile put in the remembered
//! place is as good.
//!
//! Under REPEATABLE READ and SERIALIZABLE, a row that was changed after the snapshot could not be changed any more. There
//! each transaction has a row of its own, and reads no other.
//!
//! One statement in a hundred adds the rows that are older than the newest 128 into one, those that are free. Only READ
//! COMMITTED can do that. A `TRUNCATE` of the table empties its counter in the same way: for all snapshots. Of ratings or
//! orders alone it needs READ COMMITTED, because it could not empty the sums of books that are newer than its snapshot.
//!
//! SQLite has one writer at a time, and one row for each table.

use crate::change::{Change, lock_postgres};
use crate::m20261121_000003_book_stats::{COUNTED, add_books_postgres, books_function_postgres, lock, lock_books};
use crate::m20261122_000001_keys::TABLES;

pub fn change() -> Change {
    let each = |text: fn(&str) -> String| TABLES.map(text).concat();
    Change {
        // Readers go on while the rows are counted.
        up_postgres: [
            lock_postgres(&TABLES, "SHARE ROW EXCLUSIVE"),
            each(up_postgres),
            functions_postgres(),
            "CREATE TRIGGER removed AFTER DELETE ON book REFERENCING OLD TABLE AS removed EXECUTE FUNCTION book_removed();".into(),
        ]
        .concat(),
        up_sqlite: each(up_sqlite),
        down_postgres: [
            lock_postgres(&TABLES, "ACCESS EXCLUSIVE"),
            COUNTED.map(|counted| counted.functions_postgres()).concat(),
            books_function_postgres(),
            "DROP FUNCTION book_removed() CASCADE;".into(),
            each(down_postgres),
        ]
        .concat(),
        down_sqlite: each(down_sqlite),
    }
}

/// The functions of the sums, with the counters.
///
/// An addition locks the sums without a statement of its own. The rows of `INSERT ... SELECT ... ORDER BY` come in the order
/// of their books, and each is locked as it comes. `UPDATE ... FROM` has no order, so a removal locks the sums first. Those
/// of a removed book go with it.
pub fn functions_postgres() -> String {
    let of_books = COUNTED.map(|counted| {
        let added = lock_books("SELECT book_id FROM added");
        let removed = lock("SELECT book_id FROM removed");
        function(counted.table, "added", "+", &added, &counted.add_postgres())
            + &function(counted.table, "removed", "-", &removed, &counted.remove_postgres())
    });
    of_books.concat()
        + &function("book", "added", "+", "", &add_books_postgres())
        + &function("book", "removed", "-", "", "\n    SELECT")
}

/// The function of a trigger that keeps the sums and the counter in one statement.
///
/// Without a sequential scan, the planner takes the `ctid` also while the counter has one page. A sequential scan would
/// make serializable writers depend on each other.
fn function(table: &str, rows: &str, sign: &str, locks: &str, sums: &str) -> String {
    format!(
        "
CREATE OR REPLACE FUNCTION {table}_{rows}() RETURNS trigger LANGUAGE plpgsql
SET search_path FROM CURRENT SET enable_seqscan = off AS $$
DECLARE
    shared constant boolean := current_setting('transaction_isolation') IN ('read committed', 'read uncommitted');
    setting constant text := CASE WHEN shared THEN 'bookends.{table}_count' ELSE 'bookends.{table}_count_here' END;
    place tid := nullif(current_setting(setting, true), '');
    number bigint;
BEGIN{locks}
    WITH summed AS ({sums}
    ), counted AS (
        UPDATE {table}_count SET rows = rows {sign} (SELECT count(*) FROM {rows})
        WHERE ctid = (
            SELECT ctid FROM {table}_count WHERE ctid = place AND EXISTS (SELECT FROM {rows})
            FOR UPDATE SKIP LOCKED
        ) RETURNING ctid
    )
    SELECT (SELECT count(*) FROM {rows}), (SELECT ctid FROM counted) INTO number, place;
    IF number = 0 THEN
        RETURN NULL;
    END IF;
    IF place IS NULL THEN
        INSERT INTO {table}_count (rows) VALUES (0 {sign} number) RETURNING ctid INTO place;
    END IF;
    place := set_config(setting, place::text, NOT shared)::tid;

    IF shared AND random() < 0.01 THEN
        WITH old AS (
            DELETE FROM {table}_count WHERE ctid = ANY (ARRAY(
                SELECT ctid FROM {table}_count WHERE shard <= (SELECT max(shard) FROM {table}_count) - 128
                FOR UPDATE SKIP LOCKED
            )) RETURNING rows
        )
        INSERT INTO {table}_count (rows) SELECT sum(rows) FROM old HAVING count(*) > 0;
    END IF;
    RETURN NULL;
END $$;
"
    )
}

fn up_postgres(table: &str) -> String {
    format!(
        "
CREATE TABLE {table}_count (
    shard bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    rows  bigint NOT NULL
);

CREATE FUNCTION {table}_uncounted() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    IF current_setting('transaction_isolation') NOT IN ('read committed', 'read uncommitted')
       AND pg_relation_size('book') > 0 THEN
        RAISE EXCEPTION 'TRUNCATE {table} needs the isolation level READ COMMITTED'
            USING ERRCODE = 'feature_not_supported',
                  DETAIL = 'It removes rows of books that are newer than the snapshot, whose sums it could not change.';
    END IF;
    TRUNCATE {table}_count;
    RETURN NULL;
END $$;

CREATE TRIGGER uncounted AFTER TRUNCATE ON {table} EXECUTE FUNCTION {table}_uncounted();

INSERT INTO {table}_count (rows) SELECT count(*) FROM {table};
"
    )
}

fn down_postgres(table: &str) -> String {
    format!(
        "
DROP FUNCTION {table}_uncounted() CASCADE;
DROP TABLE {table}_count;
"
    )
}

fn up_sqlite(table: &str) -> String {
    let add = |change: &str| format!("UPDATE {table}_count SET rows = rows {change} 1 WHERE shard = 0;");
    format!(
        "
CREATE TABLE {table}_count (
    shard INTEGER PRIMARY KEY,
    rows  INTEGER NOT NULL
) STRICT;
INSERT INTO {table}_count (shard, rows) SELECT 0, count(*) FROM {table};
CREATE TRIGGER {table}_counted_in AFTER INSERT ON {table} BEGIN {} END;
CREATE TRIGGER {table}_counted_out AFTER DELETE ON {table} BEGIN {} END;
",
        add("+"),
        add("-"),
    )
}

fn down_sqlite(table: &str) -> String {
    format!(
        "
DROP TRIGGER {table}_counted_in;
DROP TRIGGER {table}_counted_out;
DROP TABLE {table}_count;
"
    )
}
