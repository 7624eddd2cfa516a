//! Limits of requests and of the server.

use std::sync::Arc;
use std::time::Duration;

use async_graphql::futures_util::future::join;
use axum::Router;
use axum::body::{Body, Bytes};
use axum::http::Request;
use axum::response::Response;
use axum::routing::{get, post};
use bookends_server::config::{Bounds, Seconds};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::sync::Notify;
use tokio::time::sleep;
use tower::ServiceExt;

use crate::support::served::{Served, code, heard, post as request, within};

const SOON: Seconds = Seconds(Duration::from_millis(300));

/// Routes that echo the body.
fn echo() -> Router {
    Router::new().route("/graphql", post(async |body: Bytes| body).get(async || "got")).route("/", get(async || "up"))
}

/// A route that never responds.
fn stuck() -> Router {
    Router::new().route("/graphql", post(std::future::pending::<()>))
}

async fn send(bounds: Bounds, request: Request<Body>) -> Response {
    within(echo(), bounds).oneshot(request).await.unwrap()
}

#[tokio::test]
async fn h5_a_body_that_is_too_large_is_413() {
    let server = Served::new(echo(), Bounds { max_body_size: 1000, ..Bounds::DEFAULT }).await;
    let fits = server.ask(request(&"x".repeat(1000))).await;
    assert!(fits.starts_with("HTTP/1.1 200 ") && fits.ends_with('x'), "{fits}");
    let chunked = "POST /graphql HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n";
    let chunked = format!("{chunked}3e9\r\n{}\r\n0\r\n\r\n", "x".repeat(1001));
    for large in [request(&"x".repeat(1001)), chunked] {
        let answer = server.ask(large).await;
        assert!(answer.starts_with("HTTP/1.1 413 "), "{answer}");
        assert_eq!(code(&answer), "BODY_TOO_LARGE");
    }
}

#[tokio::test]
async fn the_limit_of_a_body_replaces_that_of_the_framework() {
    let server = Served::new(echo(), Bounds { max_body_size: 3 << 20, ..Bounds::DEFAULT }).await;
    let answer = server.ask(request(&"x".repeat(3 << 20))).await;
    assert!(answer.starts_with("HTTP/1.1 200 ") && answer.len() > 3 << 20);
}

#[tokio::test]
async fn a_head_that_is_too_large_is_refused() {
    let server = Served::new(echo(), Bounds::DEFAULT).await;
    let ask = async |path: &str, headers: &str| {
        server.ask(format!("GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n{headers}\r\n")).await
    };
    assert!(ask("/graphql", "").await.starts_with("HTTP/1.1 200 "));
    let long = ask(&format!("/graphql?query={}", "x".repeat(17_000)), "").await;
    assert!(long.starts_with("HTTP/1.1 414 "), "{long}");
    assert_eq!(code(&long), "URL_TOO_LONG");
    for headers in ["a: b\r\n".repeat(200), format!("a: {}\r\n", "x".repeat(40_000))] {
        let answer = ask("/graphql", &headers).await;
        assert!(answer.starts_with("HTTP/1.1 431 "), "{answer}");
    }
}

#[tokio::test]
async fn bytes_that_are_not_http_are_400() {
    let server = Served::new(echo(), Bounds::DEFAULT).await;
    for bytes in [
        &b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"[..],
        b"GET\r\n\r\n",
        b"\0\0\0\0\r\n\r\n",
        b"GET / HTTP/9\r\n\r\n",
    ] {
        let answer = server.ask(bytes).await;
        assert!(answer.starts_with("HTTP/1.1 400 "), "{answer}");
    }
    assert!(server.ask(request("up")).await.ends_with("up"));
}

#[tokio::test]
async fn slow_clients_are_disconnected() {
    let server = Served::new(echo(), Bounds { read_timeout: SOON, ..Bounds::DEFAULT }).await;
    let mut silent = server.connect().await;
    let mut in_the_head = server.connect().await;
    in_the_head.write_all(b"POST /graphql HTTP/1.1\r\nHost:").await.unwrap();
    let mut in_the_body = server.connect().await;
    in_the_body.write_all(request("whole").strip_suffix("whole").unwrap().as_bytes()).await.unwrap();
    assert_eq!(heard(&mut silent).await, "");
    assert_eq!(heard(&mut in_the_head).await, "");
    let answer = heard(&mut in_the_body).await;
    assert!(answer.starts_with("HTTP/1.1 408 "), "{answer}");
    assert_eq!(code(&answer), "BODY_TOO_SLOW");
}

#[tokio::test]
async fn clients_that_do_not_read_are_disconnected() {
    const LENGTH: usize = 64 << 20;
    let router = Router::new().route("/graphql", post(async || vec![b'x'; LENGTH]));
    let server = Served::new(router, Bounds { write_timeout: SOON, ..Bounds::DEFAULT }).await;
    let mut socket = server.connect().await;
    socket.write_all(request("").as_bytes()).await.unwrap();
    sleep(4 * SOON.0).await;
    // Only what the system had buffered arrives.
    assert!(heard(&mut socket).await.len() < LENGTH);
    // A client that reads slowly gets everything.
    let mut socket = server.connect().await;
    socket.write_all(request("").as_bytes()).await.unwrap();
    let mut bytes = vec![0; LENGTH / 4];
    for _ in 0..4 {
        sleep(SOON.0 / 6).await;
        socket.read_exact(&mut bytes).await.unwrap();
    }
}

/// A request takes its permit when its body is complete.
#[tokio::test]
async fn slow_clients_take_no_permit() {
    let server = Served::new(echo(), Bounds { max_requests: 1, ..Bounds::DEFAULT }).await;
    let mut slow = Vec::new();
    for _ in 0..10 {
        let mut socket = server.connect().await;
        socket.write_all(request("whole").strip_suffix("whole").unwrap().as_bytes()).await.unwrap();
        slow.push(socket);
    }
    assert!(server.ask(request("quick")).await.ends_with("quick"));
    for mut socket in slow {
        socket.write_all(b"whole").await.unwrap();
        assert!(heard(&mut socket).await.ends_with("whole"));
    }
}

#[tokio::test]
async fn requests_beyond_the_limit_are_rejected_immediately() {
    let (begun, go_on) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let (notice, wait) = (begun.clone(), go_on.clone());
    let slow = async move || {
        notice.notify_one();
        wait.notified().await;
        "done"
    };
    let router = Router::new().route("/graphql", post(slow)).route("/", get(async || "up"));
    // One client that is alone may hold half of the permits.
    let server = Arc::new(Served::new(router, Bounds { max_requests: 4, ..Bounds::DEFAULT }).await);
    let ask = || {
        tokio::spawn({
            let server = server.clone();
            async move { server.ask(request("")).await }
        })
    };
    let working = [ask(), ask()];
    for _ in &working {
        begun.notified().await;
    }
    let answer = server.ask(request("")).await;
    assert!(answer.starts_with("HTTP/1.1 503 ") && answer.contains("\r\nretry-after: 1\r\n"), "{answer}");
    assert_eq!(code(&answer), "OVERLOADED");
    let beside = server.ask("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").await;
    assert!(beside.starts_with("HTTP/1.1 200 ") && beside.ends_with("up"), "{beside}");
    for working in working {
        go_on.notify_one();
        assert!(working.await.unwrap().ends_with("done"));
    }
    let again = ask();
    begun.notified().await;
    go_on.notify_one();
    assert!(again.await.unwrap().ends_with("done"), "the permit is available again");
}

#[tokio::test]
async fn a_timeout_is_504_and_releases_the_permit() {
    let server = Served::new(stuck(), Bounds { max_requests: 1, request_timeout: SOON, ..Bounds::DEFAULT }).await;
    for _ in 0..2 {
        let answer = server.ask(request("")).await;
        assert!(answer.starts_with("HTTP/1.1 504 "), "{answer}");
        assert_eq!(code(&answer), "TIMEOUT");
    }
}

#[tokio::test]
async fn a_panic_is_500_with_an_id_and_the_server_continues() {
    let panics = async |body: Bytes| -> Bytes {
        assert_ne!(body, "panic", "of the body");
        body
    };
    let server = Served::new(Router::new().route("/graphql", post(panics)), Bounds::DEFAULT).await;
    for _ in 0..3 {
        let answer = server.ask(request("panic")).await;
        assert!(answer.starts_with("HTTP/1.1 500 ") && answer.contains("\"errorId\":\""), "{answer}");
        assert!(!answer.contains("of the body"), "{answer}");
        assert_eq!(code(&answer), "INTERNAL");
        assert!(server.ask(request("calm")).await.ends_with("calm"));
    }
}

#[tokio::test]
async fn responses_are_compressed_as_the_client_accepts() {
    for (accepted, size, encoding) in [
        ("gzip", 2000, Some("gzip")),
        // As browsers send it.
        ("gzip, deflate, br, zstd", 2000, Some("gzip")),
        ("gzip;q=0.1, identity;q=1", 2000, None),
        ("gzip;q=0", 2000, None),
        ("*", 2000, Some("gzip")),
        ("br, zstd", 2000, None),
        ("identity", 2000, None),
        ("gzip", 1000, None),
    ] {
        let request = Request::post("/graphql").header("Accept-Encoding", accepted).body("x".repeat(size).into());
        let response = send(Bounds::DEFAULT, request.unwrap()).await;
        let got = response.headers().get("Content-Encoding").map(|value| value.to_str().unwrap().to_owned());
        assert_eq!(got.as_deref(), encoding, "{accepted} of {size}");
        let body = axum::body::to_bytes(response.into_body(), usize::MAX).await.unwrap();
        assert_eq!(body.len() < 200, encoding.is_some(), "{accepted}: {}", body.len());
    }
}

/// A rejected client can name the id to search for in the log.
#[tokio::test]
async fn every_response_has_a_request_id() {
    let answer = async |body: String| match body.as_str() {
        "panic" => panic!("on request"),
        "stuck" => std::future::pending().await,
        _ => body,
    };
    let router = Router::new().route("/graphql", post(answer));
    let bounds =
        Bounds { max_body_size: 10, max_requests: 1, read_timeout: SOON, request_timeout: SOON, ..Bounds::DEFAULT };
    let server = Served::new(router, bounds).await;
    let plain = |line: &str| format!("{line} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    let mut answers = vec![
        server.ask(request("fine")).await,
        server.ask(plain("GET /nothing")).await,
        server.ask(plain("GET /graphql")).await,
        server.ask(request("far too long")).await,
        server.ask(plain(&format!("GET /graphql?{}", "x".repeat(20 << 10)))).await,
        server.ask(request("whole").strip_suffix("whole").unwrap()).await,
        server.ask(request("panic")).await,
    ];
    let (one, other) = join(server.ask(request("stuck")), server.ask(request("stuck"))).await;
    answers.extend([one, other]);
    let mut statuses: Vec<&str> = answers.iter().map(|answer| &answer["HTTP/1.1 ".len()..][..3]).collect();
    statuses.sort_unstable();
    assert_eq!(statuses, ["200", "404", "405", "408", "413", "414", "500", "503", "504"]);
    for answer in answers {
        assert_eq!(answer.matches("\r\nx-request-id: ").count(), 1, "{answer}");
    }
}

#[tokio::test]
async fn every_response_has_the_security_headers() {
    let refused = Bounds { max_body_size: 1, ..Bounds::DEFAULT };
    let post = || Request::post("/graphql").body("echo".into()).unwrap();
    let page = Request::get("/").body(Body::empty()).unwrap();
    for (bounds, request, status) in
        [(Bounds::DEFAULT, post(), 200), (refused, post(), 413), (Bounds::DEFAULT, page, 200)]
    {
        let response = send(bounds, request).await;
        assert_eq!(response.status(), status);
        assert_eq!(response.headers()["X-Content-Type-Options"], "nosniff");
        assert_eq!(response.headers()["Referrer-Policy"], "no-referrer");
        assert_eq!(response.headers()["X-Frame-Options"], "DENY");
    }
}
