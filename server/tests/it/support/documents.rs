//! The documents of the repository, and the parts of them that derive from the code.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// The path of a file of the repository.
pub fn path(name: &str) -> PathBuf {
    let mut folders = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors();
    folders.find(|folder| folder.join("docs").exists()).unwrap().join(name)
}

/// The text of a document.
pub fn read(name: &str) -> String {
    fs::read_to_string(path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Whether to correct the documents instead of failing.
#[expect(clippy::disallowed_methods, reason = "a setting of the tests, not of the server")]
pub fn is_update() -> bool {
    std::env::var_os("UPDATE_DOCS").is_some()
}

/// Replaces a part of a document.
pub fn update(name: &str, old: &str, new: &str) {
    // Tests run at the same time, and several correct the same document.
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let _guard = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    fs::write(path(name), read(name).replacen(old, new, 1)).unwrap();
}

/// The rows of the table under a heading of a document, without its own head.
pub fn rows(document: &str, heading: &str) -> Vec<String> {
    let text = read(document);
    let (_, section) = text.split_once(&format!("\n## {heading}\n")).unwrap();
    let section = section.split_once("\n## ").map_or(section, |(section, _)| section);
    section.lines().filter(|line| line.starts_with('|')).skip(2).map(str::to_owned).collect()
}

/// Says which rows to add, and which to remove; or does it.
#[track_caller]
pub fn same(document: &str, heading: &str, found: &[String], expected: &[String]) {
    if found != expected && is_update() {
        return update(document, &found.join("\n"), &expected.join("\n"));
    }
    let without = |rows: &[String], others: &[String]| -> Vec<String> {
        rows.iter().filter(|row| !others.contains(row)).cloned().collect()
    };
    let (missing, strange) = (without(expected, found), without(found, expected));
    assert!(
        missing.is_empty() && strange.is_empty(),
        "{document}, {heading}: add\n\n{}\n\nand remove\n\n{}\n\nor run `just docs`",
        missing.join("\n"),
        strange.join("\n")
    );
    assert_eq!(found, expected, "{document}, {heading}: the order of the rows");
}

/// The same for rows that end with advice, which the code does not have.
#[track_caller]
pub fn same_but_advice(document: &str, heading: &str, expected: &[String]) {
    let found = rows(document, heading);
    let advice = |row: &str| {
        let name = row.split(" | ").next();
        let known = found.iter().find(|found| found.split(" | ").next() == name);
        known.map_or("|", |found| found.rsplit_once(" | ").unwrap().1).to_owned()
    };
    let expected: Vec<String> = expected.iter().map(|row| format!("{row} | {}", advice(row))).collect();
    same(document, heading, &found, &expected);
    assert!(!expected.iter().any(|row| row.ends_with(" | |")), "{document}, {heading}: a row without advice");
}
