//! Counters: the number of rows of a table, which triggers keep, so that `totalCount` reads no row.
//!
//! `bookends advise` prints the statements that create one. Its table is named after the counted one, and is no object.

use std::collections::HashMap;
use std::fmt::Write as _;

use bookends_server::keyset::Kept;
use sea_orm::DbBackend;

use crate::catalog::{Catalog, quoted};

/// What the name of a counter begins with.
const PREFIX: &str = "bookends_count_";

/// The column with a part of the number.
const ROWS: &str = "rows";

/// Takes the counters out of a catalogue, by the tables that they count.
pub fn take(catalog: &mut Catalog) -> HashMap<String, Kept> {
    let names: Vec<String> = catalog.tables.iter().map(|table| table.name.clone()).collect();
    let mut counters = HashMap::new();
    catalog.tables.retain(|table| {
        let counted = table.name.strip_prefix(PREFIX).filter(|counted| names.iter().any(|name| name == counted));
        let of = table.table();
        match (counted, of.column(ROWS)) {
            (Some(counted), Some(rows)) => {
                counters.insert(counted.to_owned(), Kept::sum_of(rows.clone()));
                false
            }
            _ => true,
        }
    });
    counters
}

/// The statements that create the counter of a table.
pub fn create(table: &str, backend: DbBackend) -> String {
    let counter = format!("{PREFIX}{table}");
    let [table, counter] = [table, &counter].map(quoted);
    let trigger = |event: &str| format!("{}_{event}\"", counter.trim_end_matches('"'));
    let text = if backend == DbBackend::Postgres {
        postgres(&table, &counter, &trigger)
    } else {
        sqlite(&table, &counter, &trigger)
    };
    format!("BEGIN;\n{text}COMMIT;\n")
}

/// Writers of different sessions mostly add to different rows, and do not wait for each other.
fn postgres(table: &str, counter: &str, trigger: &impl Fn(&str) -> String) -> String {
    let mut text = format!(
        "LOCK TABLE {table} IN SHARE ROW EXCLUSIVE MODE;
CREATE TABLE {counter} (slot integer PRIMARY KEY, rows bigint NOT NULL);
INSERT INTO {counter} SELECT 0, count(*) FROM {table};
CREATE FUNCTION {counter}() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    changed bigint := 0;
BEGIN
    IF TG_OP = 'TRUNCATE' THEN
        UPDATE {counter} SET rows = 0;
        RETURN NULL;
    END IF;
    SELECT count(*) INTO changed FROM changed_rows;
    IF TG_OP = 'DELETE' THEN changed := -changed; END IF;
    INSERT INTO {counter} AS c VALUES (pg_backend_pid() % 16, changed)
        ON CONFLICT (slot) DO UPDATE SET rows = c.rows + EXCLUDED.rows;
    RETURN NULL;
END $$;
"
    );
    for (event, transition) in [
        ("insert", " REFERENCING NEW TABLE AS changed_rows"),
        ("delete", " REFERENCING OLD TABLE AS changed_rows"),
        ("truncate", ""),
    ] {
        let _ = writeln!(
            text,
            "CREATE TRIGGER {} AFTER {} ON {table}{transition} FOR EACH STATEMENT EXECUTE FUNCTION {counter}();",
            trigger(event),
            event.to_uppercase()
        );
    }
    text
}

fn sqlite(table: &str, counter: &str, trigger: &impl Fn(&str) -> String) -> String {
    let mut text = format!(
        "CREATE TABLE {counter} (slot integer PRIMARY KEY, rows bigint NOT NULL);
INSERT INTO {counter} SELECT 0, count(*) FROM {table};
"
    );
    for (event, change) in [("insert", "+ 1"), ("delete", "- 1")] {
        let _ = writeln!(
            text,
            "CREATE TRIGGER {} AFTER {} ON {table} BEGIN UPDATE {counter} SET rows = rows {change}; END;",
            trigger(event),
            event.to_uppercase()
        );
    }
    text
}
