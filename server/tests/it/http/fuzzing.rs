//! Requests that nobody means well by: each is answered, none by a 5xx, and the server lives on.

use std::collections::BTreeMap;

use bookends_server::request::Code;
use serde_json::Value;
use testdb::TestDb;

use crate::support::program::Program;
use crate::support::station;
use crate::support::wire::{Answer, Connection, Outcome, post_with};
use dice::{Dice, LONGEST};

mod dice;
mod lists;
mod sockets;

/// How many, unless `FUZZ_REQUESTS` says more: each takes a debug build some milliseconds.
const REQUESTS: u64 = 5_000;
const CONNECTIONS: u64 = 4;
/// More than the head of a request has, in bytes.
const HEAD: usize = 1000;
/// What the server may have grown to, in megabytes: a debug build begins at some fifty.
const MOST_MEMORY: u64 = 400;

/// A client of the server that is attacked.
struct Attacker {
    address: String,
    connection: Connection,
    /// How many answers it had with each status.
    statuses: BTreeMap<u16, u64>,
}

impl Attacker {
    fn new(address: &str) -> Self {
        let connection = Connection::open(address).expect("the server takes a connection");
        Self { address: address.to_owned(), connection, statuses: BTreeMap::new() }
    }

    /// Sends a request, whose answer is no worse than it has to be. No connection is lost but by a request that is too
    /// long to be read; where it was cut before the answer had been read, there is none.
    fn send(&mut self, request: &[u8]) -> Option<Answer> {
        let is_too_long = request.len() > LONGEST + HEAD;
        let shown = || String::from_utf8_lossy(&request[..request.len().min(100_000)]);
        let (answer, goes_on) = match self.connection.ask(request) {
            Outcome::Answered(answer) => {
                let goes_on = answer.goes_on();
                assert!(goes_on || is_too_long, "closed after {answer:?} to {}", shown());
                (Some(answer), goes_on && !is_too_long)
            }
            outcome => {
                assert!(is_too_long, "{outcome:?} to {}", shown());
                (None, false)
            }
        };
        if !goes_on {
            self.connection = Connection::open(&self.address).expect("the server takes another connection");
        }
        let Some(Answer { status, body, .. }) = &answer else { return None };
        assert!((200..500).contains(status) && (*status == 413) == is_too_long, "{answer:?} to {}", shown());
        let body: Value = serde_json::from_str(body).unwrap_or_else(|_| panic!("{answer:?} to {}", shown()));
        for error in body["errors"].as_array().into_iter().flatten() {
            assert!(is_known(error), "{answer:?} to {}", shown());
        }
        *self.statuses.entry(*status).or_default() += 1;
        answer
    }
}

/// Whether an error has a code that says what is wrong with the request.
fn is_known(error: &Value) -> bool {
    let code = error["extensions"]["code"].as_str();
    code.is_some_and(|code| code != "INTERNAL" && Code::ALL.iter().any(|(_, known, _)| *known == code))
}

/// The server has grown within its bounds, ends as it should, and nothing in it has panicked.
fn ends_well(program: Program) {
    if let Some(peak) = program.memory("VmHWM") {
        assert!(peak / 1024 < MOST_MEMORY, "{} MB", peak / 1024);
    }
    let log = program.end();
    assert!(!log.contains("panicked"), "{log}");
}

#[tokio::test]
async fn odd_requests_get_no_5xx() {
    let test = TestDb::new().await;
    let program = Program::start(&mut station::program(&test.url));
    let address = program.address();

    #[expect(clippy::disallowed_methods, reason = "a setting of this test alone")]
    let requests = std::env::var("FUZZ_REQUESTS").map_or(REQUESTS, |requests| requests.parse().unwrap());
    let attackers: Vec<_> = (0..CONNECTIONS)
        .map(|seed| {
            let (mut attacker, mut dice) = (Attacker::new(&address), Dice::new(seed));
            std::thread::spawn(move || {
                let unanswered =
                    (0..requests / CONNECTIONS).filter(|_| attacker.send(&dice.request()).is_none()).count();
                (attacker.statuses, unanswered)
            })
        })
        .collect();
    let (mut statuses, mut all) = (BTreeMap::<u16, u64>::new(), 0);
    for attacker in attackers {
        let (counted, unanswered) = attacker.join().unwrap();
        all += u64::try_from(unanswered).unwrap();
        for (status, count) in counted {
            all += count;
            *statuses.entry(status).or_default() += count;
        }
    }
    assert_eq!(all, requests / CONNECTIONS * CONNECTIONS);
    assert!([200, 400, 405, 406, 413, 415, 422].iter().all(|status| statuses.contains_key(status)), "{statuses:?}");
    ends_well(program);
}

#[tokio::test]
async fn long_lists_get_no_5xx() {
    let test = TestDb::new().await;
    let program = Program::start(&mut station::program(&test.url));
    let mut attacker = Attacker::new(&program.address());
    for list in lists::LISTS {
        // A text of thousands has too many tokens.
        let too_many = Some("QUERY_TOO_COMPLEX");
        for (number, in_text) in [(600, list.code), (20_000, too_many)] {
            for (request, code) in [(list.literal(number), in_text), (list.variable(number), list.code)] {
                let answer = attacker.send(post_with("", &request.to_string()).as_bytes()).unwrap();
                let body: Value = serde_json::from_str(&answer.body).unwrap();
                let found = body["errors"][0]["extensions"]["code"].as_str();
                assert_eq!((answer.status, found), (200, code), "{number} in {}: {}", list.around, answer.body);
            }
        }
    }
    ends_well(program);
}
