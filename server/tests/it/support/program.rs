//! The program as a process: start, output, signals.

use std::ffi::OsStr;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

pub use crate::support::patience::LONG;
use crate::support::wire::TOKEN;

/// What it logs. A test that fails prints it.
const LOG: &str = "info,bookends_server::db=debug";

/// This program with this database, which it fills with the sample, on a free port, with the write token [`TOKEN`], without
/// other settings from the environment.
pub fn program(path: impl AsRef<OsStr>, url: &str) -> Command {
    let mut command = Command::new(path);
    command.env_clear().env("DATABASE_URL", url).env("SAMPLE", "true").env("LISTEN", "127.0.0.1:0");
    command.env("WRITE_TOKEN", TOKEN);
    command
}

/// The address in the line that the program prints when it serves, in either format.
pub fn address_of(line: &str) -> String {
    line.split_once("http://").unwrap().1.split(['/', ' ', '"']).next().unwrap().to_owned()
}

/// What a command prints. It must succeed.
#[track_caller]
pub fn succeeds(command: &mut Command) -> String {
    let Output { status, stdout, stderr } = command.output().unwrap();
    assert!(status.success(), "{}", String::from_utf8_lossy(&stderr));
    String::from_utf8(stdout).unwrap()
}

/// One line on stderr that begins with the name of the program, no backtrace, a status that is not zero.
#[track_caller]
pub fn fails(command: &mut Command, text: &str) {
    let name = Path::new(command.get_program()).file_name().unwrap().to_str().unwrap().to_owned();
    let Output { status, stdout, stderr } = command.output().unwrap();
    let line = String::from_utf8(stderr).unwrap();
    assert!(!status.success() && stdout.is_empty());
    assert!(line.starts_with(&format!("{name}: ")) && line.lines().count() == 1 && line.contains(text), "{line}");
    assert!(!line.contains("secret"), "{line}");
}

/// A running server.
pub struct Program {
    child: Child,
    lines: Receiver<String>,
}

impl Program {
    /// Starts it with a log.
    pub fn start(command: &mut Command) -> Self {
        let command = command.env("RUST_LOG", LOG).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let (sender, lines) = channel();
        let outputs: [Box<dyn Read + Send>; 2] =
            [Box::new(child.stdout.take().unwrap()), Box::new(child.stderr.take().unwrap())];
        for output in outputs {
            let sender = sender.clone();
            std::thread::spawn(move || {
                BufReader::new(output).lines().map_while(Result::ok).try_for_each(|line| sender.send(line))
            });
        }
        Self { child, lines }
    }

    /// The next line that contains this text.
    #[track_caller]
    pub fn says(&self, text: &str) -> String {
        self.says_until(text).pop().unwrap()
    }

    /// All lines up to the next one that contains this text.
    #[track_caller]
    pub fn says_until(&self, text: &str) -> Vec<String> {
        self.lines_until(text, |line| line.contains(text))
    }

    #[track_caller]
    fn lines_until(&self, text: &str, ends: impl Fn(&str) -> bool) -> Vec<String> {
        let end = Instant::now() + LONG;
        let mut said = Vec::new();
        while let Ok(line) = self.lines.recv_timeout(end.saturating_duration_since(Instant::now())) {
            let is_last = ends(&line);
            said.push(line);
            if is_last {
                return said;
            }
        }
        panic!("{text:?} was not printed, but {said:#?}");
    }

    /// The address, once the program serves.
    #[track_caller]
    pub fn address(&self) -> String {
        let is_listening = |line: &str| line.contains("open http://") || line.contains("\"message\":\"listening\"");
        address_of(&self.lines_until("that it listens", is_listening).pop().unwrap())
    }

    /// The address in the line that it prints for its probes, after that of the server.
    #[track_caller]
    pub fn address_of_probes(&self) -> String {
        address_of(&self.says("the probes are at http://"))
    }

    /// Stops the program. Returns the remaining output.
    #[track_caller]
    pub fn end(mut self) -> String {
        self.signal("-TERM");
        assert!(self.ends_within(LONG).success());
        self.lines.iter().fold(String::new(), |said, line| said + &line + "\n")
    }

    /// The memory under this name in `/proc`, in kilobytes; only on Linux.
    pub fn memory(&self, name: &str) -> Option<u64> {
        if !cfg!(target_os = "linux") {
            return None;
        }
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let value = status.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':')).unwrap();
        Some(value.trim().trim_end_matches(" kB").parse().unwrap())
    }

    pub fn signal(&self, signal: &str) {
        assert!(Command::new("kill").args([signal, &self.child.id().to_string()]).status().unwrap().success());
    }

    /// The exit status, within this time.
    #[track_caller]
    pub fn ends_within(&mut self, time: Duration) -> ExitStatus {
        let end = Instant::now() + time;
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status;
            }
            assert!(Instant::now() < end, "it has not ended");
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        if std::thread::panicking() {
            self.lines.iter().for_each(|line| println!("{line}"));
        }
    }
}
