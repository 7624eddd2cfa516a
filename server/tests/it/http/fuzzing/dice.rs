//! Requests at random, of which hardly anything is right.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};
use serde_json::{Value, json};

use super::lists;
use crate::support::wire::TOKEN;

/// The longest body that is taken, in bytes.
pub const LONGEST: usize = 1 << 20;

/// What a request is made of.
pub struct Dice(ChaCha8Rng);

impl Dice {
    pub fn new(seed: u64) -> Self {
        Self(ChaCha8Rng::seed_from_u64(seed))
    }

    pub fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.0.next_u32()).unwrap() % end.max(1)
    }

    pub fn any<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.below(of.len())]
    }

    /// A text that hardly anything is right about.
    pub fn text(&mut self) -> String {
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

    pub fn value(&mut self, depth: usize) -> Value {
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
                let field =
                    self.any(&["field", "direction", "not", "and", "or", "eq", "in", "value", "sensor", "year"]);
                format!("{{ {field}: {} }}", self.literal(depth + 1))
            }
        }
    }

    fn selection(&mut self, depth: usize) -> String {
        let fields = [
            "sensors",
            "readings",
            "repairs",
            "nodes",
            "edges",
            "node",
            "cursor",
            "pageInfo",
            "id",
            "name",
            "value",
            "sensor",
            "cost",
            "totalCount",
            "__typename",
            "__schema",
            "types",
            "createReading",
            "createSensor",
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
                        self.any(&["Sensor", "Node", "Query", "Nothing"]),
                        self.selection(depth + 2)
                    ),
                    _ => format!("{alias}{}{arguments} {directive} {below}", self.any(&fields)),
                }
            })
            .collect();
        format!("{{ {} }}", items.join(" "))
    }

    pub fn query(&mut self) -> String {
        let many = 1 + self.below(3000);
        match self.below(16) {
            0 => format!("{{ {} }}", "a { ".repeat(many)),
            1 => format!("{{ {} }}", "__typename ".repeat(many)),
            2 => format!("{{ sensors(first: {}1{}) {{ totalCount }} }}", "[".repeat(many), "]".repeat(many)),
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
                    (0..many).map(|n| format!("a{n}: sensors(first: 100) {{ totalCount }}")).collect();
                format!("{{ {} }}", aliases.join(" "))
            }
            8 => self.text(),
            9 => format!(
                "{} {}",
                self.any(&["mutation", "subscription", "query Q($v: Boolean = 1)", "fragment F on Sensor"]),
                self.selection(0)
            ),
            10 => format!(
                "query Q($v: {}) {}",
                self.any(&["Int", "[ID!]!", "SensorFilter", "Nothing", "Boolean!"]),
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

    /// A request with a list of thousands in it.
    fn huge(&mut self) -> Value {
        let list = &lists::LISTS[self.below(lists::LISTS.len())];
        let number = 1000 + self.below(5000);
        if self.below(2) == 0 { list.literal(number) } else { list.variable(number) }
    }

    pub fn body(&mut self) -> Vec<u8> {
        // Rare, because they are slow.
        let huge = self.below(400) == 0;
        let mut request = if huge { self.huge() } else { json!({ "query": self.query() }) };
        for name in ["variables", "operationName", "extensions"] {
            if self.below(4) == 0 {
                request[name] = self.value(0);
            }
        }
        if !huge && self.below(4) == 0 {
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
            // Longer than any that is taken.
            4 if self.below(20) == 0 => return vec![b' '; LONGEST + 1000 + self.below(LONGEST)],
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
    pub fn request(&mut self) -> Vec<u8> {
        let accept = match self.below(10) {
            0 => self.any(&["text/html;q=0.5", ";;;,q=/", "text/html, application/json;q=0"]),
            _ => self.any(&["application/json", "application/graphql-response+json", "*/*"]),
        };
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
        let (token, length) = (self.any(&[TOKEN, "wrong", "é"]), body.len());
        let head = format!(
            "{method} /graphql HTTP/1.1\r\nHost: localhost\r\nAccept: {accept}\r\nAuthorization: Bearer {token}\r\n\
             Content-Type: {kind}\r\nContent-Length: {length}\r\n\r\n"
        );
        [head.into_bytes(), body].concat()
    }
}
