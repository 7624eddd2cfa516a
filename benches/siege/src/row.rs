//! A row of the table, and what is wrong with it.

use std::fmt;
use std::time::Duration;

use crate::normal::Outcome;

/// The 99th percentile that the normal client accepts.
const ACCEPTED: Duration = Duration::from_millis(250);

/// The 99th percentile that a probe of `/health` accepts.
const ACCEPTED_OF_HEALTH: Duration = Duration::from_millis(100);

/// How much more memory a server may have after an attack, in MB.
pub const TOLERANCE: u64 = 64;

/// The longest text of a failure.
const MAX_TEXT: usize = 300;

pub struct Row {
    /// What the attacker sent, and what it got.
    pub sent: usize,
    pub got: String,
    pub normal: Outcome,
    /// The memory before, at most, and after, in MB.
    pub memory: [u64; 3],
    /// The memory that the servers may have afterwards, in MB.
    pub accepted: u64,
    /// How long after the last disconnect the last work was seen.
    pub worked: Duration,
}

impl Row {
    pub fn faults(&self) -> Vec<String> {
        let mut faults = Vec::new();
        let [health, ready] = self.normal.probes(0.99);
        if health > ACCEPTED_OF_HEALTH {
            faults.push(format!("the p99 of /health is {}, more than {}", ms(health), ms(ACCEPTED_OF_HEALTH)));
        }
        if ready > ACCEPTED {
            faults.push(format!("the p99 of /ready is {}, more than {}", ms(ready), ms(ACCEPTED)));
        }
        let slow = self.normal.percentile(0.99);
        if slow > ACCEPTED {
            faults.push(format!("the p99 of the normal client is {}, more than {}", ms(slow), ms(ACCEPTED)));
        }
        if self.normal.requests() == 0 {
            faults.push("the normal client got no response".into());
        }
        for (failure, times) in &self.normal.failures {
            let failure: String = failure.chars().take(MAX_TEXT).collect();
            faults.push(format!("{times} failures of the normal client: {failure}"));
        }
        let [before, _, after] = self.memory;
        if after > self.accepted {
            faults.push(format!("memory is at {after} MB, and was at {before} MB before"));
        }
        faults
    }
}

impl fmt::Display for Row {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { sent, got, normal, memory: [before, peak, after], worked, .. } = self;
        let [p50, p99, max] = [0.5, 0.99, 1.0].map(|part| ms(normal.percentile(part)));
        let [health, ready] = normal.probes(0.99).map(ms);
        let (requests, failures) = (normal.requests(), normal.failures.values().sum::<usize>());
        write!(formatter, "{sent} | {got} | {requests} | {p50} | {p99} | {max} | {failures} | {health} | {ready} | ")?;
        write!(formatter, "{before}, {peak}, {after} | {}", ms(*worked))
    }
}

fn ms(time: Duration) -> String {
    let ms = time.as_secs_f64() * 1000.0;
    if ms < 10.0 { format!("{ms:.1} ms") } else { format!("{ms:.0} ms") }
}
