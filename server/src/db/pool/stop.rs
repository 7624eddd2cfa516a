//! Stops statements on SQLite.
//!
//! SQLite has no time limit, and dropping the future of a statement does not stop it: it continues on its thread. SQLite
//! calls a *progress handler* every 20,000 instructions, which can stop the statement.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// How many instructions lie between two calls: some tenths of a millisecond.
pub const INSTRUCTIONS: i32 = 20_000;

/// Whether the statement of a connection may continue.
#[derive(Debug)]
pub struct Stop {
    /// Where `end` counts from.
    zero: Instant,
    /// The deadline of the statement, in microseconds.
    end: AtomicU64,
    /// How often the handler may still be called.
    calls: AtomicU32,
    /// Whether the future of the statement was dropped.
    abandoned: AtomicBool,
}

impl Stop {
    pub fn new() -> Self {
        Self {
            zero: Instant::now(),
            end: AtomicU64::new(u64::MAX),
            calls: AtomicU32::new(u32::MAX),
            abandoned: AtomicBool::new(false),
        }
    }

    /// Starts the time of a statement, in which the handler is called at most this often.
    pub fn begin(&self, limit: Duration, calls: u32) {
        self.calls.store(calls, Ordering::Relaxed);
        self.end.store(micros(self.zero.elapsed().saturating_add(limit)), Ordering::Relaxed);
        self.abandoned.store(false, Ordering::Relaxed);
    }

    /// Stops the statement.
    pub fn abandon(&self) {
        self.abandoned.store(true, Ordering::Relaxed);
    }

    /// Whether the statement may continue.
    pub fn may_continue(&self) -> bool {
        let calls = self.calls.load(Ordering::Relaxed);
        self.calls.store(calls.saturating_sub(1), Ordering::Relaxed);
        calls > 0
            && !self.abandoned.load(Ordering::Relaxed)
            && micros(self.zero.elapsed()) < self.end.load(Ordering::Relaxed)
    }
}

fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}
