//! Which pages of other origins may read, and what a browser is told about the others.

use axum::body::Body;
use axum::http::{Request, StatusCode};
use axum::response::Response;
use bookends_server::config::Bounds;
use bookends_server::http::websocket::PROTOCOL;
use bookends_server::http::{Access, Server};
use serde_json::Value;
use testdb::TestDb;
use tower::ServiceExt;

use crate::support::counter::Client;
use crate::support::documents::read;
use crate::support::program::Program;
use crate::support::served::{code, router};
use crate::support::station::{self, SMALL, Station};
use crate::support::wire::{Answer, ask};

const HEADERS: &str = "content-type,authorization,x-request-id,graphql-cost,graphql-position,graphql-timing,traceparent,tracestate,\
    apollo-require-preflight,x-apollo-operation-name,apollographql-client-name,apollographql-client-version,\
    graphql-client-name,graphql-client-version";

fn allowing(origins: &[&str]) -> Bounds {
    Bounds { cors_origins: origins.iter().map(|origin| origin.parse().unwrap()).collect(), ..Bounds::DEFAULT }
}

fn header(response: &Response, name: &str) -> Option<String> {
    response.headers().get(name).map(|value| value.to_str().unwrap().to_owned())
}

/// The response to a preflight request of a page of this origin.
async fn preflight(station: &Station, bounds: Bounds, origin: &str, headers: &str) -> Response {
    let request = Request::options("/graphql").header("Host", "localhost:8000").header("Origin", origin);
    let request = request.header("Access-Control-Request-Method", "POST");
    let request = request.header("Access-Control-Request-Headers", headers).body(Body::empty()).unwrap();
    router(&Server::new(station.api.clone(), Access::Nobody, bounds)).oneshot(request).await.unwrap()
}

/// The only error of a response.
async fn error(response: Response) -> (String, String) {
    let body = axum::body::to_bytes(response.into_body(), usize::MAX).await.unwrap();
    let body: Value = serde_json::from_slice(&body).unwrap();
    let error = &body["errors"][0];
    (error["extensions"]["code"].as_str().unwrap().to_owned(), error["message"].as_str().unwrap().to_owned())
}

#[tokio::test]
async fn pages_of_allowed_origins_may_read() {
    let station = Station::new(SMALL).await;
    for (origins, allowed) in [
        (&["https://page.example"][..], "https://page.example"),
        (&["https://other.example", "https://page.example"], "https://page.example"),
        (&["*"], "*"),
    ] {
        let response = preflight(&station, allowing(origins), "https://page.example", HEADERS).await;
        assert_eq!(response.status(), StatusCode::OK);
        assert_eq!(header(&response, "Access-Control-Allow-Origin").as_deref(), Some(allowed), "{origins:?}");
        assert_eq!(header(&response, "Access-Control-Allow-Headers").as_deref(), Some(HEADERS));
        assert_eq!(header(&response, "Access-Control-Allow-Credentials"), None);
        let body = axum::body::to_bytes(response.into_body(), usize::MAX).await.unwrap();
        assert!(body.is_empty(), "{body:?}");
    }
}

#[tokio::test]
async fn a_refused_preflight_names_the_origin_and_the_setting() {
    let station = Station::new(SMALL).await;
    for origins in [&[][..], &["https://other.example"]] {
        for origin in ["https://page.example", "http://localhost:5173", "null"] {
            let response = preflight(&station, allowing(origins), origin, "content-type").await;
            assert_eq!(response.status(), StatusCode::FORBIDDEN);
            assert_eq!(header(&response, "Access-Control-Allow-Origin"), None);
            let (code, message) = error(response).await;
            assert_eq!(code, "ORIGIN_FORBIDDEN");
            assert!(message.contains(origin) && message.contains("CORS_ORIGINS"), "{message}");
        }
    }
}

/// Browsers tell a page no header that is not listed.
#[tokio::test]
async fn the_manual_lists_the_headers() {
    let station = Station::new(SMALL).await;
    let server = Server::new(station.api.clone(), Access::Nobody, allowing(&["*"]));
    let request = Request::get("/graphql?query=%7B__typename%7D").header("Origin", "https://page.example");
    let response = router(&server).oneshot(request.body(Body::empty()).unwrap()).await.unwrap();
    let readable = header(&response, "Access-Control-Expose-Headers").unwrap();
    let manual = read("docs/api.md");
    let listed = |beginning: &str| {
        let (_, text) = manual.split_once(beginning).unwrap_or_else(|| panic!("{beginning}"));
        let text = text.split_once('.').unwrap().0.to_ascii_lowercase();
        let mut names: Vec<String> = text.split('`').skip(1).step_by(2).map(str::to_owned).collect();
        names.sort_unstable();
        names
    };
    let sorted = |names: &str| {
        let mut names: Vec<String> = names.split(',').map(str::to_owned).collect();
        names.sort_unstable();
        names
    };
    assert_eq!(listed("Pages may send the headers"), sorted(HEADERS));
    assert_eq!(listed("They may read"), sorted(&readable));
}

/// A browser names the header if the status is 200.
#[tokio::test]
async fn a_refused_header_is_named() {
    let station = Station::new(SMALL).await;
    let headers = "content-type, X-Tenant";
    let response = preflight(&station, allowing(&["https://page.example"]), "https://page.example", headers).await;
    assert_eq!(response.status(), StatusCode::OK);
    assert_eq!(header(&response, "Access-Control-Allow-Origin").as_deref(), Some("https://page.example"));
    assert_eq!(header(&response, "Access-Control-Allow-Headers").as_deref(), Some(HEADERS));
    let (code, message) = error(response).await;
    assert_eq!(code, "HEADER_FORBIDDEN");
    assert!(message.contains("`X-Tenant`"), "{message}");
}

/// Not every OPTIONS is a preflight request.
#[tokio::test]
async fn h4_options_without_an_origin_is_no_preflight() {
    let station = Station::new(SMALL).await;
    let request = Request::options("/graphql").body(Body::empty()).unwrap();
    let server = Server::new(station.api.clone(), Access::Nobody, Bounds::DEFAULT);
    let response = router(&server).oneshot(request).await.unwrap();
    assert_eq!(response.status(), StatusCode::METHOD_NOT_ALLOWED);
}

/// A page of this origin reads by GET, addressed to this host.
fn reads(address: &str, host: &str, origin: &str) -> Option<String> {
    let head = "GET /graphql?query=%7B__typename%7D HTTP/1.1\r\nConnection: close\r\n";
    let answer = ask(address, format!("{head}Host: {host}\r\nOrigin: {origin}\r\n\r\n"));
    assert_eq!(answer.status, 200, "{}", answer.body);
    answer.header("access-control-allow-origin").map(str::to_owned)
}

/// A page of this origin sends a mutation with this header.
fn writes(address: &str, origin: &str, authorization: &str) -> Answer {
    let body = r#"{"query":"mutation { createSensor(input: { name: \"x\", year: 1 }) { clientMutationId } }"}"#;
    let head = format!("Host: {address}\r\nOrigin: {origin}\r\nContent-Type: application/json\r\n{authorization}");
    let length = body.len();
    ask(address, format!("POST /graphql HTTP/1.1\r\n{head}Connection: close\r\nContent-Length: {length}\r\n\r\n{body}"))
}

async fn opens(address: &str, origin: &str) -> bool {
    Client::open_with(address, Some(PROTOCOL), &[("Origin", origin)]).await.is_ok()
}

#[tokio::test]
async fn pages_of_this_machine_read_from_a_loopback_server_and_write_with_the_token_alone() {
    let test = TestDb::new().await;
    let program = Program::start(&mut station::program(&test.url));
    let address = program.address();
    for origin in ["http://localhost:5173", "https://localhost", "http://127.0.0.1:3000", "http://[::1]:5173"] {
        assert_eq!(reads(&address, &address, origin).as_deref(), Some(origin));
        assert!(opens(&address, origin).await, "{origin}");
        let refused = writes(&address, origin, "");
        assert_eq!(code(&refused.body), "UNAUTHENTICATED");
        let written = writes(&address, origin, "Authorization: Bearer open-sesame-please\r\n");
        assert_eq!(written.body, r#"{"data":{"createSensor":{"clientMutationId":null}}}"#);
    }
    for origin in ["https://evil.example", "http://localhost.evil.example", "http://10.0.0.1", "null"] {
        assert_eq!(reads(&address, &address, origin), None, "{origin}");
        assert!(!opens(&address, origin).await, "{origin}");
    }
    // A proxy passes the name of the site. So does a browser that was told that the name is this machine.
    for host in ["sensors.example", "sensors.example:8000", "localhost.evil.example"] {
        assert_eq!(reads(&address, host, "http://localhost:5173"), None, "{host}");
    }
}

#[tokio::test]
async fn a_setting_replaces_the_pages_of_this_machine() {
    let test = TestDb::new().await;
    let local = "http://localhost:5173";
    for (name, value) in
        [("CORS_ORIGINS", "https://page.example"), ("TRUSTED_PROXIES", "127.0.0.1"), ("LISTEN", "0.0.0.0:0")]
    {
        let program = Program::start(station::program(&test.url).env(name, value));
        let address = program.address().replace("0.0.0.0", "127.0.0.1");
        assert_eq!(reads(&address, &address, local), None, "{name}");
        assert!(!opens(&address, local).await, "{name}");
        program.end();
    }
}

#[tokio::test]
async fn a_refused_preflight_is_logged_once() {
    let test = TestDb::new().await;
    let program = Program::start(station::program(&test.url).args(["--log", "bookends_server::http::cors=debug"]));
    let address = program.address();
    let head = "OPTIONS /graphql HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nOrigin: https://page.example\r\n";
    let answer = ask(&address, format!("{head}Access-Control-Request-Method: POST\r\n\r\n"));
    assert_eq!((answer.status, code(&answer.body)), (403, "ORIGIN_FORBIDDEN".into()));
    let log = program.end();
    assert_eq!(log.matches("https://page.example").count(), 1, "{log}");
}
