//! `uuidv7()` on PostgreSQL, for rows that are inserted without an id.
//!
//! PostgreSQL 18 brings it; before, this is the function: 48 bits of milliseconds, the version, 12 bits of the fraction
//! of the millisecond (RFC 9562, section 6.2, method 3), then the variant and randomness of a version 4. On SQLite
//! the tables get their default in a later change.

use crate::change::Change;

pub fn change() -> Change {
    Change {
        up_postgres: UP_POSTGRES.into(),
        up_sqlite: String::new(),
        down_postgres: DOWN_POSTGRES.into(),
        down_sqlite: String::new(),
    }
}

const UP_POSTGRES: &str = "
DO $do$
BEGIN
    IF to_regprocedure('pg_catalog.uuidv7()') IS NULL THEN
        CREATE FUNCTION uuidv7() RETURNS uuid LANGUAGE sql VOLATILE PARALLEL SAFE AS $body$
            SELECT encode(
                int8send((micros / 1000) << 16 | 28672 | (micros % 1000) * 4096 / 1000)
                    || substring(uuid_send(gen_random_uuid()) FROM 9),
                'hex')::uuid
            FROM (SELECT floor(extract(epoch FROM clock_timestamp()) * 1000000)::bigint AS micros) AS now
        $body$;
    END IF;
END
$do$
";

const DOWN_POSTGRES: &str = "
DO $do$
BEGIN
    EXECUTE format('DROP FUNCTION IF EXISTS %I.uuidv7()', current_schema());
END
$do$
";
