//! The processes of a server: started, stopped, killed, frozen.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use std::{fs, thread};

use uuid::Uuid;

use super::Cluster;

/// The maximum time of a start.
const MAX_START: Duration = Duration::from_mins(1);

/// The maximum number of ports to try.
pub(super) const MAX_TRIES: usize = 20;

/// The settings of every server.
const ALWAYS: [&str; 6] = [
    "listen_addresses=localhost",
    "fsync=off",
    "shared_buffers=32MB",
    // What a killed server shared must not outlive its folder.
    "dynamic_shared_memory_type=mmap",
    // A replica finds what it has missed while it was away, and does not wait for five seconds before it looks again.
    "wal_keep_size=512MB",
    "wal_retrieve_retry_interval=100ms",
];

/// How to stop a server.
#[derive(Clone, Copy, Debug)]
pub enum Stop {
    /// Disconnects the clients and shuts down cleanly.
    Fast,
    /// Kills all processes, like a crash; the next start recovers.
    Immediate,
}

impl Cluster {
    /// Starts the server on a free port. Only PostgreSQL itself can find out whether a port is free, by binding it.
    pub(super) fn begin(&mut self) {
        for _ in 0..MAX_TRIES {
            self.port = some_port();
            self.resume();
            let log = self.log();
            if has_its_port(self.server.as_mut().expect("it has been started"), &log, "ready to accept") {
                return;
            }
            self.stop(Stop::Immediate);
            fs::remove_file(&log).expect("a log can be removed");
        }
        panic!("none of {MAX_TRIES} ports is free");
    }

    /// Stops the server.
    ///
    /// # Panics
    ///
    /// If it does not stop.
    pub fn stop(&mut self, how: Stop) {
        // A stopped process does not receive other signals.
        self.thaw();
        let Some(mut server) = self.server.take() else { return };
        let name = match how {
            Stop::Fast => "-INT",
            Stop::Immediate => "-QUIT",
        };
        // The id of a process that was waited for may be another one's.
        if server.try_wait().expect("a child can be asked").is_none() {
            signal(name, &[server.id()]);
        }
        server.wait().expect("the server ends");
    }

    /// Kills all processes of the server at once, as a power failure does. Nothing is sent to the clients but the end of
    /// their connections.
    ///
    /// # Panics
    ///
    /// If it does not end.
    pub fn kill(&mut self) {
        let processes = self.freeze();
        let Some(mut server) = self.server.take() else { return };
        signal("-KILL", &processes);
        server.wait().expect("the server ends");
    }

    /// Stops the execution of all processes of the server, until [`Self::thaw`]. Its connections stay open. Returns the
    /// processes.
    ///
    /// # Panics
    ///
    /// If a process cannot be stopped.
    pub fn freeze(&mut self) -> Vec<u32> {
        let Some(server) = &self.server else { return Vec::new() };
        // First the process that starts others.
        signal("-STOP", &[server.id()]);
        let children = children(server.id());
        signal("-STOP", &children);
        self.is_frozen = true;
        children.into_iter().chain([server.id()]).collect()
    }

    /// Continues a frozen server.
    ///
    /// # Panics
    ///
    /// If a process cannot be continued.
    pub fn thaw(&mut self) {
        let Some(server) = self.server.as_ref().filter(|_| self.is_frozen) else { return };
        signal("-CONT", &children(server.id()));
        signal("-CONT", &[server.id()]);
        self.is_frozen = false;
    }

    /// Starts a stopped server, without waiting until it accepts connections.
    ///
    /// # Panics
    ///
    /// If it cannot be started.
    pub fn resume(&mut self) {
        let mut postgres = self.program("postgres");
        postgres.arg("-D").arg(self.data()).args(["-p", &self.port.to_string(), "-k"]).arg(&self.folder);
        for setting in ALWAYS.into_iter().chain(self.settings.iter().map(String::as_str)) {
            postgres.args(["-c", setting]);
        }
        let log = fs::File::options().create(true).append(true).open(self.log()).expect("a log can be made");
        self.server = Some(postgres.stdout(Stdio::null()).stderr(log).spawn().expect("postgres runs"));
        self.is_frozen = false;
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        self.stop(Stop::Immediate);
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// Waits until a server logs that it is ready; `false` if its port is in use on any address of `localhost`. A connection would
/// not tell: another server may accept it.
pub(super) fn has_its_port(server: &mut Child, log: &Path, ready: &str) -> bool {
    let end = Instant::now() + MAX_START;
    loop {
        // In this order: a process that has ended has logged why.
        let has_ended = server.try_wait().expect("a child can be asked").is_some();
        let log = fs::read_to_string(log).expect("there is a log");
        if log.contains("Address already in use") {
            return false;
        }
        assert!(!has_ended, "the server does not start: {log}");
        if log.contains(ready) {
            return true;
        }
        assert!(Instant::now() < end, "the server has not started: {log}");
        thread::sleep(Duration::from_millis(5));
    }
}

/// Sends a signal to processes. One that has ended in the meantime is no error.
pub(super) fn signal(name: &str, processes: &[u32]) {
    let ids = processes.iter().map(ToString::to_string);
    Command::new("kill").arg(name).args(ids).stderr(Stdio::null()).status().expect("kill runs");
}

/// The children of a process. Those of PostgreSQL have process groups of their own, so a signal to a group does not reach
/// them.
fn children(process: u32) -> Vec<u32> {
    let listed = Command::new("pgrep").args(["-P", &process.to_string()]).output().expect("pgrep runs");
    String::from_utf8_lossy(&listed.stdout).lines().filter_map(|line| line.parse().ok()).collect()
}

/// A random port below the ephemeral ports of Linux (32768 and above), which a connection could take while the server is
/// stopped.
pub(super) fn some_port() -> u16 {
    let id = Uuid::now_v7().into_bytes();
    20_000 + u16::from_le_bytes([id[14], id[15]]) % 12_000
}
