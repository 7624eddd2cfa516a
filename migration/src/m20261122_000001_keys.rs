//! Keys that hold their time: every key of a book, a rating and an order is a UUIDv7 from before the year 10000.
//!
//! `createdAt` is read from the key. Of another version it would be a random time; from the year 10000 on, it would not
//! be RFC 3339.
//!
//! PostgreSQL also gets `bookends_ulid()`: 48 bits of milliseconds and 80 random bits, for tables of your own. Its keys
//! have no version, so the tables here refuse them. The constraints hold for new rows only: the next change checks the
//! stored ones, which takes long in a large table and does not need the locks of this change.
//!
//! SQLite gets a default, for rows that other programs insert: a UUIDv7 with 74 random bits. Making one needs SQLite 3.42
//! or newer; opening the file does not. `ALTER TABLE` of SQLite cannot add a constraint or such a default. The definition
//! is replaced in the schema, as SQLite documents for changes that leave the stored rows as they are
//! (<https://sqlite.org/lang_altertable.html#otheralter>). No row is copied, and every index, trigger and foreign key
//! stays.

use crate::change::{Change, lock_postgres};

pub fn change() -> Change {
    let each = |text: fn(&str) -> String| TABLES.map(text).concat();
    Change {
        up_postgres: [ULID_POSTGRES, &lock_postgres(&TABLES, "ACCESS EXCLUSIVE"), &each(constrain_postgres)].concat(),
        up_sqlite: refuse_sqlite() + &redefine(BEFORE_SQLITE, &after_sqlite()),
        down_postgres: [&lock_postgres(&TABLES, "ACCESS EXCLUSIVE"), &each(release_postgres), "DROP FUNCTION bookends_ulid();"].concat(),
        down_sqlite: redefine(&after_sqlite(), BEFORE_SQLITE),
    }
}

pub const TABLES: [&str; 3] = ["book_rating", "book_order", "book"];

/// Version, variant, and a time before 253,402,300,800,000 milliseconds, which begin the year 10000.
pub const IS_V7_POSTGRES: &str = "get_byte(uuid_send(id), 6) >> 4 = 7 AND get_byte(uuid_send(id), 8) >> 6 = 2
        AND id < 'e677d21f-dc00-0000-0000-000000000000'";
const IS_V7_SQLITE: &str = "length(id) = 16 AND substr(id, 7, 1) BETWEEN x'70' AND x'7f'
        AND substr(id, 9, 1) BETWEEN x'80' AND x'bf' AND id < x'e677d21fdc00'";

/// Why a table with such keys is refused. Their number follows.
pub fn refused(table: &str) -> String {
    format!("keys in {table} that are not UUIDv7, or not from before the year 10000: ")
}

// One call of `gen_random_uuid()`: bytes 6 and 8 of what it makes hold its version and its variant.
const ULID_POSTGRES: &str = "
CREATE FUNCTION bookends_ulid() RETURNS uuid LANGUAGE sql VOLATILE PARALLEL SAFE AS $body$
    SELECT encode(
        substring(int8send(floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint) FROM 3)
            || substring(random FROM 1 FOR 6) || substring(random FROM 13),
        'hex')::uuid
    FROM (SELECT uuid_send(gen_random_uuid()) AS random) AS made
$body$;
";

fn constrain_postgres(table: &str) -> String {
    format!("ALTER TABLE {table} ADD CONSTRAINT {table}_id_is_v7 CHECK ({IS_V7_POSTGRES}) NOT VALID;\n")
}

fn release_postgres(table: &str) -> String {
    format!("ALTER TABLE {table} DROP CONSTRAINT {table}_id_is_v7;\n")
}

fn refuse_sqlite() -> String {
    let counts = TABLES.map(|table| {
        let refused = refused(table);
        format!("SELECT '{refused}' || count(*) FROM {table} WHERE NOT ({IS_V7_SQLITE}) HAVING count(*) > 0")
    });
    raise_sqlite(&counts.join(" UNION ALL "))
}

/// Fails with the first row of a query, if there is one. In SQLite only a trigger raises an error.
fn raise_sqlite(query: &str) -> String {
    format!(
        "
CREATE TABLE refused (reason TEXT) STRICT;
CREATE TRIGGER refuse BEFORE INSERT ON refused BEGIN
    SELECT RAISE(ABORT, NEW.reason);
END;
INSERT INTO refused {query};
DROP TABLE refused;
"
    )
}

const BEFORE_SQLITE: &str = "CHECK (length(id) = 16)";

/// 12 digits of milliseconds, the version, 3 random digits, the variant with 2 random bits, 15 random digits. NULL, which
/// the column refuses, where SQLite cannot tell the milliseconds.
fn after_sqlite() -> String {
    format!(
        "DEFAULT (CASE WHEN unixepoch('subsec') IS NOT NULL THEN
        unhex(format('%012x7%.3s%x%.15s', CAST(round(unixepoch('subsec') * 1000) AS INTEGER),
        hex(randomblob(2)), 8 | (random() & 3), hex(randomblob(8)))) END)
        CONSTRAINT {{table}}_id_is_v7 CHECK ({IS_V7_SQLITE})"
    )
}

/// Replaces a part of the definitions of the tables, and fails if a definition does not have it. `RESET` tells this
/// connection to read the schema again; the table that is created and dropped after it tells the others.
fn redefine(from: &str, to: &str) -> String {
    let quoted = |text: &str| format!("replace('{}', '{{table}}', name)", text.replace('\'', "''"));
    let tables = format!("type = 'table' AND name IN ({})", TABLES.map(|table| format!("'{table}'")).join(", "));
    let (from, to) = (quoted(from), quoted(to));
    let kept = format!(
        "SELECT 'the definition of ' || name || ' does not have ' || {from} FROM sqlite_schema
        WHERE {tables} AND instr(sql, {to}) = 0"
    );
    format!(
        "
PRAGMA writable_schema = ON;
UPDATE sqlite_schema SET sql = replace(sql, {from}, {to}) WHERE {tables};
PRAGMA writable_schema = RESET;
{}",
        raise_sqlite(&kept)
    )
}
