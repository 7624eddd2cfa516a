//! Who asks: tokens of users, over HTTP.

use std::time::{SystemTime, UNIX_EPOCH};

use bookends_server::config::{self, Bounds, Secret};
use bookends_server::http::{Access, Authentication, Server};
use jsonwebtoken::{Algorithm, EncodingKey, Header, encode};
use serde_json::{Value, json};

use crate::support::served::{Served, TOKEN, writable};
use crate::support::station::{SMALL, Station};
use crate::support::wire::{authorized, post_with};

mod expiry;
mod keys;
mod program;
mod websocket;

const SECRET: &str = "the secret key of the issuer of the tests";
const READ: &str = "{ sensors { totalCount } }";
const WRITE: &str = "mutation { createSensor(input: { name: \"x\", year: 1 }) { clientMutationId } }";

/// Now, in seconds since 1970, and so much later.
fn from_now(seconds: i64) -> i64 {
    i64::try_from(SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs()).unwrap() + seconds
}

/// Tokens with the secret of these tests, whose times count exactly.
fn settings() -> config::Authentication {
    config::Authentication {
        jwt_secret: Some(Secret::from(SECRET)),
        jwt_issuer: Some("https://id.example".into()),
        jwt_clock_skew: 0,
        ..config::Authentication::default()
    }
}

fn authentication(access: Access, settings: &config::Authentication) -> Authentication {
    Authentication::new(access, settings, &[]).unwrap()
}

async fn serve(station: &Station, access: Access, settings: &config::Authentication) -> Served {
    Served::of(Server::new(station.api.clone(), authentication(access, settings), Bounds::DEFAULT)).await
}

/// Lets this process sign by the algorithms that a server verifies by.
fn sign_as_the_server() {
    authentication(Access::Nobody, &settings());
}

/// A token of the issuer of these tests that ends so many seconds from now.
fn ending(seconds: i64, claims: Value) -> String {
    sign_as_the_server();
    let mut object = json!({ "iss": "https://id.example", "sub": "ann", "exp": from_now(seconds) });
    let Value::Object(claims) = claims else { panic!("{claims} is no object") };
    object.as_object_mut().unwrap().extend(claims);
    encode(&Header::new(Algorithm::HS256), &object, &EncodingKey::from_secret(SECRET.as_bytes())).unwrap()
}

/// One that ends in a minute.
fn token(claims: Value) -> String {
    ending(60, claims)
}

fn bearer(token: &str) -> String {
    format!("Authorization: Bearer {token}\r\n")
}

/// A request that closes its connection.
fn request(headers: &str, document: &str) -> String {
    post_with(&format!("Connection: close\r\n{headers}"), &json!({ "query": document }).to_string())
}

/// The status and the code of a response, `""` without one.
fn outcome(answer: &str) -> (u16, String) {
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    let body: Value = serde_json::from_str(body).unwrap_or_else(|error| panic!("{error}: {answer}"));
    let code = body["errors"][0]["extensions"]["code"].as_str().unwrap_or_default().to_owned();
    (head["HTTP/1.1 ".len()..][..3].parse().unwrap(), code)
}

const PREFERRED: &str = "Accept: application/graphql-response+json\r\n";
const EVENTS: &str = "Accept: text/event-stream\r\n";

#[tokio::test]
async fn a_valid_token_reads_and_writes_and_so_does_the_write_token() {
    let station = Station::new(SMALL).await;
    for access in [writable(), Access::Nobody] {
        let has_write_token = matches!(access, Access::Token(_));
        let server = serve(&station, access, &settings()).await;
        for (headers, writes) in [
            (bearer(&token(json!({}))), (200, "")),
            (authorized(), if has_write_token { (200, "") } else { (401, "UNAUTHENTICATED") }),
            (String::new(), (401, "UNAUTHENTICATED")),
            ("Authorization: Basic YTpi\r\n".into(), (401, "UNAUTHENTICATED")),
        ] {
            let headers = format!("{PREFERRED}{headers}");
            let (status, code) = outcome(&server.ask(request(&headers, WRITE)).await);
            assert_eq!((status, code.as_str()), writes, "{headers}");
            let is_known = writes.0 == 200 || !headers.contains("Bearer");
            assert_eq!(outcome(&server.ask(request(&headers, READ)).await).0, if is_known { 200 } else { 401 });
        }
    }
}

/// Whatever a client accepts, and however it asks.
#[tokio::test]
async fn an_invalid_token_is_refused_and_nothing_runs() {
    let station = Station::new(SMALL).await;
    let server = serve(&station, writable(), &settings()).await;
    let before = station.statements.take().len();
    let good = token(json!({}));
    let [wrong, foreign] =
        [good[..good.len() - 4].to_owned() + "AAAA", token(json!({ "iss": "https://evil.example" }))];
    for (token, description) in [
        (wrong.as_str(), "the signature of the token is wrong"),
        (&foreign, "the token is of another issuer"),
        (&ending(-1, json!({})), "the token has expired"),
        (&token(json!({ "nbf": from_now(30) })), "the token is not valid yet"),
        ("a.b.c", "the token is malformed"),
        (&"x".repeat(9_000), "the token is too long"),
    ] {
        let challenge = format!(
            "www-authenticate: Bearer realm=\"bookends\", error=\"invalid_token\", error_description=\"{description}\"\r\n"
        );
        let get = format!(
            "GET /graphql?query=%7B__typename%7D HTTP/1.1\r\nHost: x\r\nConnection: close\r\n{}\r\n",
            bearer(token)
        );
        let mut requests = vec![get];
        if description.contains("expired") {
            // Only these do not count as guesses.
            for accept in ["", PREFERRED, EVENTS] {
                requests.extend([READ, WRITE].map(|document| request(&format!("{accept}{}", bearer(token)), document)));
            }
        }
        for request in requests {
            let answer = server.ask(request).await;
            assert_eq!(outcome(&answer), (401, "UNAUTHENTICATED".into()), "{description}: {answer}");
            assert!(answer.contains(&challenge), "{description}: {answer}");
        }
    }
    assert_eq!((before, station.statements.take().len()), (before, 0));
    assert_eq!(station.count("sensors").await, SMALL.sensors);
}

#[tokio::test]
async fn a_token_without_the_scope_only_reads() {
    let station = Station::new(SMALL).await;
    let settings = config::Authentication { jwt_write_scope: Some("shop:write".into()), ..settings() };
    let server = serve(&station, writable(), &settings).await;
    for (claims, expected) in [
        (json!({ "scope": "openid shop:write" }), (200, "")),
        (json!({ "scp": ["shop:write"] }), (200, "")),
        (json!({ "scope": "openid" }), (403, "FORBIDDEN")),
        (json!({}), (403, "FORBIDDEN")),
    ] {
        let headers = format!("{PREFERRED}{}", bearer(&token(claims.clone())));
        let answer = server.ask(request(&headers, WRITE)).await;
        let (status, code) = outcome(&answer);
        assert_eq!((status, code.as_str()), expected, "{claims}");
        assert_eq!(answer.contains("error=\"insufficient_scope\""), status == 403, "{answer}");
        assert_eq!(outcome(&server.ask(request(&headers, READ)).await), (200, String::new()), "{claims}");
    }
    assert_eq!(outcome(&server.ask(request(&format!("{PREFERRED}{}", authorized()), WRITE)).await).0, 200);
}

/// As with the write token: whoever else guesses from the same address, the right one is accepted.
#[tokio::test]
async fn guesses_are_slowed_and_an_expired_token_is_none() {
    let station = Station::new(SMALL).await;
    let server = serve(&station, writable(), &settings()).await;
    for _ in 0..30 {
        let expired = server.ask(request(&bearer(&ending(-1, json!({}))), READ)).await;
        assert_eq!(outcome(&expired).0, 401);
    }
    let mut refused = 0;
    let limited = loop {
        let answer = server.ask(request(&bearer("a.guess.of-a-stranger"), READ)).await;
        match outcome(&answer) {
            (401, _) if refused < 100 => refused += 1,
            (429, code) if code == "RATE_LIMITED" => break answer,
            _ => panic!("{answer}"),
        }
    };
    assert!(refused >= 10 && limited.contains("\r\nretry-after: "), "{refused} {limited}");
    for headers in [bearer(&token(json!({}))), bearer(TOKEN), String::new()] {
        assert_eq!(outcome(&server.ask(request(&headers, READ)).await).0, 200, "{headers}");
    }
}

#[tokio::test]
async fn without_keys_a_foreign_token_is_only_not_the_write_token() {
    let station = Station::new(SMALL).await;
    let server = serve(&station, writable(), &config::Authentication::default()).await;
    let headers = format!("{PREFERRED}{}", bearer(&token(json!({}))));
    assert_eq!(outcome(&server.ask(request(&headers, READ)).await).0, 200);
    assert_eq!(outcome(&server.ask(request(&headers, WRITE)).await), (401, "UNAUTHENTICATED".into()));
}
