//! Writes that others are in the way of.

use std::time::Duration;

use bookends_server::config::{Limits, Settings};
use sea_orm::{
    ConnectionTrait, DatabaseTransaction, DbBackend, SqliteTransactionMode, TransactionOptions, TransactionTrait,
};
use testdb::TestDb;

use crate::support::station::{self, SMALL, Station, settings};

/// Another server on the same database.
async fn other(station: &Station) -> Station {
    // On PostgreSQL a quarter of the connections is for writes: none of three writes waits for one.
    let settings = Settings { database_connections: 16, ..settings(&station.test.url) };
    let db = station::connect(&settings).await.unwrap();
    Station::over(db, Limits::DEFAULT, TestDb::new().await)
}

/// Holds what every write needs.
async fn hold(station: &Station) -> DatabaseTransaction {
    let options = TransactionOptions {
        sqlite_transaction_mode: Some(SqliteTransactionMode::Immediate),
        ..TransactionOptions::default()
    };
    let held = station.db.writer.begin_with_options(options).await.unwrap();
    held.execute_unprepared("UPDATE sensor SET year = year").await.unwrap();
    held
}

#[tokio::test]
async fn a_write_that_stays_blocked_is_a_conflict() {
    let station = Station::new(SMALL).await;
    let [sensor, ..] = station.first_of_each().await;
    let other = other(&station).await;
    // Others wait for their turn behind the first.
    let held = hold(&station).await;
    let update = format!("mutation {{ updateSensor(input: {{ id: {sensor:?}, year: 7 }}) {{ sensor {{ year }} }} }}");
    let codes = tokio::join!(other.code(&update), other.code(&update), other.code(&update));
    assert_eq!(codes, ("CONFLICT".into(), "CONFLICT".into(), "CONFLICT".into()));
    held.rollback().await.unwrap();
    assert_eq!(other.data(&update).await["updateSensor"]["sensor"]["year"], 7, "nothing is left of the tries");
}

#[tokio::test]
async fn a_blocked_write_is_retried() {
    let station = Station::new(SMALL).await;
    let [sensor, ..] = station.first_of_each().await;
    let other = other(&station).await;
    let held = hold(&station).await;
    let update = format!("mutation {{ updateSensor(input: {{ id: {sensor:?}, year: 7 }}) {{ sensor {{ year }} }} }}");
    // One try waits for the lock no longer than five seconds, and on SQLite a tenth of one: what succeeds after that was tried again.
    let is_sqlite = station.db.writer.get_database_backend() == DbBackend::Sqlite;
    let leaving = async {
        tokio::time::sleep(Duration::from_millis(if is_sqlite { 300 } else { 6000 })).await;
        held.rollback().await.unwrap();
    };
    let (data, ()) = tokio::join!(other.data(&update), leaving);
    assert_eq!(data["updateSensor"]["sensor"]["year"], 7);
}
