//! Requests that nobody means well by: each is answered, none by a 5xx, and the server lives on.

use std::collections::BTreeMap;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Command, Stdio};
use std::time::Duration;

use bookends::graphql::Code;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use serde_json::{Value, json};
use testdb::TestDb;

/// How many, unless `FUZZ_REQUESTS` says more: each takes a debug build some milliseconds.
const REQUESTS: u64 = 10_000;
const CONNECTIONS: u64 = 4;
/// What the server may have grown to, in megabytes: a debug build begins at some fifty.
const MOST_MEMORY: u64 = 400;

/// What a request is made of.
struct Dice(ChaCha8Rng);

impl Dice {
    fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.0.next_u32()).unwrap() % end.max(1)
    }

    fn any<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.below(of.len())]
    }

    /// A text that hardly anything is right about.
    fn text(&mut self) -> String {
        let length = self.below(40);
        let letters = [
            "a",
            "\"",
            "\\",
            "\u{0}",
            "é",
            "\u{202e}",
            "👩\u{200d}🔬",
            "{",
            "}",
            "(",
            ")",
            "$",
            "@",
            "...",
            "#",
            "\n",
            "1e999",
            "\u{ffff}",
        ];
        (0..length).map(|_| self.any(&letters)).collect()
    }

    fn value(&mut self, depth: usize) -> Value {
        match self.below(if depth > 4 { 6 } else { 8 }) {
            0 => Value::Null,
            1 => json!(self.below(2) == 0),
            2 => json!(self.0.next_u64()),
            3 => json!(f64::from(self.0.next_u32()) * 1e290),
            4 | 5 => json!(self.text()),
            6 => (0..self.below(4)).map(|_| self.value(depth + 1)).collect(),
            _ => (0..self.below(4))
                .map(|_| (self.text(), self.value(depth + 1)))
                .collect::<serde_json::Map<_, _>>()
                .into(),
        }
    }

    /// A literal of GraphQL.
    fn literal(&mut self, depth: usize) -> String {
        let wild = [
            "null",
            "-1",
            "2147483648",
            "1e99",
            "\"\"",
            "\"x\"",
            "ASC",
            "$v",
            "[",
            "{}",
            "true",
            "\"\"\"block\"\"\"",
            "[[[[]]]]",
        ];
        match self.below(if depth > 3 { 1 } else { 4 }) {
            0 | 1 => self.any(&wild).into(),
            2 => format!("[{}, {}]", self.literal(depth + 1), self.literal(depth + 1)),
            _ => {
                let field = self.any(&["field", "direction", "not", "and", "or", "eq", "in", "rating", "book", "year"]);
                format!("{{ {field}: {} }}", self.literal(depth + 1))
            }
        }
    }

    fn selection(&mut self, depth: usize) -> String {
        let fields = [
            "books",
            "ratings",
            "orders",
            "nodes",
            "edges",
            "node",
            "cursor",
            "pageInfo",
            "id",
            "name",
            "rating",
            "book",
            "averageRating",
            "totalCount",
            "__typename",
            "__schema",
            "types",
            "rateBook",
            "addBook",
            "input",
            "x",
        ];
        let items: Vec<String> = (0..=self.below(3))
            .map(|_| {
                let alias =
                    if self.below(6) == 0 { format!("{}: ", self.any(&["a", "b", "__x"])) } else { String::new() };
                let name = self.any(&[
                    "first", "after", "last", "before", "orderBy", "where", "id", "ids", "asOf", "search", "input",
                    "upTo",
                ]);
                let arguments =
                    if self.below(2) == 0 { format!("({name}: {})", self.literal(0)) } else { String::new() };
                let directive = if self.below(6) == 0 {
                    self.any(&["@skip(if: true)", "@include(if: $v)", "@x", "@skip @skip @skip"])
                } else {
                    ""
                };
                let below = if depth < 6 && self.below(3) > 0 { self.selection(depth + 1) } else { String::new() };
                match self.below(12) {
                    0 => "...F".into(),
                    1 => format!(
                        "... on {} {}",
                        self.any(&["Book", "Node", "Query", "Nothing"]),
                        self.selection(depth + 2)
                    ),
                    _ => format!("{alias}{}{arguments} {directive} {below}", self.any(&fields)),
                }
            })
            .collect();
        format!("{{ {} }}", items.join(" "))
    }

    fn query(&mut self) -> String {
        let many = 1 + self.below(3000);
        match self.below(16) {
            0 => format!("{{ {} }}", "a { ".repeat(many)),
            1 => format!("{{ {} }}", "__typename ".repeat(many)),
            2 => format!("{{ books(first: {}1{}) {{ totalCount }} }}", "[".repeat(many), "]".repeat(many)),
            3 => format!("{{ ...F }} fragment F on Query {{ ...F {} }}", self.selection(0)),
            4 => {
                let fragment = |n: usize| format!("fragment F{n} on Query {{ ...F{} ...F{} }} ", n + 1, n + 1);
                format!(
                    "{{ ...F0 }} {} fragment F40 on Query {{ __typename }}",
                    (0..40).map(fragment).collect::<Vec<_>>().concat()
                )
            }
            5 => format!("query({}) {{ __typename }}", "$v: Int! ".repeat(many)),
            6 => format!("{{ __typename {} }}", "@skip(if: false) ".repeat(many)),
            7 => {
                let aliases: Vec<String> =
                    (0..many).map(|n| format!("a{n}: books(first: 100) {{ totalCount }}")).collect();
                format!("{{ {} }}", aliases.join(" "))
            }
            8 => self.text(),
            9 => format!(
                "{} {}",
                self.any(&["mutation", "subscription", "query Q($v: Boolean = 1)", "fragment F on Book"]),
                self.selection(0)
            ),
            10 => format!(
                "query Q($v: {}) {}",
                self.any(&["Int", "[ID!]!", "BookFilter", "Nothing", "Boolean!"]),
                self.selection(0)
            ),
            11 => {
                let operations: Vec<String> = (0..many).map(|n| format!("query A{n} {{ ...F }}")).collect();
                format!("{} fragment F on Query {{ {} }}", operations.join(" "), "__typename ".repeat(many))
            }
            12 => format!("{{ {} {} {} }}", "... { ".repeat(28), "a: x a: y ".repeat(many), "} ".repeat(28)),
            _ => self.selection(0),
        }
    }

    fn body(&mut self) -> Vec<u8> {
        let mut request = json!({ "query": self.query() });
        for name in ["variables", "operationName", "extensions"] {
            if self.below(4) == 0 {
                request[name] = self.value(0);
            }
        }
        if self.below(4) == 0 {
            request["variables"] = json!({ "v": self.value(0) });
        }
        if self.below(8) == 0 {
            request["extensions"] = json!({ "persistedQuery": self.value(0) });
        }
        let request = match self.below(20) {
            0 => json!([request]),
            1 => self.value(0),
            2 => return format!("{}1{}", "[".repeat(5000), "]".repeat(5000)).into(),
            3 => return format!("{{\"query\":\"{{ __typename }}\",\"variables\":{}1}}", "{\"a\":".repeat(5000)).into(),
            _ => request,
        };
        let mut body = request.to_string().into_bytes();
        match self.below(10) {
            0 => body.truncate(self.below(body.len())),
            1 => {
                let place = self.below(body.len());
                if let Some(byte) = body.get_mut(place) {
                    *byte ^= 1 << (self.0.next_u32() % 8);
                }
            }
            _ => {}
        }
        body
    }

    /// The whole request, as bytes.
    fn request(&mut self) -> Vec<u8> {
        let accept =
            self.any(&["application/json", "application/graphql-response+json", "*/*", "text/html;q=0.5", ";;;,q=/"]);
        if self.below(10) == 0 {
            let escaped: String =
                self.query().bytes().take(4000).map(|byte| format!("%{byte:02X}")).collect::<Vec<_>>().concat();
            let extra =
                self.any(&["", "&query=x", "&variables=[", "&variables={}", "&operationName=%FF", "&extensions=1"]);
            return format!(
                "GET /graphql?query={escaped}{extra} HTTP/1.1\r\nHost: localhost\r\nAccept: {accept}\r\n\r\n"
            )
            .into();
        }
        let body = self.body();
        let method = if self.below(50) == 0 { self.any(&["PUT", "DELETE", "PATCH"]) } else { "POST" };
        let kind = if self.below(20) == 0 {
            self.any(&["text/plain", "application/json; charset=x", "?"])
        } else {
            "application/json"
        };
        let length = body.len();
        let head = format!(
            "{method} /graphql HTTP/1.1\r\nHost: localhost\r\nAccept: {accept}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\n\r\n"
        );
        [head.into_bytes(), body].concat()
    }
}

/// The status and the body of an answer.
fn answer(socket: &mut BufReader<TcpStream>) -> io::Result<(u16, Vec<u8>)> {
    let (mut line, mut status, mut length) = (String::new(), 0, 0);
    loop {
        line.clear();
        if socket.read_line(&mut line)? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        if let Some(rest) = line.strip_prefix("HTTP/1.1 ") {
            status = rest[..3].parse().unwrap();
        }
        if let Some(rest) = line.to_ascii_lowercase().strip_prefix("content-length: ") {
            length = rest.trim().parse().unwrap();
        }
        if line == "\r\n" {
            let mut body = vec![0; length];
            socket.read_exact(&mut body)?;
            return Ok((status, body));
        }
    }
}

/// A connection, on which no answer takes long.
fn connect(address: &str) -> BufReader<TcpStream> {
    let socket = TcpStream::connect(address).unwrap();
    socket.set_read_timeout(Some(Duration::from_mins(1))).unwrap();
    BufReader::new(socket)
}

/// Sends many requests, one after the other; how many were answered with each status.
fn attack(address: &str, seed: u64, requests: u64) -> BTreeMap<u16, u64> {
    let mut dice = Dice(ChaCha8Rng::seed_from_u64(seed));
    let mut socket = connect(address);
    let mut statuses = BTreeMap::new();
    for _ in 0..requests {
        let request = dice.request();
        let exchange = |socket: &mut BufReader<TcpStream>| {
            socket.get_mut().write_all(&request)?;
            answer(socket)
        };
        let (status, body) = exchange(&mut socket).unwrap_or_else(|_| {
            // After a request whose body nobody wanted to read, the connection is closed.
            socket = connect(address);
            exchange(&mut socket).unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&request)))
        });
        let shown = || format!("{}\n{status} {}", String::from_utf8_lossy(&request), String::from_utf8_lossy(&body));
        assert!((200..500).contains(&status), "{}", shown());
        let body: Value = serde_json::from_slice(&body).unwrap_or_else(|_| panic!("{}", shown()));
        for error in body["errors"].as_array().into_iter().flatten() {
            let code = error["extensions"]["code"].as_str().unwrap_or_else(|| panic!("{}", shown()));
            assert!(code != "INTERNAL" && Code::ALL.iter().any(|(_, known, _)| *known == code), "{}", shown());
        }
        *statuses.entry(status).or_default() += 1;
    }
    statuses
}

#[tokio::test]
async fn no_request_is_too_odd_for_the_server() {
    let test = TestDb::new().await;
    let mut server = Command::new(env!("CARGO_BIN_EXE_bookends"))
        .env("DATABASE_URL", &test.url)
        .env("LISTEN", "127.0.0.1:0")
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(server.stdout.take().unwrap()).lines().map(Result::unwrap);
    let address = lines.find_map(|line| line.strip_prefix("open http://").map(str::to_owned)).unwrap();
    let address = address.split(' ').next().unwrap().to_owned();

    #[expect(clippy::disallowed_methods, reason = "a setting of this test alone")]
    let requests = std::env::var("FUZZ_REQUESTS").map_or(REQUESTS, |requests| requests.parse().unwrap());
    let attackers: Vec<_> = (0..CONNECTIONS)
        .map(|seed| {
            let address = address.clone();
            std::thread::spawn(move || attack(&address, seed, requests / CONNECTIONS))
        })
        .collect();
    let mut statuses: BTreeMap<u16, u64> = BTreeMap::new();
    for attacker in attackers {
        for (status, count) in attacker.join().unwrap() {
            *statuses.entry(status).or_default() += count;
        }
    }
    assert_eq!(statuses.values().sum::<u64>(), requests / CONNECTIONS * CONNECTIONS);
    assert!([200, 400, 405, 406, 415, 422].iter().all(|status| statuses.contains_key(status)), "{statuses:?}");

    if cfg!(target_os = "linux") {
        let status = std::fs::read_to_string(format!("/proc/{}/status", server.id())).unwrap();
        let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
        let peak: u64 = peak.trim().trim_end_matches(" kB").parse().unwrap();
        assert!(peak / 1024 < MOST_MEMORY, "{} MB", peak / 1024);
    }
    assert!(server.try_wait().unwrap().is_none(), "the server lives on");
    server.kill().unwrap();
    server.wait().unwrap();
}
