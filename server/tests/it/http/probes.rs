//! Probes.

use std::time::Instant;

use axum::Router;
use axum::body::Body;
use axum::http::{Request, StatusCode};
use bookends_server::config::{Bounds, Limits};
use bookends_server::db::{Db, Probe, Replicas, Storage};
use bookends_server::http::{Access, Server};
use sea_orm::ConnectionTrait;
use testdb::{Statements, TestDb};

use crate::support::patience::until;
use crate::support::served::{router, routes, send};
use crate::support::station::{self, empty, settings};

/// The response of a server on this database.
pub async fn probe(db: &Db, path: &str) -> (StatusCode, String) {
    ask(routes(station::api(db.clone(), Limits::DEFAULT), Access::Nobody), path).await
}

async fn ask(router: Router, path: &str) -> (StatusCode, String) {
    send(router, Request::get(path).body(Body::empty()).unwrap()).await
}

pub fn unready(reason: &str) -> (StatusCode, String) {
    (StatusCode::SERVICE_UNAVAILABLE, format!("{reason}\n"))
}

/// Waits until `/ready` responds this. A result is reused for a second.
pub async fn says(db: &Db, answer: (StatusCode, String)) {
    until(async || probe(db, "/ready").await == answer).await;
}

#[tokio::test]
async fn a_server_without_its_database_is_alive_but_not_ready() {
    let (_test, db) = empty().await;
    assert_eq!(probe(&db, "/ready").await, (StatusCode::OK, "ready\n".into()));
    db.clone().close().await.unwrap();
    assert_eq!(probe(&db, "/health").await, (StatusCode::OK, "alive\n".into()));
    says(&db, unready("the database does not answer")).await;
    assert_eq!(probe(&db, "/metrics").await.0, StatusCode::OK);
}

#[tokio::test]
async fn a_server_is_ready_on_a_schema_with_all_its_migrations() {
    let test = TestDb::new().await;
    let db = station::connect(&settings(&test.url)).await.unwrap();
    let behind = unready("the database schema is not up to date");
    assert_eq!(probe(&db, "/ready").await, behind, "there are no tables");
    db.migrate().await.unwrap();
    says(&db, (StatusCode::OK, "ready\n".into())).await;
    // The last migration is reverted.
    db.migrate_down(1).await.unwrap();
    says(&db, behind).await;
    // As a newer version leaves it while this one still runs.
    db.migrate().await.unwrap();
    let newer = "INSERT INTO seaql_migrations (version, applied_at) VALUES ('m99991231_000001_later', 0)";
    db.writer.execute_unprepared(newer).await.unwrap();
    says(&db, (StatusCode::OK, "ready\n".into())).await;
}

#[tokio::test]
async fn the_database_is_asked_at_most_once_per_second() {
    let (_test, mut db) = empty().await;
    let statements = Statements::default();
    db.reader.set_metric_callback(statements.recorder());
    let migrations = station::application().migrations().clone();
    let probe = Probe::new(db.reader.clone(), Storage::default(), Replicas::default(), migrations);
    let begun = Instant::now();
    for _ in 0..100 {
        probe.ready().await.unwrap();
    }
    // However slow the machine is.
    let most = 1 + usize::try_from(begun.elapsed().as_secs()).unwrap();
    let asked = statements.take().iter().filter(|statement| statement.sql.contains("seaql_migrations")).count();
    assert!((1..=most).contains(&asked), "{asked} times");
}

#[tokio::test]
async fn a_server_that_stops_is_not_ready() {
    let (_test, db) = empty().await;
    let server = Server::new(station::api(db, Limits::DEFAULT), Access::Nobody, Bounds::DEFAULT);
    assert_eq!(ask(router(&server), "/ready").await.0, StatusCode::OK);
    server.sockets().stop();
    assert_eq!(
        ask(router(&server), "/ready").await,
        (StatusCode::SERVICE_UNAVAILABLE, "the server is stopping\n".into())
    );
}

#[tokio::test]
async fn a_server_is_not_ready_while_no_connection_can_be_acquired() {
    let (_test, db) = empty().await;
    let mut held = Vec::new();
    while !db.reader.usage().is_exhausted() {
        held.push(db.reader.begin().await.unwrap());
    }
    assert_eq!(probe(&db, "/ready").await, unready("no database connection can be acquired"));
    assert_eq!(probe(&db, "/health").await.0, StatusCode::OK);
    held.pop();
    says(&db, (StatusCode::OK, "ready\n".into())).await;
}
