//! What those are told who watch the server.

use std::time::Instant;

use axum::Router;
use axum::body::Body;
use axum::http::{Request, StatusCode};
use bookends::config::{Bounds, Limits};
use bookends::db::{Db, Probe};
use bookends::graphql::Api;
use bookends::server::{Access, Capacity, bounded, router};
use migration::{Migrator, MigratorTrait};
use sea_orm::{ConnectionTrait, TransactionTrait};
use testdb::{Statements, TestDb};

use crate::http::send;
use crate::patience::until;
use crate::served::routes;
use crate::shop::{empty, settings};

/// What a path says of a server on this database.
async fn probe(db: &Db, path: &str) -> (StatusCode, String) {
    ask(routes(Api::new(db.clone(), Limits::DEFAULT), Access::Nobody), path).await
}

async fn ask(router: Router, path: &str) -> (StatusCode, String) {
    send(router, Request::get(path).body(Body::empty()).unwrap()).await
}

fn unready(reason: &str) -> (StatusCode, String) {
    (StatusCode::SERVICE_UNAVAILABLE, format!("{reason}\n"))
}

/// Waits until `/ready` says this. What it said last it says for a second more.
async fn says(db: &Db, answer: (StatusCode, String)) {
    until(async || probe(db, "/ready").await == answer).await;
}

#[tokio::test]
async fn a_server_is_alive_and_not_ready_when_its_database_is_gone() {
    let (_test, db) = empty().await;
    assert_eq!(probe(&db, "/ready").await, (StatusCode::OK, "ready\n".into()));
    db.clone().close().await.unwrap();
    assert_eq!(probe(&db, "/health").await, (StatusCode::OK, "alive\n".into()));
    says(&db, unready("the database does not answer")).await;
    assert_eq!(probe(&db, "/metrics").await.0, StatusCode::OK);
}

#[tokio::test]
async fn a_server_is_ready_on_a_schema_that_has_all_it_needs() {
    let test = TestDb::new().await;
    let db = Db::connect(&settings(&test.url)).await.unwrap();
    let behind = unready("the schema of the database is not up to date");
    assert_eq!(probe(&db, "/ready").await, behind, "there are no tables");
    db.migrate().await.unwrap();
    says(&db, (StatusCode::OK, "ready\n".into())).await;
    // The last change is taken back.
    Migrator::down(&db.writer, Some(1)).await.unwrap();
    says(&db, behind).await;
    // As the next version leaves it, while this one goes on running.
    db.migrate().await.unwrap();
    let newer = "INSERT INTO seaql_migrations (version, applied_at) VALUES ('m99991231_000001_later', 0)";
    db.writer.execute_unprepared(newer).await.unwrap();
    says(&db, (StatusCode::OK, "ready\n".into())).await;
}

#[tokio::test]
async fn the_database_is_asked_once_a_second_at_most() {
    let (test, _db) = empty().await;
    let mut connection = test.connect().await;
    let statements = Statements::record(&mut connection);
    let (probe, begun) = (Probe::new(connection), Instant::now());
    for _ in 0..100 {
        probe.ready().await.unwrap();
    }
    // However long the machine took for it.
    let most = 1 + usize::try_from(begun.elapsed().as_secs()).unwrap();
    assert!((1..=most).contains(&statements.take().len()));
}

#[tokio::test]
async fn a_server_that_stops_is_not_ready() {
    let (_test, db) = empty().await;
    let capacity = Capacity::new(&Bounds::DEFAULT);
    let routes = router(Api::new(db, Limits::DEFAULT), Access::Nobody);
    let routes = bounded(routes, &Bounds::DEFAULT, &capacity);
    assert_eq!(ask(routes.clone(), "/ready").await.0, StatusCode::OK);
    capacity.sockets.stop();
    assert_eq!(ask(routes, "/ready").await, (StatusCode::SERVICE_UNAVAILABLE, "the server stops\n".into()));
}

/// Those who are busy are not sick.
#[tokio::test]
async fn a_server_whose_connections_are_all_in_use_is_ready() {
    let (_test, db) = empty().await;
    let mut held = Vec::new();
    while let Ok(transaction) = db.reader.begin().await {
        held.push(transaction);
    }
    assert_eq!(probe(&db, "/ready").await.0, StatusCode::OK);
}
