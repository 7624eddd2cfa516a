//! What the system says of a process.

use std::fs;
use std::time::Duration;

/// What it has allocated, in KiB. What it maps of a file is the system's cache.
pub fn kibibytes(process: &str) -> usize {
    let status = fs::read_to_string(format!("/proc/{process}/status")).expect("the process lives");
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:")).expect("the system counts pages");
    line.trim().trim_end_matches(" kB").parse().expect("a number of pages")
}

/// The time that its threads have had.
pub fn time(process: &str) -> Duration {
    let threads = fs::read_dir(format!("/proc/{process}/task")).expect("the process lives");
    let nanoseconds = threads.filter_map(|thread| {
        // A thread can end meanwhile.
        let statistics = fs::read_to_string(thread.ok()?.path().join("schedstat")).ok()?;
        statistics.split(' ').next()?.parse::<u64>().ok()
    });
    Duration::from_nanos(nanoseconds.sum())
}
