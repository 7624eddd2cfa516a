//! The server as the system sees it, in `/proc`.

use std::fs;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// How often the memory is read while an attack runs.
const EVERY: Duration = Duration::from_millis(20);

/// The process of a server.
#[derive(Clone, Copy)]
pub struct Process(pub u32);

/// Watches the memory of a process.
pub struct Watch {
    peak: Arc<AtomicU64>,
    ends: Arc<AtomicBool>,
    thread: JoinHandle<()>,
}

impl Process {
    /// What it has allocated, in MB. What it maps of a SQLite file is the system's cache.
    pub fn memory(self) -> io::Result<u64> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.0))?;
        let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:"));
        let kilobytes: Option<u64> = line.and_then(|line| line.trim().split(' ').next()?.parse().ok());
        kilobytes.map(|kilobytes| kilobytes / 1024).ok_or_else(|| io::Error::other("the server has ended"))
    }

    /// The time that it has had, in clock ticks.
    pub fn ticks(self) -> io::Result<u64> {
        let stat = fs::read_to_string(format!("/proc/{}/stat", self.0))?;
        let fields: Vec<&str> = stat.rsplit(") ").next().unwrap_or_default().split(' ').collect();
        let ticks = |field: usize| fields.get(field).and_then(|ticks| ticks.parse::<u64>().ok()).unwrap_or_default();
        Ok(ticks(11) + ticks(12))
    }

    /// Watches its memory from now on.
    pub fn watch(self) -> Watch {
        let (peak, ends) = (Arc::new(AtomicU64::default()), Arc::new(AtomicBool::default()));
        let thread = thread::spawn({
            let (peak, ends) = (Arc::clone(&peak), Arc::clone(&ends));
            move || {
                while !ends.load(Relaxed) {
                    peak.fetch_max(self.memory().unwrap_or_default(), Relaxed);
                    thread::sleep(EVERY);
                }
            }
        });
        Watch { peak, ends, thread }
    }
}

impl Watch {
    /// The most memory that it had.
    pub fn peak(self) -> u64 {
        self.ends.store(true, Relaxed);
        let _ = self.thread.join();
        self.peak.load(Relaxed)
    }
}

/// How many files this process may open.
pub fn max_files() -> usize {
    let limits = fs::read_to_string("/proc/self/limits").unwrap_or_default();
    let line = limits.lines().find_map(|line| line.strip_prefix("Max open files"));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(1024)
}
