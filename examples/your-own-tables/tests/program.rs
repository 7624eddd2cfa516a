//! What the program of the example has beside its schema.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

/// A running program, with a database of its own.
struct Rivers {
    child: Child,
    address: String,
    token: String,
    folder: PathBuf,
}

impl Rivers {
    fn start(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("rivers-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let url = format!("sqlite://{}?mode=rwc", folder.join("rivers.db").display());
        let mut command = Command::new(env!("CARGO_BIN_EXE_rivers"));
        command.env_clear().env("DATABASE_URL", url).env("LISTEN", "127.0.0.1:0").stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let page = lines.next().unwrap().unwrap();
        std::thread::spawn(move || lines.count());
        let (address, token) = page.trim_start_matches("open http://").split_once("/#token=").unwrap();
        let token = token.split_whitespace().next().unwrap().to_owned();
        Self { child, address: address.to_owned(), token, folder }
    }

    /// Sends a request, whose connection stays open.
    fn send(&self, head: &str, body: &str) -> BufReader<TcpStream> {
        let mut socket = TcpStream::connect(&self.address).unwrap();
        let (host, token, length) = (&self.address, &self.token, body.len());
        let fixed = format!("Host: {host}\r\nAuthorization: Bearer {token}\r\nContent-Length: {length}");
        write!(socket, "{head}\r\n{fixed}\r\n\r\n{body}").unwrap();
        BufReader::new(socket)
    }

    fn get(&self, path: &str) -> String {
        let mut response = String::new();
        let head = format!("GET {path} HTTP/1.1\r\nAccept: text/html, */*\r\nConnection: close");
        self.send(&head, "").read_to_string(&mut response).unwrap();
        response
    }

    fn post(&self, body: &str) -> String {
        let mut response = String::new();
        let head =
            "POST /graphql HTTP/1.1\r\nContent-Type: application/json\r\nGraphQL-Cost: report\r\nConnection: close";
        self.send(head, body).read_to_string(&mut response).unwrap();
        response
    }

    fn query(&self, query: &str) -> String {
        self.post(&format!("{{\"query\":{query:?}}}"))
    }
}

impl Drop for Rivers {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

#[track_caller]
fn has(response: &str, text: &str) {
    assert!(response.contains(text), "{text:?} is not in {response}");
}

#[test]
fn the_program_prints_its_schema() {
    let printed = Command::new(env!("CARGO_BIN_EXE_rivers")).arg("schema").output().unwrap();
    has(&String::from_utf8(printed.stdout).unwrap(), "type City implements Node");
}

#[test]
fn requests_have_limits_and_a_price() {
    let rivers = Rivers::start("limits");
    let (down, up) = ("cities { nodes { river { ".repeat(10), " } } }".repeat(10));
    let deep = format!("{{ rivers {{ nodes {{ {down}name{up} }} }} }}");
    has(&rivers.query(&deep), "QUERY_TOO_DEEP");
    let aliases: String = (0..100)
        .map(|number| format!("a{number}: rivers(first: 100) {{ nodes {{ cities(first: 100) {{ totalCount }} }} }} "))
        .collect();
    has(&rivers.query(&format!("{{ {aliases} }}")), "QUERY_TOO_COMPLEX");
    has(&rivers.query("{ rivers(first: 101) { nodes { name } } }"), "PAGE_INVALID");
    has(&rivers.query("{ rivers(first: 2) { nodes { name cities { totalCount } } } }"), "\"cost\":");
}

#[test]
fn documents_are_cached_by_their_hash() {
    let rivers = Rivers::start("cache");
    // The SHA-256 of `{ rivers { totalCount } }`.
    let hash = "b898a517a019b2bf3f89fd0bc933a4ea027ad43c38586baff5a9c56a72be935f";
    let extensions = format!("\"extensions\":{{\"persistedQuery\":{{\"version\":1,\"sha256Hash\":\"{hash}\"}}}}");
    has(&rivers.post(&format!("{{{extensions}}}")), "PERSISTED_QUERY_NOT_FOUND");
    for body in [format!("{{\"query\":\"{{ rivers {{ totalCount }} }}\",{extensions}}}"), format!("{{{extensions}}}")] {
        has(&rivers.post(&body), "\"data\":{\"rivers\":{\"totalCount\":4}}");
    }
}

#[test]
fn a_new_city_is_sent_to_subscribers() {
    let rivers = Rivers::start("events");
    let path = "/graphql?query=subscription%7BcityCreated%7Bnode%7Bname%20river%7Bname%7D%7D%7D%7D";
    let events = rivers.send(&format!("GET {path} HTTP/1.1\r\nAccept: text/event-stream"), "");
    let subscribed = "bookends_subscriptions 1";
    while !rivers.get("/metrics").contains(subscribed) {
        std::thread::yield_now();
    }
    let create =
        "mutation { createCity(input: { riverId: \"7JwGBA\", name: \"Bonn\" }) { cityEdge { node { name } } } }";
    has(&rivers.query(create), "Bonn");
    let event = events.lines().map(Result::unwrap).find(|line| line.contains("\"data\":{"));
    has(&event.unwrap(), "{\"cityCreated\":{\"node\":{\"name\":\"Bonn\",\"river\":{\"name\":\"Rhine\"}}}}");
}

#[test]
fn there_are_a_page_a_schema_probes_and_metrics() {
    let rivers = Rivers::start("page");
    has(&rivers.get("/"), "<title>rivers</title>");
    has(&rivers.get("/schema.graphql"), "type River implements Node");
    for probe in ["/health", "/ready"] {
        has(&rivers.get(probe), "200 OK");
    }
    rivers.query("{ cities { nodes { name } } }");
    has(&rivers.get("/metrics"), "bookends_pages_total{list=\"Query.cities\",end=\"front\"} 1");
}
