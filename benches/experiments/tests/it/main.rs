//! The experiments at a small scale: the shape of their tables and the work that they count, never time.
//!
//! On SQLite; with `TEST_DATABASE_URL`, on PostgreSQL, too.

mod command;
mod keys;
mod pages;

use experiments::{ALL, Bench, Report, Table};

/// Runs an experiment with so many rows and keys.
async fn report(name: &str, rows: u64) -> Report {
    let experiment = ALL.into_iter().find(|one| one.name == name).unwrap();
    Report::of(experiment, &Bench::open(postgres().as_deref(), rows, rows).await.unwrap()).await.unwrap()
}

#[expect(clippy::disallowed_methods, reason = "the one setting of the tests")]
fn postgres() -> Option<String> {
    std::env::var("TEST_DATABASE_URL").ok()
}

/// Checks that a table has these rows, and a value for each measure of each group, except for those whose row and group
/// are named.
#[track_caller]
fn check_shape(table: &Table, rows: &[&[&str]], absent: &[(&str, &str)]) {
    let labels: Vec<Vec<&str>> = table.rows.iter().map(|row| row.labels.iter().map(String::as_str).collect()).collect();
    assert_eq!(labels, rows, "{}", table.title);
    for row in &table.rows {
        assert_eq!(row.values.len(), table.groups.len());
        for (group, values) in table.groups.iter().zip(&row.values) {
            assert_eq!(values.len(), table.measures.len());
            let is_absent =
                absent.iter().any(|one| row.labels.iter().any(|label| (label.as_str(), group.as_str()) == *one));
            assert!(is_absent || values.iter().all(Option::is_some), "{}: {row:?}, {group}", table.title);
        }
    }
}

/// The value of a measure, which must be there.
#[track_caller]
fn value(table: &Table, labels: &[&str], group: &str, measure: &str) -> f64 {
    table
        .value(labels, group, measure)
        .unwrap_or_else(|| panic!("{labels:?}, {group}, {measure}: {}", table.to_markdown()))
}
