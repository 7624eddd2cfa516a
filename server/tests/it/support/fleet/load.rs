//! Requests of several clients at the same time, while something happens to the database.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;

use super::{Client, Server, wait};

/// What the clients observed.
#[derive(Default)]
pub struct Load {
    read: AtomicUsize,
    /// The sensors whose addition was acknowledged.
    written: Mutex<BTreeSet<String>>,
    /// The codes of reads and of writes.
    read_failures: Mutex<BTreeMap<String, usize>>,
    write_failures: Mutex<BTreeMap<String, usize>>,
    /// The longest time of a read.
    slowest: Mutex<Duration>,
    done: AtomicBool,
}

/// Ends the load, also when a test fails.
struct Done<'a>(&'a AtomicBool);

impl Drop for Done<'_> {
    fn drop(&mut self) {
        self.0.store(true, SeqCst);
    }
}

const QUERY: &str = "{ sensors(first: 5) { nodes { name readings(first: 2) { nodes { value } } } } }";

impl Load {
    /// Reads and writes with so many clients each until the script ends.
    pub fn during(server: &Server, readers: usize, writers: usize, script: impl FnOnce(&Self)) -> Self {
        let load = Self::default();
        thread::scope(|scope| {
            let _done = Done(&load.done);
            for _ in 0..readers {
                let client = server.client();
                scope.spawn(|| load.read(client));
            }
            for writer in 0..writers {
                let (load, client) = (&load, server.client());
                scope.spawn(move || load.write(client, writer));
            }
            script(&load);
        });
        load
    }

    fn read(&self, mut client: Client) {
        while !self.done.load(SeqCst) {
            let begun = Instant::now();
            match client.request("", &json!({ "query": QUERY })) {
                Ok(_) => drop(self.read.fetch_add(1, SeqCst)),
                Err(code) => *self.read_failures.lock().unwrap().entry(code).or_default() += 1,
            }
            let mut slowest = self.slowest.lock().unwrap();
            *slowest = slowest.max(begun.elapsed());
        }
    }

    fn write(&self, mut client: Client, writer: usize) {
        for number in 0.. {
            if self.done.load(SeqCst) {
                return;
            }
            let name = format!("{writer} {number}");
            match client.add(&name) {
                Ok(_) => drop(self.written.lock().unwrap().insert(name)),
                Err(code) => {
                    *self.write_failures.lock().unwrap().entry(code).or_default() += 1;
                    // A refusal can be immediate.
                    thread::sleep(Duration::from_millis(5));
                }
            }
        }
    }

    /// Waits for this many further reads.
    #[track_caller]
    pub fn reads(&self, more: usize) {
        let before = self.read.load(SeqCst);
        wait(|| self.read.load(SeqCst) >= before + more);
    }

    /// Waits for this many further writes.
    #[track_caller]
    pub fn writes(&self, more: usize) {
        let before = self.written.lock().unwrap().len();
        wait(|| self.written.lock().unwrap().len() >= before + more);
    }

    /// The number of reads.
    pub fn requests(&self) -> u64 {
        self.read.load(SeqCst) as u64
    }

    /// Fails if a read failed, or took longer than this.
    #[track_caller]
    pub fn no_read_failed_within(&self, limit: Duration) {
        let failures = self.read_failures.lock().unwrap();
        assert!(failures.is_empty(), "{failures:?}");
        let slowest = *self.slowest.lock().unwrap();
        assert!(slowest < limit, "a read took {slowest:?}");
    }

    /// The acknowledged sensors, and the codes of the other writes.
    pub fn written(self) -> (BTreeSet<String>, BTreeMap<String, usize>) {
        (self.written.into_inner().unwrap(), self.write_failures.into_inner().unwrap())
    }
}
