//! Transactions in which the engine alone writes.

use sea_orm::{ConnectionTrait, DbBackend, Statement};

use crate::support::station::{SMALL, Station, engine};

const DELETE: &str = "DELETE FROM reading";

async fn readings(station: &Station) -> u64 {
    station.count("readings").await.as_u64().unwrap()
}

/// An error or a panic drops it, and so does a server that stops.
#[tokio::test]
async fn a_transaction_that_is_dropped_is_rolled_back() {
    let station = Station::new(SMALL).await;
    let (before, backend) = (readings(&station).await, station.db.writer.get_database_backend());
    for _ in 0..4 {
        let mut dropped = engine(&station.db).await;
        assert_eq!(dropped.write(Statement::from_string(backend, DELETE)).await.unwrap(), before);
        drop(dropped);
        // Its connection begins another one.
        let mut empty = engine(&station.db).await;
        let rows = empty.read(Statement::from_string(backend, "SELECT count(*) AS rows FROM reading")).await.unwrap();
        assert_eq!(rows[0].count("rows").unwrap(), before);
        empty.commit().await.unwrap();
    }
    assert_eq!(readings(&station).await, before);
    // Without a statement, nothing has begun.
    engine(&station.db).await.commit().await.unwrap();
    engine(&station.db).await.rollback().await.unwrap();
}

/// The statement that follows would take effect at once.
#[tokio::test]
async fn nothing_is_written_where_a_transaction_cannot_begin() {
    let station = Station::new(SMALL).await;
    if station.db.writer.get_database_backend() == DbBackend::Sqlite {
        return;
    }
    let before = readings(&station).await;
    let nobody = bookends_server::db::Role::new("nobody of this name", "{}").unwrap();
    let permit = station.db.permit().await.unwrap();
    let mut refused =
        station.db.begin_write(permit, Some(&nobody), Some(bookends_server::db::Blocking::Yes)).await.unwrap();
    refused.write(Statement::from_string(DbBackend::Postgres, DELETE)).await.unwrap_err();
    drop(refused);
    assert_eq!(readings(&station).await, before);
}

/// As a trigger does that writes to a table of each month.
#[tokio::test]
async fn a_row_that_a_trigger_puts_elsewhere_is_created() {
    let station = Station::new(SMALL).await;
    if station.db.writer.get_database_backend() == DbBackend::Sqlite {
        return;
    }
    for sql in [
        "CREATE TABLE elsewhere (LIKE sensor)",
        "CREATE FUNCTION elsewhere() RETURNS trigger LANGUAGE plpgsql AS \
            $$ BEGIN INSERT INTO elsewhere SELECT NEW.*; RETURN NULL; END $$",
        "CREATE TRIGGER elsewhere BEFORE INSERT ON sensor FOR EACH ROW EXECUTE FUNCTION elsewhere()",
    ] {
        station.db.writer.execute_unprepared(sql).await.unwrap();
    }
    station.data("mutation { createSensor(input: { name: \"x\", year: 1 }) { clientMutationId } }").await;
    let mut transaction = engine(&station.db).await;
    let count = Statement::from_string(DbBackend::Postgres, "SELECT count(*) AS rows FROM elsewhere");
    assert_eq!(transaction.read(count).await.unwrap()[0].count("rows").unwrap(), 1);
}
