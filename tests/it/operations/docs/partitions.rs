//! The SQL of docs/partitions.md is that of the files beside it, which `tests/it/partitions` runs.

use super::{blocks, is_update, read, update};

const DOCUMENT: &str = "docs/partitions.md";

/// The files that the document shows, in its order.
const SHOWN: [&str; 3] = ["hash", "drop", "next"];

/// Those to which it only leads.
const LINKED: [&str; 4] = ["procedures", "range", "foreign-remote", "foreign"];

fn has_link(document: &str, file: &str) -> bool {
    document.contains(&format!("](partitions/{file}.sql)"))
}

#[test]
fn the_document_shows_the_sql_of_its_files() {
    let document = read(DOCUMENT);
    let shown: Vec<&str> = blocks(&document, "sql").collect();
    assert_eq!(shown.len(), SHOWN.len(), "{shown:#?}");
    for file in SHOWN.into_iter().chain(LINKED) {
        assert!(has_link(&document, file), "{DOCUMENT} has no link to {file}.sql");
    }
    for (shown, file) in shown.into_iter().zip(SHOWN) {
        let sql = read(&format!("docs/partitions/{file}.sql"));
        if shown != sql && is_update() {
            update(DOCUMENT, shown, &sql);
        } else {
            assert_eq!(shown, sql, "to correct it: `just docs`");
        }
    }
}
