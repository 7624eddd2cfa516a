//! Who may write, by the program as it is started: with a token in its settings, with a generated one, or with none.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::process::Command;

use serde_json::{Value, json};
use testdb::TestDb;

use crate::support::program::{LONG, Program, address_of};
use crate::support::station;
use crate::support::wire::{Answer, ask, authorized, get, post, post_with};

/// The program without a token in its settings.
fn without_token(test: &TestDb) -> Command {
    let mut command = station::program(&test.url);
    command.env_remove("WRITE_TOKEN");
    command
}

/// The address of a server and the token in its URL.
fn address_and_token(program: &Program) -> (String, String) {
    let line = program.says("open http://");
    let (_, token) = line.split_once("/#token=").unwrap_or_else(|| panic!("{line}"));
    (address_of(&line), token.split(' ').next().unwrap().to_owned())
}

/// A mutation to this target, with these headers.
fn mutation(target: &str, headers: &str) -> String {
    let query = "mutation { createSensor(input: { name: \"written\", year: 0 }) { clientMutationId } }";
    let body = json!({ "query": query }).to_string();
    format!(
        "POST {target} HTTP/1.1\r\nAccept: application/graphql-response+json\r\nContent-Type: application/json\r\n\
         Connection: close\r\nContent-Length: {}\r\n{headers}\r\n{body}",
        body.len()
    )
}

/// The number of sensors that the mutation has written.
fn written(address: &str) -> Value {
    let query = json!({ "query": "{ sensors(where: { name: { eq: \"written\" } }) { totalCount } }" });
    let answer: Value = serde_json::from_str(&ask(address, post(&query.to_string())).body).unwrap();
    answer["data"]["sensors"]["totalCount"].clone()
}

fn code(answer: &Answer) -> Value {
    let body: Value = serde_json::from_str(&answer.body).unwrap();
    assert!(body.get("data").is_none(), "{body}");
    body["errors"][0]["extensions"]["code"].clone()
}

/// A proxy on the same machine sends such requests for clients anywhere. nginx sends the first by default.
#[tokio::test]
async fn a_request_that_looks_local_does_not_write() {
    let test = TestDb::new().await;
    let program = Program::start(&mut without_token(&test));
    let (address, token) = address_and_token(&program);
    let own = format!("http://{address}/graphql");
    for (target, headers) in [
        ("/graphql", "Host: 127.0.0.1:8000\r\n".to_owned()),
        ("/graphql", "Host: localhost\r\n".into()),
        ("/graphql", format!("Host: {address}\r\nOrigin: http://{address}\r\nSec-Fetch-Site: same-origin\r\n")),
        ("/graphql", "Host: 127.0.0.1:8000\r\nCF-Connecting-IP: 203.0.113.7\r\n".into()),
        ("/graphql", "Host: 127.0.0.1:8000\r\nTrue-Client-IP: 203.0.113.7\r\n".into()),
        ("http://evil.example/graphql", format!("Host: {address}\r\n")),
        (&own, "Host: evil.example\r\n".into()),
        ("/graphql", "Host: localhost\r\nAuthorization: Bearer \r\n".into()),
        ("/graphql", format!("Host: localhost\r\nCookie: token={token}\r\n")),
        (&format!("/graphql?token={token}"), "Host: localhost\r\n".into()),
    ] {
        let answer = ask(&address, mutation(target, &headers));
        assert_eq!((answer.status, code(&answer)), (401, "UNAUTHENTICATED".into()), "{target} {headers}");
        assert!(answer.header("www-authenticate").unwrap().starts_with("Bearer "), "{}", answer.head);
    }
    assert_eq!(written(&address), 0);

    // With the token, a request need not look local.
    for (target, host) in [("/graphql", "sensors.example"), ("http://sensors.example/graphql", "x")] {
        let headers = format!("Host: {host}\r\nX-Forwarded-For: 203.0.113.7\r\nAuthorization: Bearer {token}\r\n");
        let answer = ask(&address, mutation(target, &headers));
        assert_eq!(answer.status, 200, "{}", answer.body);
    }
    assert_eq!(written(&address), 2);
}

/// Whatever is logged and measured, and whoever asks.
#[tokio::test]
async fn a_generated_token_is_nowhere_but_in_the_url() {
    let test = TestDb::new().await;
    let mut command = without_token(&test);
    let program = Program::start(command.args(["--log", "trace"]));
    let (address, token) = address_and_token(&program);
    let authorization = format!("Host: localhost\r\nAuthorization: Bearer {token}\r\n");
    assert_eq!(ask(&address, mutation("/graphql", &authorization)).status, 200);
    for path in ["/", "/metrics", "/ready"] {
        let answer = ask(&address, get(path));
        assert!(!answer.head.contains(&token) && !answer.body.contains(&token), "{path}");
    }
    let log = program.end();
    assert!(log.contains("answered") && !log.contains(&token), "{log}");

    let again = Program::start(&mut command);
    let (address, other) = address_and_token(&again);
    assert_ne!(other, token);
    let answer = ask(&address, mutation("/graphql", &authorization));
    assert_eq!(answer.status, 401, "the token was valid until the server stopped");
    assert!(answer.header("www-authenticate").unwrap().contains("error=\"invalid_token\""), "{}", answer.head);
}

/// Scripts read the address from the line, and the output of a public server is often collected.
#[tokio::test]
async fn only_a_generated_token_is_in_the_url() {
    let test = TestDb::new().await;
    let with_token = Program::start(&mut station::program(&test.url));
    let line = with_token.says("open http://");
    assert!(line.starts_with(&format!("open http://{} in a browser: ", address_of(&line))), "{line}");
    with_token.end();

    let public = Program::start(without_token(&test).env("LISTEN", "0.0.0.0:0"));
    let line = public.says("open http://");
    assert!(!line.contains("token"), "{line}");
    public.says("writes are disabled");
    let answer = ask(&address_of(&line), mutation("/graphql", "Host: localhost\r\nAuthorization: Bearer \r\n"));
    assert_eq!((answer.status, code(&answer)), (403, "FORBIDDEN".into()));
    assert_eq!(answer.header("www-authenticate"), None, "no token helps");
}

/// However many wrong ones come from its address, the right one is accepted.
#[tokio::test]
async fn wrong_tokens_are_slowed_logged_and_counted_and_the_right_one_is_not() {
    let test = TestDb::new().await;
    let program = Program::start(&mut station::program(&test.url));
    let address = program.address();
    let wrong = "Host: localhost\r\nAuthorization: Bearer a-guess-of-a-stranger\r\n";
    let mut refused = 0;
    let limited = loop {
        let answer = ask(&address, mutation("/graphql", wrong));
        match code(&answer).as_str().unwrap() {
            "UNAUTHENTICATED" if refused < 100 => refused += 1,
            "RATE_LIMITED" => break answer,
            _ => panic!("{} after {refused}", answer.body),
        }
    };
    assert!(refused >= 10, "a person may err: {refused}");
    assert_eq!(limited.status, 429);
    assert!(limited.header("retry-after").unwrap().parse::<u64>().unwrap() >= 1, "{}", limited.head);
    let right = format!("Host: localhost\r\n{}", authorized());
    assert_eq!(ask(&address, mutation("/graphql", &right)).status, 200);
    // Reading needs no token: a page with the one of yesterday still reads.
    let query = post_with(&format!("{}Connection: close\r\n", wrong.trim_start_matches("Host: localhost\r\n")), QUERY);
    assert_eq!(ask(&address, query).body, r#"{"data":{"__typename":"Query"}}"#);
    // Without a token there is nothing to guess.
    assert_eq!(ask(&address, mutation("/graphql", "Host: localhost\r\n")).status, 401);

    let metrics = ask(&address, get("/metrics")).body;
    let counted = metrics.lines().find_map(|line| line.strip_prefix("bookends_wrong_tokens_total ")).unwrap();
    assert_eq!(counted, (refused + 1).to_string());
    let log = program.end();
    let lines = log.lines().filter(|line| line.contains("its write token is wrong")).count();
    assert!((1..=refused).contains(&lines) && log.contains("client=127.0.0.1"), "{log}");
    assert!(!log.contains("stranger"), "{log}");
}

const QUERY: &str = r#"{"query":"{ __typename }"}"#;

/// A header that RFC 9112 requires, so that no proxy takes another host than the server.
#[tokio::test]
async fn a_request_has_one_host() {
    let test = TestDb::new().await;
    let program = Program::start(station::program(&test.url).env_remove("SAMPLE"));
    let address = program.address();
    for (head, status) in [
        ("GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", 200),
        ("GET /health HTTP/1.1\r\nHost:\r\nConnection: close\r\n\r\n", 200),
        ("GET /health HTTP/1.1\r\n\r\n", 400),
        ("GET /health HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n", 400),
        ("GET /graphql?query={__typename} HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400),
        ("GET http://a/graphql?query={__typename} HTTP/1.1\r\n\r\n", 400),
        ("GET /health HTTP/1.1\r\nHost: a/b\r\n\r\n", 400),
    ] {
        let answer = ask(&address, head);
        assert_eq!(answer.status, status, "{head}");
        if status == 400 {
            assert_eq!(code(&answer), "HOST_MALFORMED");
            assert!(!answer.goes_on() && answer.header("x-request-id").is_some(), "{}", answer.head);
        }
    }
    // HTTP/1.0 has no such rule.
    let mut socket = TcpStream::connect(&address).unwrap();
    socket.set_read_timeout(Some(LONG)).unwrap();
    socket.write_all(b"GET /health HTTP/1.0\r\n\r\n").unwrap();
    let mut answer = String::new();
    socket.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.0 200"), "{answer}");
}
