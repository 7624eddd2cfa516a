//! Probes on a listener and a thread of their own.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::mpsc::channel;

use bookends_server::config::Bounds;
use bookends_server::http::{Access, Admin, Server};
use testdb::TestDb;
use tokio::net::TcpListener;

use crate::support::program::{LONG, Program};
use crate::support::station::{self, SMALL, Station};
use crate::support::wire::{ask, get, post};

/// The requests' runtime has one thread, which this test occupies.
#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn probes_respond_while_the_threads_of_requests_are_busy() {
    let station = Station::new(SMALL).await;
    let (_server, probes) = Server::with_admin(station.api.clone(), Access::Nobody, Bounds::DEFAULT);
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let admin = Admin::start(listener, probes).unwrap();
    let probe = |path| {
        let answer = ask(&address, get(path));
        (answer.status, answer.body)
    };
    assert_eq!(probe("/ready"), (200, "ready\n".into()));

    let (release, occupied) = channel::<()>();
    let (taken, is_taken) = channel();
    tokio::spawn(async move {
        taken.send(()).unwrap();
        let _ = occupied.recv();
    });
    is_taken.recv().unwrap();
    assert_eq!(probe("/health"), (200, "alive\n".into()));
    assert!(probe("/metrics").1.contains("bookends_build_info"));
    assert_eq!(probe("/ready"), (503, "the server is too busy\n".into()));
    drop(release);
    assert_eq!(probe("/ready"), (200, "ready\n".into()));
    admin.stop().await;
}

#[tokio::test]
async fn with_an_address_of_their_own_the_probes_are_there_alone() {
    let test = TestDb::new().await;
    let program = Program::start(station::program(&test.url).env("LISTEN_ADMIN", "127.0.0.1:0"));
    let main = program.address();
    let probes = &program.address_of_probes();
    for path in ["/health", "/ready", "/metrics"] {
        assert_eq!((ask(&main, get(path)).status, ask(probes, get(path)).status), (404, 200), "{path}");
    }
    let query = post(r#"{"query":"{ sensors(first: 1) { nodes { id } } }"}"#);
    assert_eq!((ask(&main, &query).status, ask(probes, &query).status), (200, 404));
    // What the main port answers is counted here.
    assert!(ask(probes, get("/metrics")).body.contains(r#"route="/graphql""#));
    let health = station::program(&test.url).env("LISTEN_ADMIN", probes).arg("health").status().unwrap();
    assert!(health.success());
    program.end();
}

/// Here a client has not sent its whole request.
#[tokio::test]
async fn probes_say_that_the_server_is_stopping_until_it_has_stopped() {
    let test = TestDb::new().await;
    let mut program = Program::start(station::program(&test.url).env("LISTEN_ADMIN", "127.0.0.1:0"));
    let main = program.address();
    let probes = program.address_of_probes();
    let mut unfinished = TcpStream::connect(&main).unwrap();
    let query = post(r#"{"query":"{ __typename }"}"#);
    let (begun, rest) = query.split_at(query.len() - 1);
    unfinished.write_all(begun.as_bytes()).unwrap();
    assert_eq!(ask(&main, &query).status, 200);
    program.signal("-TERM");
    program.says("stopping");
    let answer = ask(&probes, get("/ready"));
    assert_eq!((answer.status, answer.body.as_str()), (503, "the server is stopping\n"));
    unfinished.write_all(rest.as_bytes()).unwrap();
    let mut response = String::new();
    unfinished.read_to_string(&mut response).unwrap();
    assert!(response.starts_with("HTTP/1.1 200 "), "{response}");
    assert!(program.ends_within(LONG).success());
}
