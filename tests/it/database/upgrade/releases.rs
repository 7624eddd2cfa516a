//! The previous release and this one, on one database.

use std::ffi::OsString;

use serde_json::{Value, json};

use crate::support::program::{Program, address_of, program};
use crate::support::wire::{Answer, TOKEN, ask, post, write};

/// The index of the previous release.
pub const PREVIOUS: usize = 0;

/// The index of this one.
pub const OURS: usize = 1;

pub struct Releases {
    url: String,
    programs: [OsString; 2],
    /// Each that runs, with its address.
    running: [Option<(Program, String)>; 2],
    /// How many answers were equal.
    pub compared: usize,
}

impl Releases {
    pub fn new(url: &str, previous: OsString) -> Self {
        let programs = [previous, env!("CARGO_BIN_EXE_bookshop").into()];
        Self { url: url.to_owned(), programs, running: [None, None], compared: 0 }
    }

    /// Whether both may run at the same time: a SQLite file has one server.
    pub fn are_together(&self) -> bool {
        self.url.starts_with("postgres")
    }

    /// The address of a release, which starts if it does not run.
    pub fn address(&mut self, release: usize) -> String {
        if !self.are_together()
            && let Some((other, _)) = self.running[1 - release].take()
        {
            other.end();
        }
        let started = || {
            // Release 0.2.0 reads this variable.
            let mut command = program(&self.programs[release], &self.url);
            let program = Program::start(command.env("BOOKENDS_WRITE_TOKEN", TOKEN));
            let address = address_of(&program.says("open http://"));
            (program, address)
        };
        self.running[release].get_or_insert_with(started).1.clone()
    }

    fn ask(&mut self, release: usize, request: impl Fn(&str) -> String, document: &str) -> (u16, Value) {
        let body = json!({ "query": document }).to_string();
        let Answer { status, body, .. } = ask(&self.address(release), request(&body));
        (status, serde_json::from_str(&body).unwrap_or_else(|error| panic!("{error}: {body}")))
    }

    /// Does a mutation, which must succeed. Its data.
    pub fn write(&mut self, release: usize, mutation: &str) -> Value {
        let (_, mut answer) = self.ask(release, write, &format!("mutation {{ {mutation} }}"));
        assert!(answer["errors"].is_null(), "{mutation} through {release}: {answer}");
        answer["data"].take()
    }

    /// Asks both, whose answers must be equal. The data of each, and nothing for a query that only this release knows.
    pub fn compare(&mut self, queries: &[String]) -> Vec<Option<Value>> {
        let [before, now] = [PREVIOUS, OURS]
            .map(|release| queries.iter().map(|query| self.ask(release, post, query)).collect::<Vec<_>>());
        let mut all = Vec::new();
        for ((query, before), now) in queries.iter().zip(before).zip(now) {
            let (status, mut answer) = before;
            if answer["errors"][0]["extensions"]["code"] == "GRAPHQL_VALIDATION_FAILED" {
                all.push(None);
                continue;
            }
            assert!(answer["errors"].is_null(), "{query}: {answer}");
            assert_eq!((status, &answer), (now.0, &now.1), "{query}: the previous release answers as on the left");
            self.compared += 1;
            all.push(Some(answer["data"].take()));
        }
        all
    }
}
