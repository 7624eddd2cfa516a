//! What those are told who watch the server.

use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::http::{Request, StatusCode};
use bookends::config::{Bounds, Limits};
use bookends::db::Db;
use bookends::graphql::Api;
use bookends::server::{Access, Capacity, bounded, router};
use migration::{Migrator, MigratorTrait};
use sea_orm::{ConnectionTrait, TransactionTrait};
use testdb::TestDb;
use tokio::time::sleep;
use tower::ServiceExt;

use crate::served::routes;
use crate::shop::{empty, settings};

/// What a path says of a server on this database.
async fn probe(db: &Db, path: &str) -> (StatusCode, String) {
    ask(routes(Api::new(db.clone(), Limits::DEFAULT), Access::Nobody), path).await
}

async fn ask(router: Router, path: &str) -> (StatusCode, String) {
    let response = router.oneshot(Request::get(path).body(Body::empty()).unwrap()).await.unwrap();
    let status = response.status();
    let body = axum::body::to_bytes(response.into_body(), usize::MAX).await.unwrap();
    (status, String::from_utf8(body.to_vec()).unwrap())
}

#[tokio::test]
async fn a_server_is_alive_and_not_ready_when_its_database_is_gone() {
    let (_test, db) = empty().await;
    assert_eq!(probe(&db, "/ready").await, (StatusCode::OK, "ready\n".into()));
    sleep(Duration::from_millis(1100)).await;
    db.clone().close().await.unwrap();
    assert_eq!(probe(&db, "/health").await, (StatusCode::OK, "alive\n".into()));
    let unready = (StatusCode::SERVICE_UNAVAILABLE, "the database does not answer\n".to_owned());
    assert_eq!(probe(&db, "/ready").await, unready);
    assert_eq!(probe(&db, "/metrics").await.0, StatusCode::OK);
}

#[tokio::test]
async fn a_server_is_ready_on_a_schema_that_has_all_it_needs() {
    let test = TestDb::new().await;
    let db = Db::connect(&settings(&test.url)).await.unwrap();
    let behind = (StatusCode::SERVICE_UNAVAILABLE, "the schema of the database is not up to date\n".to_owned());
    assert_eq!(probe(&db, "/ready").await, behind, "there are no tables");
    db.migrate().await.unwrap();
    // What has been found out is not asked again at once.
    assert_eq!(probe(&db, "/ready").await, behind);
    sleep(Duration::from_millis(1100)).await;
    assert_eq!(probe(&db, "/ready").await.0, StatusCode::OK);
    Migrator::down(&db.writer, Some(1)).await.unwrap();
    sleep(Duration::from_millis(1100)).await;
    assert_eq!(probe(&db, "/ready").await, behind, "the last change was taken back");
    db.migrate().await.unwrap();
    sleep(Duration::from_millis(1100)).await;
    // As the next version leaves it, while this one goes on running.
    let newer = "INSERT INTO seaql_migrations (version, applied_at) VALUES ('m99991231_000001_later', 0)";
    db.writer.execute_unprepared(newer).await.unwrap();
    assert_eq!(probe(&db, "/ready").await.0, StatusCode::OK);
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
