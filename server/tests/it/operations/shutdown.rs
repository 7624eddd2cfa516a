//! Graceful shutdown, in time.
#![cfg(unix)]

use std::io::Write;
use std::net::TcpStream;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use axum::Router;
use axum::routing::post;
use bookends_server::config::{Bounds, Seconds};
use sea_orm::{ConnectionTrait, DatabaseTransaction, TransactionTrait};
use testdb::TestDb;
use tokio::io::AsyncWriteExt;
use tokio::sync::Notify;

use crate::support::patience::waits_for_lock;
use crate::support::program::{LONG, Program};
use crate::support::served::{Served, heard, post as request};
use crate::support::station;
use crate::support::wire::{Connection, Outcome, post_with};

const QUERY: &str =
    r#"{"query":"{ readings(first: 20, orderBy: { field: VALUE }) { nodes { value sensor { name } } } }"}"#;

/// Every request on a connection that was established gets a response.
#[tokio::test]
async fn no_request_is_lost_when_the_server_stops_under_load() {
    let test = TestDb::new().await;
    let mut program = Program::start(&mut station::program(&test.url));
    let address = program.address();
    let answered = AtomicUsize::new(0);
    // Sends requests until the server closes the connection.
    let client = || {
        while let Some(mut connection) = Connection::open(&address) {
            loop {
                match connection.ask(post_with("", QUERY)) {
                    Outcome::Answered(answer) => {
                        assert!(answer.body.starts_with(r#"{"data":{"readings":{"nodes":[{"#), "{answer:?}");
                        answered.fetch_add(1, Ordering::SeqCst);
                        if !answer.goes_on() {
                            break;
                        }
                    }
                    outcome => panic!("{outcome:?}"),
                }
            }
        }
    };
    std::thread::scope(|scope| {
        let clients: Vec<_> = (0..16).map(|_| scope.spawn(client)).collect();
        let end = Instant::now() + LONG;
        while answered.load(Ordering::SeqCst) < 200 && !clients.iter().any(std::thread::ScopedJoinHandle::is_finished) {
            assert!(Instant::now() < end);
            std::thread::sleep(Duration::from_millis(5));
        }
        program.signal("-TERM");
    });
    assert!(program.ends_within(LONG).success());
    if let Some(file) = test.url.strip_prefix("sqlite://") {
        let wal = format!("{}-wal", file.split('?').next().unwrap());
        assert!(!std::fs::exists(wal).unwrap(), "the write-ahead log is merged into the file");
    }
}

/// Each connection carries one request, so that some are established at every moment of the shutdown.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_connection_is_reset_when_the_server_stops() {
    const CLIENTS: usize = 32;
    for _ in 0..20 {
        let server = Served::new(Router::new().route("/graphql", post(async || "done")), Bounds::DEFAULT).await;
        let answered = AtomicUsize::new(0);
        let client = || {
            while let Some(mut connection) = Connection::open(&server.address) {
                match connection.ask(request("{}")) {
                    Outcome::Answered(_) => answered.fetch_add(1, Ordering::SeqCst),
                    outcome => panic!("after {answered:?} responses: {outcome:?}"),
                };
            }
        };
        tokio::task::block_in_place(|| {
            std::thread::scope(|scope| {
                for _ in 0..CLIENTS {
                    scope.spawn(client);
                }
                let end = Instant::now() + LONG;
                while answered.load(Ordering::SeqCst) < 100 {
                    assert!(Instant::now() < end);
                    std::thread::sleep(Duration::from_millis(1));
                }
                server.stop.send(()).unwrap();
            });
        });
        server.ended.await.unwrap();
    }
}

#[tokio::test]
async fn a_running_request_completes_and_its_connection_closes() {
    let (begun, go_on) = (std::sync::Arc::new(Notify::new()), std::sync::Arc::new(Notify::new()));
    let (notice, wait) = (begun.clone(), go_on.clone());
    let slow = async move || {
        notice.notify_one();
        wait.notified().await;
        "done"
    };
    let server = Served::new(Router::new().route("/graphql", post(slow)), Bounds::DEFAULT).await;
    let mut socket = server.connect().await;
    socket.write_all(request("").replace("Connection: close\r\n", "").as_bytes()).await.unwrap();
    begun.notified().await;
    server.stop.send(()).unwrap();
    // New connections are refused.
    while tokio::net::TcpStream::connect(&server.address).await.is_ok() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    go_on.notify_one();
    let answer = heard(&mut socket).await;
    assert!(answer.ends_with("done") && answer.contains("connection: close"), "{answer}");
    server.ended.await.unwrap();
}

#[tokio::test]
async fn a_request_that_does_not_end_is_aborted() {
    let bounds = Bounds { shutdown_timeout: Seconds(Duration::from_millis(300)), ..Bounds::DEFAULT };
    let begun = std::sync::Arc::new(Notify::new());
    let notice = begun.clone();
    let stuck = async move || {
        notice.notify_one();
        std::future::pending::<()>().await;
    };
    let server = Served::new(Router::new().route("/graphql", post(stuck)), bounds).await;
    let mut socket = server.connect().await;
    socket.write_all(request("").as_bytes()).await.unwrap();
    begun.notified().await;
    server.stop.send(()).unwrap();
    tokio::time::timeout(LONG / 3, server.ended).await.unwrap().unwrap();
    assert_eq!(heard(&mut socket).await, "");
}

#[tokio::test]
async fn a_second_signal_ends_the_program_at_once() {
    let test = TestDb::new().await;
    let mut program = Program::start(&mut station::program(&test.url));
    // An incomplete request.
    let mut socket = TcpStream::connect(program.address()).unwrap();
    write!(socket, "POST /graphql HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n")
        .unwrap();
    program.signal("-TERM");
    program.says("stopping");
    program.signal("-INT");
    assert_eq!(program.ends_within(Duration::from_secs(5)).code(), Some(130));
}

/// On PostgreSQL, a statement can wait for a lock for longer than the shutdown may take.
#[tokio::test]
async fn a_statement_that_waits_for_a_lock_does_not_delay_the_shutdown() {
    let test = TestDb::new().await;
    if test.url.starts_with("sqlite") {
        return;
    }
    let mut program =
        Program::start(station::program(&test.url).env("SHUTDOWN_TIMEOUT", "0.1").env("REQUEST_TIMEOUT", "600"));
    let mut socket = TcpStream::connect(program.address()).unwrap();
    let transaction = locked(&test).await;
    write!(socket, "{}", request(r#"{"query":"{ sensors(first: 1) { nodes { id } } }"}"#)).unwrap();
    waits_for_lock(&test).await;
    program.signal("-TERM");
    assert!(program.ends_within(LONG).success());
    drop(transaction);
}

/// The server reads the sizes of the tables before it accepts requests.
#[tokio::test]
async fn a_lock_on_a_table_does_not_delay_the_end_of_a_start() {
    let test = TestDb::new().await;
    if test.url.starts_with("sqlite") {
        return;
    }
    let mut program = Program::start(&mut station::program(&test.url));
    program.address();
    program.signal("-TERM");
    assert!(program.ends_within(LONG).success());
    let transaction = locked(&test).await;
    let mut program = Program::start(station::program(&test.url).env("REQUEST_TIMEOUT", "600"));
    waits_for_lock(&test).await;
    program.signal("-TERM");
    program.says("stopped before the server started");
    assert!(program.ends_within(LONG).success());
    drop(transaction);
}

async fn locked(test: &TestDb) -> DatabaseTransaction {
    let transaction = test.connect().await.begin().await.unwrap();
    transaction.execute_unprepared("LOCK TABLE sensor").await.unwrap();
    transaction
}
