//! The stored keys hold their time, too: PostgreSQL checks those that are older than the constraints.
//!
//! The check reads the tables, and blocks neither readers nor writers. So it is a change, and a transaction, of its own.
//! No row with such a key can come meanwhile. On SQLite the change before checked them.

use crate::change::Change;
use crate::m20261122_000001_keys::{IS_V7_POSTGRES, TABLES, refused};

pub fn change() -> Change {
    Change {
        up_postgres: TABLES.map(validate_postgres).concat(),
        up_sqlite: String::new(),
        down_postgres: String::new(),
        down_sqlite: String::new(),
    }
}

/// Counts first: the error of the database names no row, and no number.
fn validate_postgres(table: &str) -> String {
    let refused = refused(table);
    format!(
        "
DO $do$
DECLARE
    others bigint;
BEGIN
    SELECT count(*) INTO others FROM {table} WHERE NOT ({IS_V7_POSTGRES});
    IF others > 0 THEN
        RAISE EXCEPTION '{refused}%', others;
    END IF;
END
$do$;
ALTER TABLE {table} VALIDATE CONSTRAINT {table}_id_is_v7;
"
    )
}
