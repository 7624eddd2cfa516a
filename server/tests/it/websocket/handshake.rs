//! Which clients may open a WebSocket, and write on it.

use bookends_server::config::Bounds;
use bookends_server::http::websocket::PROTOCOL;
use bookends_server::http::{Access, Server};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::Error;

use crate::support::counter::Client;
use crate::support::served::{LONG, Served, TOKEN, code, writable};
use crate::support::station::{SMALL, Station};

const WRITE: &str = "mutation { createSensor(input: { name: \"x\", year: 1 }) { clientMutationId } }";

async fn serve(station: &Station, access: Access, origins: &[&str]) -> Served {
    let cors_origins = origins.iter().map(|origin| origin.parse().unwrap()).collect();
    Served::of(Server::new(station.api.clone(), access, Bounds { cors_origins, ..Bounds::DEFAULT })).await
}

/// A WebSocket that a page of this origin opens, or the code of its rejection.
async fn open(server: &Served, origin: &str) -> Result<Client, String> {
    match Client::open_with(&server.address, Some(PROTOCOL), &[("Origin", origin)]).await {
        Ok(client) => Ok(client),
        Err(Error::Http(answer)) => {
            assert_eq!(answer.status(), 403);
            Err(code(&String::from_utf8_lossy(answer.body().as_deref().unwrap_or_default())))
        }
        Err(error) => panic!("{error}"),
    }
}

#[tokio::test]
async fn pages_of_other_sites_are_rejected_unless_allowed() {
    let station = Station::new(SMALL).await;
    let server = serve(&station, Access::Nobody, &[]).await;
    let own = format!("http://{}", server.address);
    for origin in ["https://evil.example", "null", "http://localhost:1", "http://127.0.0.1:1"] {
        assert_eq!(open(&server, origin).await.err().as_deref(), Some("ORIGIN_FORBIDDEN"), "{origin}");
    }
    assert!(open(&server, &own).await.is_ok());
    let server = serve(&station, Access::Nobody, &["https://page.example"]).await;
    assert!(open(&server, "https://page.example").await.is_ok());
    assert!(open(&server, "https://evil.example").await.is_err());
}

#[tokio::test]
async fn a_request_for_another_version_is_rejected_with_a_code() {
    let station = Station::new(SMALL).await;
    let server = serve(&station, Access::Nobody, &[]).await;
    let head = "GET /graphql?query=%7B__typename%7D HTTP/1.1\r\nHost: x\r\nConnection: close, Upgrade\r\n";
    let key = "Sec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==";
    let answer = server.ask(format!("{head}Upgrade: websocket\r\nSec-WebSocket-Version: 12\r\n{key}\r\n\r\n")).await;
    assert!(answer.starts_with("HTTP/1.1 426 ") && answer.contains("\r\nsec-websocket-version: 13\r\n"), "{answer}");
    assert_eq!(code(&answer), "HANDSHAKE_MALFORMED");
}

/// Java's client offers HTTP/2 with every request.
#[tokio::test]
async fn h4_an_offer_of_another_protocol_is_ignored() {
    let station = Station::new(SMALL).await;
    let server = serve(&station, Access::Nobody, &[]).await;
    let head = "GET /graphql?query=%7B__typename%7D HTTP/1.1\r\nHost: x\r\nConnection: close, Upgrade, HTTP2-Settings";
    let answer = server.ask(format!("{head}\r\nUpgrade: h2c\r\nHTTP2-Settings: AAEAAEAA\r\n\r\n")).await;
    assert!(
        answer.starts_with("HTTP/1.1 200 ") && answer.ends_with("{\"data\":{\"__typename\":\"Query\"}}"),
        "{answer}"
    );
}

#[tokio::test]
async fn the_permission_comes_from_connection_init() {
    let station = Station::new(SMALL).await;
    for (access, opening, code) in [
        (writable(), json!({ "Authorization": "Bearer open-sesame-please" }), None),
        (writable(), json!({ "authorization": "Bearer open-sesame-please" }), None),
        (writable(), json!({ "authorization": "Bearer open" }), Some("UNAUTHENTICATED")),
        (writable(), json!({ "authorization": 1 }), Some("UNAUTHENTICATED")),
        (writable(), json!({}), Some("UNAUTHENTICATED")),
        (Access::Nobody, json!({ "authorization": "Bearer open-sesame-please" }), Some("FORBIDDEN")),
    ] {
        let server = serve(&station, access, &[]).await;
        let client = Client::open(&server.address, Some(PROTOCOL)).await.unwrap();
        let mut client = client.opened(opening.clone()).await;
        client.subscribe("1", WRITE).await;
        let answer = client.hear().await;
        let errors = if answer["type"] == "error" { &answer["payload"] } else { &answer["payload"]["errors"] };
        assert_eq!(errors[0]["extensions"]["code"], code.map_or(Value::Null, Value::from), "{opening} {answer}");
    }
    assert_eq!(station.data("{ sensors { totalCount } }").await["sensors"]["totalCount"], 8 + 2);
}

/// A proxy that authenticates sends it for its users: docs/authentication.md.
#[tokio::test]
async fn without_connection_init_the_permission_comes_from_the_header() {
    let station = Station::new(SMALL).await;
    let server = serve(&station, writable(), &[]).await;
    let right = format!("Bearer {TOKEN}");
    for (header, opening, is_written) in [
        (right.as_str(), json!({}), true),
        ("Bearer open", json!({}), false),
        (right.as_str(), json!({ "authorization": "Bearer open" }), false),
    ] {
        let client = Client::open_with(&server.address, Some(PROTOCOL), &[("Authorization", header)]).await.unwrap();
        let mut client = client.opened(opening).await;
        client.subscribe("1", WRITE).await;
        assert_eq!(client.hear().await["type"], if is_written { "next" } else { "error" }, "{header}");
    }
    assert_eq!(station.data("{ sensors { totalCount } }").await["sensors"]["totalCount"], 8 + 1);
}

/// An allowed origin may read. To write, it needs the token, too.
#[tokio::test]
async fn an_allowed_origin_does_not_write_without_the_token() {
    let station = Station::new(SMALL).await;
    let server = serve(&station, writable(), &["https://page.example"]).await;
    let mut client = open(&server, "https://page.example").await.unwrap().opened(json!({})).await;
    client.subscribe("1", WRITE).await;
    let answer = client.hear().await;
    assert_eq!((&answer["type"], &answer["id"]), (&"error".into(), &"1".into()), "{answer}");
    assert_eq!(answer["payload"][0]["extensions"]["code"], "UNAUTHENTICATED");
    // The connection stays open.
    client.subscribe("2", "{ sensors { totalCount } }").await;
    assert_eq!(client.hear().await["payload"]["data"]["sensors"]["totalCount"], 8);
}

/// A complete URL in the request line names the host, whatever `Host` says (RFC 9112, section 3.2.2).
#[tokio::test]
async fn a_complete_url_overrides_host() {
    let station = Station::new(SMALL).await;
    let server = serve(&station, Access::Nobody, &[]).await;
    let own = &server.address;
    for (target, host, origin, status) in [
        ("/graphql", own.as_str(), own.as_str(), "101"),
        ("/graphql", own, "evil.example", "403"),
        ("http://evil.example/graphql", own, own, "403"),
        ("http://evil.example/graphql", own, "evil.example", "101"),
        (&format!("http://{own}/graphql"), "evil.example", own, "101"),
        (&format!("http://{own}/graphql"), "evil.example", "evil.example", "403"),
    ] {
        let mut socket = server.connect().await;
        let head =
            format!("GET {target} HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{origin}\r\nConnection: Upgrade\r\n");
        let version = "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==\r\n";
        let protocol = format!("Upgrade: websocket\r\n{version}Sec-WebSocket-Protocol: {PROTOCOL}\r\n\r\n");
        socket.write_all(format!("{head}{protocol}").as_bytes()).await.unwrap();
        let mut line = [0; "HTTP/1.1 101".len()];
        timeout(LONG, socket.read_exact(&mut line)).await.expect("the server answers").unwrap();
        assert_eq!(String::from_utf8_lossy(&line), format!("HTTP/1.1 {status}"), "{target} {host} {origin}");
    }
}
