//! A schema that a newer version has changed, while this one still runs.

use bookends_server::db::{Db, MigrateError};
use testdb::TestDb;

use crate::support::expanded::{LATER, expand, record};

use crate::support::program::{Program, address_of, fails, succeeds};
use crate::support::station::{self, empty};
use crate::support::wire::{ask, get, post, write};

/// An empty database that a newer version has expanded.
async fn expanded() -> (TestDb, Db) {
    let (test, db) = empty().await;
    expand(&db, &["sensor", "reading", "repair"]).await;
    (test, db)
}

#[tokio::test]
async fn a_server_starts_on_a_schema_that_a_newer_version_has_expanded() {
    let (test, db) = expanded().await;
    db.close().await.unwrap();
    let program = Program::start(&mut station::program(&test.url));
    let said = program.says_until("open http://");
    let warns = |line: &&String| line.contains("the schema is newer than this version") && line.contains(LATER);
    assert_eq!(said.iter().filter(warns).count(), 1, "{said:#?}");
    let address = address_of(said.last().unwrap());
    assert_eq!(ask(&address, get("/ready")).body, "ready\n");
    let add =
        r#"{"query":"mutation { createSensor(input: { name: \"x\", year: 1 }) { sensorEdge { node { name } } } }"}"#;
    assert_eq!(ask(&address, write(add)).body, r#"{"data":{"createSensor":{"sensorEdge":{"node":{"name":"x"}}}}}"#);
    let found = ask(&address, post(r#"{"query":"{ sensors(last: 1) { totalCount nodes { name } } }"}"#));
    assert_eq!(found.body, r#"{"data":{"sensors":{"totalCount":101,"nodes":[{"name":"x"}]}}}"#);
}

#[tokio::test]
async fn migrate_up_leaves_a_newer_schema_as_it_is_and_status_shows_it() {
    let (test, db) = expanded().await;
    db.close().await.unwrap();
    let before = succeeds(station::program(&test.url).args(["migrate", "status"]));
    assert_eq!(before.lines().last(), Some(&*format!("unknown  {LATER}")), "{before}");
    assert_eq!(succeeds(station::program(&test.url).args(["migrate", "up"])), before);
}

#[tokio::test]
async fn migrate_down_refuses_what_it_does_not_know_and_reverts_nothing() {
    let (test, db) = expanded().await;
    assert!(matches!(db.migrate_down(1).await, Err(MigrateError::Irreversible(unknown)) if unknown == [LATER]));
    let before = db.history().await.unwrap();
    assert_eq!(before.pending, Vec::<String>::new());
    let down = "revert them with the version that applied them: m99991231_000001_later";
    fails(station::program(&test.url).args(["migrate", "down"]), down);
    assert_eq!(db.history().await.unwrap(), before);
}

#[tokio::test]
async fn a_schema_of_another_line_of_versions_is_refused() {
    let (test, db) = empty().await;
    record(&db, "m20260101_000001_zzz").await;
    assert!(matches!(db.migrate().await, Err(MigrateError::Foreign(_))), "it is among those of this version");
    fails(&mut station::program(&test.url), "which do not follow those of this version: m20260101_000001_zzz");

    let (_test, db) = empty().await;
    db.migrate_down(1).await.unwrap();
    record(&db, LATER).await;
    let before = db.history().await.unwrap();
    assert!(matches!(db.migrate().await, Err(MigrateError::Foreign(_))), "it lacks one of this version");
    assert_eq!(db.history().await.unwrap(), before);
}
