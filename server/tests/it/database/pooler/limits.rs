//! What a statement has behind a pooler that a session has elsewhere.

use std::time::Duration;

use bookends_server::config::Seconds;
use bookends_server::db::Failure;
use keyset::{ReadRows, Record, StoredValue};
use sea_orm::{DbBackend, Statement};

use crate::support::patience::until;
use crate::support::pooled::{pooled, unprepared};
use crate::support::station;

const ENDLESS: &str = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT -i FROM n) SELECT count(*) AS n FROM n";

fn statement(sql: &str) -> Statement {
    Statement::from_string(DbBackend::Postgres, sql)
}

async fn setting(db: &impl ReadRows, name: &str) -> String {
    let rows = db.read(statement(&format!("SELECT current_setting('{name}') AS value"))).await.unwrap();
    match &rows[0] {
        Record::Stored(row) => match row.get(0) {
            StoredValue::Text(value) => value.to_owned(),
            value => panic!("{value:?}"),
        },
        Record::Row(row) => row.try_get_by_index(0).unwrap(),
    }
}

#[tokio::test]
async fn each_transaction_has_its_settings_and_leaves_none() {
    let Some((test, pooler)) = pooled().await else { return };
    let db = station::connect(&unprepared(&pooler.url())).await.unwrap();
    let snapshot = db.reader.snapshot();
    for (name, value) in [("statement_timeout", "30s"), ("enable_incremental_sort", "off"), ("jit", "off")] {
        assert_eq!(setting(&db.reader, name).await, value);
        assert_eq!(setting(&snapshot, name).await, value);
    }
    drop(snapshot);
    // The connections of the pooler are as they were.
    let shared = sea_orm::Database::connect(&test.url).await.unwrap();
    assert_eq!(setting(&shared, "jit").await, "on");
}

#[tokio::test]
async fn a_statement_has_a_time_limit() {
    let Some((_test, pooler)) = pooled().await else { return };
    let mut settings = unprepared(&pooler.url());
    settings.bounds.request_timeout = Seconds(Duration::from_millis(50));
    let db = station::connect(&settings).await.unwrap();
    let alone = db.reader.read(statement(ENDLESS)).await.unwrap_err();
    let first = db.reader.snapshot().read(statement(ENDLESS)).await.unwrap_err();
    assert_eq!([alone, first].map(|error| Failure::of(&error)), [Failure::TimedOut; 2]);
}

/// Otherwise it would hold one of the connections of the pooler.
#[tokio::test]
async fn a_statement_that_was_dropped_stops() {
    let Some((test, pooler)) = pooled().await else { return };
    let db = station::connect(&unprepared(&pooler.url())).await.unwrap();
    let watcher = sea_orm::Database::connect(&test.url).await.unwrap();
    let running = "SELECT count(*) AS n FROM pg_stat_activity
        WHERE datname = current_database() AND state = 'active' AND query LIKE '%RECURSIVE n(i)%' AND pid <> pg_backend_pid()";
    let is_running = async || watcher.read(statement(running)).await.unwrap()[0].count("n").unwrap() > 0;
    let reader = db.reader.clone();
    let endless = tokio::spawn(async move { reader.read(statement(ENDLESS)).await.map(drop) });
    until(is_running).await;
    endless.abort();
    until(async || !is_running().await).await;
    db.reader.read(statement("SELECT 1 AS n")).await.unwrap();
}
