//! Requests and their failures, by the kind of client.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// What a client does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    Walk,
    Read,
    ReadAtPosition,
    Write,
    Subscribe,
}

#[derive(Default)]
pub struct Tally(Mutex<BTreeMap<Kind, Counts>>);

#[derive(Default)]
struct Counts {
    times: Vec<Duration>,
    /// By their text. Those of writes are expected until both servers write to the next primary.
    failures: BTreeMap<String, usize>,
    expected: BTreeMap<String, usize>,
}

impl Tally {
    pub fn took(&self, kind: Kind, time: Duration) {
        self.of(kind, |counts| counts.times.push(time));
    }

    pub fn failed(&self, kind: Kind, why: String) {
        self.of(kind, |counts| *counts.failures.entry(why).or_default() += 1);
    }

    pub fn expected(&self, kind: Kind, why: String) {
        self.of(kind, |counts| *counts.expected.entry(why).or_default() += 1);
    }

    fn of(&self, kind: Kind, note: impl FnOnce(&mut Counts)) {
        note(self.0.lock().unwrap_or_else(PoisonError::into_inner).entry(kind).or_default());
    }

    /// What must not have happened: failures, and kinds without a success.
    pub fn faults(&self) -> Vec<String> {
        let kinds = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let failures =
            kinds.iter().flat_map(|(kind, counts)| counts.failures.iter().map(move |failure| (kind, failure)));
        let failures = failures.map(|(kind, (why, times))| format!("{}: {times} × {why}", kind.name()));
        let idle = Kind::ALL.iter().filter(|kind| kinds.get(kind).is_none_or(|counts| counts.times.is_empty()));
        failures.chain(idle.map(|kind| format!("{}: none succeeded", kind.name()))).collect()
    }
}

impl Kind {
    const ALL: [Self; 5] = [Self::Walk, Self::Read, Self::ReadAtPosition, Self::Write, Self::Subscribe];

    fn name(self) -> &'static str {
        match self {
            Self::Walk => "pages of walks",
            Self::Read => "queries",
            Self::ReadAtPosition => "queries at a position",
            Self::Write => "mutations",
            Self::Subscribe => "events",
        }
    }
}

/// A table in Markdown.
impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "| requests | number | p50 | p99 | maximum | failures | failures until both servers wrote to the next primary |"
        )?;
        writeln!(f, "|---|---|---|---|---|---|---|")?;
        for (kind, counts) in self.0.lock().unwrap_or_else(PoisonError::into_inner).iter() {
            let mut times = counts.times.clone();
            times.sort_unstable();
            let part = |part: usize| {
                let time = times.get((times.len() * part / 100).min(times.len().saturating_sub(1)));
                // What nobody waited for has no time.
                let time = time.filter(|time| !time.is_zero());
                time.map_or("–".to_owned(), |time| format!("{:.1} ms", time.as_secs_f64() * 1000.0))
            };
            let failures: usize = counts.failures.values().sum();
            let expected: Vec<String> =
                counts.expected.iter().map(|(code, times)| format!("{code} × {times}")).collect();
            let expected = if expected.is_empty() { "0".to_owned() } else { expected.join(", ") };
            let [p50, p99, most] = [part(50), part(99), part(100)];
            writeln!(f, "| {} | {} | {p50} | {p99} | {most} | {failures} | {expected} |", kind.name(), times.len())?;
        }
        Ok(())
    }
}
