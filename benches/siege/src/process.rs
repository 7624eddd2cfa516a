//! The servers as the system sees them, in `/proc`.

use std::fs;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// How often the memory is read while an attack runs.
const EVERY: Duration = Duration::from_millis(20);

/// The processes of the servers.
#[derive(Clone)]
pub struct Processes(pub Arc<[u32]>);

/// Watches the memory of the servers.
pub struct Watch {
    peak: Arc<AtomicU64>,
    ends: Arc<AtomicBool>,
    thread: JoinHandle<()>,
}

impl Processes {
    /// What they have allocated, in MB. What they map of a SQLite file is the system's cache.
    pub fn memory(&self) -> io::Result<u64> {
        let kilobytes = self.0.iter().map(|process| {
            let status = fs::read_to_string(format!("/proc/{process}/status"))?;
            let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:"));
            let kilobytes: Option<u64> = line.and_then(|line| line.trim().split(' ').next()?.parse().ok());
            kilobytes.ok_or_else(|| io::Error::other("the server has ended"))
        });
        Ok(kilobytes.sum::<io::Result<u64>>()? / 1024)
    }

    /// The time that they have had, in clock ticks.
    pub fn ticks(&self) -> io::Result<u64> {
        let ticks = self.0.iter().map(|process| {
            let stat = fs::read_to_string(format!("/proc/{process}/stat"))?;
            let fields: Vec<&str> = stat.rsplit(") ").next().unwrap_or_default().split(' ').collect();
            let ticks =
                |field: usize| fields.get(field).and_then(|ticks| ticks.parse::<u64>().ok()).unwrap_or_default();
            Ok(ticks(11) + ticks(12))
        });
        ticks.sum()
    }

    /// Watches their memory from now on.
    pub fn watch(&self) -> Watch {
        let processes = self.clone();
        let (peak, ends) = (Arc::new(AtomicU64::default()), Arc::new(AtomicBool::default()));
        let thread = thread::spawn({
            let (peak, ends) = (Arc::clone(&peak), Arc::clone(&ends));
            move || {
                while !ends.load(Relaxed) {
                    peak.fetch_max(processes.memory().unwrap_or_default(), Relaxed);
                    thread::sleep(EVERY);
                }
            }
        });
        Watch { peak, ends, thread }
    }
}

impl Watch {
    /// The most memory that they had.
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
