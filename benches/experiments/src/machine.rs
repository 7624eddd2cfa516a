//! Where an experiment ran.

use std::fs;

use serde::Serialize;

/// The machine, as Linux describes it. On other systems, most of it is `unknown`.
#[derive(Clone, Debug, Serialize)]
pub struct Machine {
    /// The model of the processor.
    pub processor: String,
    /// The number of cores that this process may use.
    pub cores: usize,
    /// The memory.
    pub memory: String,
    /// The mean number of runnable processes in the last 1, 5 and 15 minutes.
    pub load: String,
    /// The operating system and the architecture.
    pub system: String,
}

impl Machine {
    /// This machine, with its load at this moment.
    pub fn read() -> Self {
        Self {
            processor: line("/proc/cpuinfo", "model name"),
            cores: std::thread::available_parallelism().map_or(1, usize::from),
            memory: line("/proc/meminfo", "MemTotal"),
            load: fs::read_to_string("/proc/loadavg")
                .map_or_else(|_| unknown(), |load| load.split(' ').take(3).collect::<Vec<_>>().join(" ")),
            system: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
        }
    }
}

/// The value in the first line with this name.
fn line(file: &str, name: &str) -> String {
    let text = fs::read_to_string(file).unwrap_or_default();
    let value = text.lines().find(|line| line.starts_with(name)).and_then(|line| line.split_once(':'));
    value.map_or_else(unknown, |(_, value)| value.trim().to_owned())
}

fn unknown() -> String {
    "unknown".to_owned()
}
