//! The SQL of docs/partitions.md is that of the files beside it, which `tests/it/partitions` runs.

use super::{blocks, is_update, read, update};

const DOCUMENT: &str = "docs/partitions.md";

/// The files in the order of the document.
const FILES: [&str; 6] = ["hash", "range", "drop", "next", "foreign-remote", "foreign"];

#[test]
fn the_document_shows_the_sql_of_its_files() {
    let document = read(DOCUMENT);
    let shown: Vec<&str> = blocks(&document, "sql").collect();
    assert_eq!(shown.len(), FILES.len(), "{shown:#?}");
    for (shown, file) in shown.into_iter().zip(FILES) {
        let name = format!("partitions/{file}.sql");
        assert!(document.contains(&format!("({name})")), "{DOCUMENT} has no link to {name}");
        let sql = read(&format!("docs/{name}"));
        if shown != sql && is_update() {
            update(DOCUMENT, shown, &sql);
        } else {
            assert_eq!(shown, sql, "to correct it: UPDATE_DOCS=1 cargo test --test it docs");
        }
    }
}
