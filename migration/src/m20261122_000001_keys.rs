//! Keys that hold their time: every key of a book, a rating and an order is a UUIDv7 from before the year 10000.
//!
//! `createdAt` is read from the key. Of another version it would be a random time; from the year 10000 on, it would not
//! be RFC 3339.
//!
//! PostgreSQL also gets `bookends_ulid()`: 48 bits of milliseconds and 80 random bits, for tables of your own. Its keys
//! have no version, so the tables here refuse them.
//!
//! SQLite gets a default, for rows that other programs insert: a UUIDv7 with 74 random bits. Making one needs SQLite 3.42
//! or newer; opening the file does not. A table of SQLite gets no constraint and no default of this kind by
//! `ALTER TABLE`. Its definition is replaced in the schema, as SQLite documents for changes that leave the stored rows
//! as they are (<https://sqlite.org/lang_altertable.html#otheralter>). No row is copied, and every index, trigger and
//! foreign key stays.

use crate::change::Change;

pub fn change() -> Change {
    let each = |text: fn(&str) -> String| TABLES.map(text).concat();
    Change {
        up_postgres: [ULID_POSTGRES, &each(refuse_postgres), &each(constrain_postgres)].concat(),
        up_sqlite: refuse_sqlite() + &redefine(BEFORE_SQLITE, &after_sqlite()),
        down_postgres: [&each(release_postgres), "DROP FUNCTION bookends_ulid();"].concat(),
        down_sqlite: redefine(&after_sqlite(), BEFORE_SQLITE),
    }
}

const TABLES: [&str; 3] = ["book", "book_rating", "book_order"];

/// Version, variant, and a time before 253,402,300,800,000 milliseconds, which begin the year 10000.
const IS_V7_POSTGRES: &str = "get_byte(uuid_send(id), 6) >> 4 = 7 AND get_byte(uuid_send(id), 8) >> 6 = 2
        AND id < 'e677d21f-dc00-0000-0000-000000000000'";
const IS_V7_SQLITE: &str = "length(id) = 16 AND substr(id, 7, 1) BETWEEN x'70' AND x'7f'
        AND substr(id, 9, 1) BETWEEN x'80' AND x'bf' AND id < x'e677d21fdc00'";

/// Why a database with other keys is not changed.
const REFUSED: &str = "keys of this table are not UUIDv7 from before the year 10000: give those rows other keys";

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

fn refuse_postgres(table: &str) -> String {
    format!(
        "
DO $do$
DECLARE
    others bigint;
BEGIN
    SELECT count(*) INTO others FROM {table} WHERE NOT ({IS_V7_POSTGRES});
    IF others > 0 THEN
        RAISE EXCEPTION '{table}: % {REFUSED}', others;
    END IF;
END
$do$;
"
    )
}

fn constrain_postgres(table: &str) -> String {
    format!("ALTER TABLE {table} ADD CONSTRAINT {table}_id_is_v7 CHECK ({IS_V7_POSTGRES});\n")
}

fn release_postgres(table: &str) -> String {
    format!("ALTER TABLE {table} DROP CONSTRAINT {table}_id_is_v7;\n")
}

/// In SQLite only a trigger raises an error.
fn refuse_sqlite() -> String {
    let counts =
        TABLES.map(|table| format!("INSERT INTO refused SELECT '{table}', count(*) FROM {table} WHERE NOT ({IS_V7_SQLITE});"));
    format!(
        "
CREATE TABLE refused (name TEXT, keys INTEGER) STRICT;
CREATE TRIGGER refuse BEFORE INSERT ON refused WHEN NEW.keys > 0 BEGIN
    SELECT RAISE(ABORT, NEW.name || ': ' || NEW.keys || ' {REFUSED}');
END;
{}
DROP TABLE refused;
",
        counts.join("\n")
    )
}

const BEFORE_SQLITE: &str = "CHECK (length(id) = 16)";

/// 12 digits of milliseconds, the version, 3 random digits, the variant with 2 random bits, 15 random digits.
fn after_sqlite() -> String {
    format!(
        "DEFAULT (unhex(format('%012x7%.3s%x%.15s', CAST(round(unixepoch('subsec') * 1000) AS INTEGER),
        hex(randomblob(2)), 8 | (random() & 3), hex(randomblob(8)))))
        CONSTRAINT {{table}}_id_is_v7 CHECK ({IS_V7_SQLITE})"
    )
}

/// Replaces a part of the definitions of the tables. The last statements tell every connection to read the schema
/// again: `RESET` this one, and a change of the schema the others.
fn redefine(from: &str, to: &str) -> String {
    let quoted = |text: &str| format!("replace('{}', '{{table}}', name)", text.replace('\'', "''"));
    let tables = TABLES.map(|table| format!("'{table}'")).join(", ");
    format!(
        "
PRAGMA writable_schema = ON;
UPDATE sqlite_schema SET sql = replace(sql, {}, {}) WHERE type = 'table' AND name IN ({tables});
PRAGMA writable_schema = RESET;
CREATE TABLE redefined (id INTEGER) STRICT;
DROP TABLE redefined;
",
        quoted(from),
        quoted(to),
    )
}
