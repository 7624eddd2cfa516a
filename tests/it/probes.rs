//! What those are told who watch the server.

use std::io::{Read, Write};
use std::net::TcpStream;

use axum::body::Body;
use axum::http::{Request, StatusCode};
use bookends::config::Limits;
use bookends::db::Db;
use bookends::graphql::Api;
use bookends::server::{Access, router};
use migration::{Migrator, MigratorTrait};
use sea_orm::ConnectionTrait;
use testdb::TestDb;
use tower::ServiceExt;

use crate::program::{LONG, Program, bookends};
use crate::shop::{empty, settings};

/// What a path says of a server on this database.
async fn probe(db: &Db, path: &str) -> (StatusCode, String) {
    let router = router(Api::new(db.clone(), Limits::DEFAULT), Access::Nobody);
    let response = router.oneshot(Request::get(path).body(Body::empty()).unwrap()).await.unwrap();
    let status = response.status();
    let body = axum::body::to_bytes(response.into_body(), usize::MAX).await.unwrap();
    (status, String::from_utf8(body.to_vec()).unwrap())
}

#[tokio::test]
async fn a_server_is_alive_and_not_ready_when_its_database_is_gone() {
    let (_test, db) = empty().await;
    assert_eq!(probe(&db, "/ready").await, (StatusCode::OK, "ready\n".into()));
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
    assert_eq!(probe(&db, "/ready").await.0, StatusCode::OK);
    Migrator::down(&db.writer, Some(1)).await.unwrap();
    assert_eq!(probe(&db, "/ready").await, behind, "the last change was taken back");
    db.migrate().await.unwrap();
    // As the next version leaves it, while this one goes on running.
    let newer = "INSERT INTO seaql_migrations (version, applied_at) VALUES ('m99991231_000001_later', 0)";
    db.writer.execute_unprepared(newer).await.unwrap();
    assert_eq!(probe(&db, "/ready").await.0, StatusCode::OK);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_stops_is_not_ready() {
    let test = TestDb::new().await;
    let mut program = Program::start(&mut bookends(&test.url));
    let address = program.address();
    let mut socket = TcpStream::connect(&address).unwrap();
    assert!(ready(&mut socket).starts_with("HTTP/1.1 200"));
    program.signal("-TERM");
    program.says("told to stop");
    let answer = ready(&mut socket);
    assert!(answer.starts_with("HTTP/1.1 503") && answer.ends_with("the server stops\n"), "{answer}");
    assert!(program.ends_within(LONG).success());
}

/// Asks on a connection that is kept.
fn ready(socket: &mut TcpStream) -> String {
    socket.set_read_timeout(Some(LONG)).unwrap();
    socket.write_all(b"GET /ready HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
    let mut bytes = [0; 4096];
    let mut answer = String::new();
    while !answer.ends_with("ready\n") && !answer.ends_with("stops\n") {
        let read = socket.read(&mut bytes).unwrap();
        assert!(read > 0, "{answer}");
        answer.push_str(std::str::from_utf8(&bytes[..read]).unwrap());
    }
    answer
}
