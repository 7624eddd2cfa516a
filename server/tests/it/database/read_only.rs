//! Databases that can only be read: a replica of PostgreSQL, a SQLite file that is opened for reading.

use async_graphql::futures_util::stream::StreamExt;
use async_graphql::{Executor, Request};
use axum::http::StatusCode;
use bookends_server::Api;
use bookends_server::config::Limits;
use bookends_server::db::Db;
use keyset::ReadRows;
use sea_orm::DbBackend;
use serde_json::Value;
#[cfg(unix)]
use testdb::Cluster;
use testdb::TestDb;
use tokio::time::timeout;

use crate::http::probes::says;
use crate::support::program::{LONG, Program};
use crate::support::station::{self, SMALL, Station, permitted, settings};
use crate::support::wire::{ask, get, post};

/// The same database, for reading.
fn read_only(url: &str) -> String {
    match url.split_once("?mode=rwc") {
        Some((file, "")) => format!("{file}?mode=ro"),
        _ => {
            format!("{url}{}options=-c%20default_transaction_read_only%3Don", if url.contains('?') { '&' } else { '?' })
        }
    }
}

const READY: &str = "ready, but the database is read-only: mutations fail with READ_ONLY\n";

#[tokio::test]
async fn a_read_only_database_serves_reads() {
    let station = Station::new(SMALL).await;
    let (db, api) = serves_reads(&read_only(&station.test.url), station.data(LISTS).await).await;
    assert_eq!(station.count("sensors").await, 8);
    if db.reader.backend() == DbBackend::Sqlite {
        is_silent(&api).await;
    }
    says(&station.db, (StatusCode::OK, "ready\n".into())).await;
}

#[cfg(unix)]
#[tokio::test]
async fn a_replica_serves_reads_and_no_events() {
    let Some(primary) = Cluster::start(&[]) else { return };
    let db = station::connect(&settings(&primary.url(""))).await.unwrap();
    db.migrate().await.unwrap();
    station::fill(&db, SMALL).await.unwrap();
    let expected = station::api(db, Limits::DEFAULT).query(LISTS.to_owned()).await;
    let replica = primary.replica();
    let (_db, api) = serves_reads(&replica.url(""), serde_json::to_value(expected.data).unwrap()).await;
    is_silent(&api).await;
    let program = Program::start(&mut station::program(&replica.url("")));
    assert_eq!(ask(&program.address(), get("/ready")).body, READY);
}

const LISTS: &str = "{ sensors(first: 2) { totalCount nodes { name readings(first: 2) { nodes { value } } } } }";

/// Queries have this result, and mutations an error.
async fn serves_reads(url: &str, expected: Value) -> (Db, Api) {
    let db = station::connect(&settings(url)).await.unwrap();
    db.migrate().await.unwrap();
    let api = station::api(db.clone(), Limits::DEFAULT);
    let execute = async |text: &str| {
        let answer = api.execute(permitted(Request::new(text))).await;
        serde_json::to_value(answer).unwrap()
    };
    assert_eq!(execute(LISTS).await["data"], expected);
    let refused = execute(r#"mutation { createSensor(input: { name: "x", year: 0 }) { clientMutationId } }"#).await;
    assert_eq!(refused["errors"][0]["extensions"]["code"], "READ_ONLY", "{refused}");
    says(&db, (StatusCode::OK, READY.into())).await;
    (db, api)
}

/// A subscription has an error.
async fn is_silent(api: &Api) {
    let request = Request::new("subscription { readingCreated { node { id } } }");
    let refused = timeout(LONG, Executor::execute_stream(api, request, None).next()).await.unwrap().unwrap();
    let refused = serde_json::to_value(refused).unwrap();
    assert_eq!(refused["errors"][0]["extensions"]["code"], "READ_ONLY", "{refused}");
}

#[tokio::test]
async fn a_server_starts_on_a_read_only_database() {
    let test = TestDb::new().await;
    assert!(station::program(&test.url).args(["migrate", "up"]).output().unwrap().status.success());
    let program = Program::start(&mut station::program(&read_only(&test.url)));
    let said = program.says_until("open http://");
    assert!(said.iter().any(|line| line == "the database is read-only: mutations fail with READ_ONLY"), "{said:#?}");
    let address = crate::support::program::address_of(said.last().unwrap());
    let answer = ask(&address, post(r#"{"query":"{ sensors { totalCount } }"}"#));
    assert_eq!(answer.body, r#"{"data":{"sensors":{"totalCount":0}}}"#, "nothing was filled");
    assert_eq!(ask(&address, get("/ready")).body, READY);
}

#[tokio::test]
async fn a_server_does_not_start_on_an_old_schema_that_it_cannot_change() {
    let test = TestDb::new().await;
    for steps in ["up", "down"] {
        assert!(station::program(&test.url).args(["migrate", steps]).output().unwrap().status.success());
    }
    let mut program = Program::start(&mut station::program(&read_only(&test.url)));
    program.says("station: the schema is not up to date and the database is read-only: run the command `migrate up`");
    assert!(!program.ends_within(LONG).success());
}
