//! Imports point down: ARCHITECTURE.md has the layers.

use std::fs;
use std::path::{Path, PathBuf};

/// A part of the workspace, and what it does not name.
const RULES: &[(&[&str], &[&str])] = &[
    (&["keyset/src"], &["async_graphql", "axum", "bookends_", "entity::book"]),
    (&["graphql/src"], &["axum", "bookends_server", "entity::book"]),
    (&["cli/src"], &["axum", "bookshop", "entity::book", " migration::"]),
    (&["server/src"], &["bookends::", "bookshop", "entity::book", " migration::"]),
    (
        &["server/src/db.rs", "server/src/db", "server/src/events.rs", "server/src/events"],
        &["async_graphql", "axum", "crate::request", "crate::mutation", "crate::http", "crate::app"],
    ),
    (&["server/src/request.rs", "server/src/request"], &["axum", "crate::mutation", "crate::http", "crate::app"]),
    (
        &["server/src/mutation.rs", "server/src/mutation", "server/src/subscription.rs"],
        &["axum", "crate::http", "crate::app"],
    ),
    (&["server/src/http.rs", "server/src/http"], &["sea_orm", "sqlx", "crate::run"]),
    (&["src"], &["axum::serve", "tower"]),
];

/// The files of a folder and of those below it.
fn files(place: &Path, found: &mut Vec<PathBuf>) {
    if place.is_dir() {
        for entry in fs::read_dir(place).unwrap() {
            files(&entry.unwrap().path(), found);
        }
    } else {
        found.push(place.to_owned());
    }
}

#[test]
fn layers_name_only_what_is_below_them() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut wrong = Vec::new();
    for (places, names) in RULES {
        let mut found = Vec::new();
        places.iter().for_each(|place| files(&root.join(place), &mut found));
        assert!(!found.is_empty(), "{places:?}");
        for file in found {
            let text = fs::read_to_string(&file).unwrap();
            let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
            let named = code.filter(|line| names.iter().any(|name| line.contains(name)));
            wrong.extend(named.map(|line| format!("{}: {}", file.strip_prefix(root).unwrap().display(), line.trim())));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
