//! The program as it runs in production: started, told to stop, watched from outside.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

/// Longer than anything takes.
pub const LONG: Duration = Duration::from_secs(30);

/// The program with this database, at an address that is free, and no other setting from outside.
pub fn bookends(url: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_bookends"));
    command.env_clear().env("DATABASE_URL", url).env("LISTEN", "127.0.0.1:0");
    command
}

/// A running server.
pub struct Program {
    child: Child,
    lines: Receiver<String>,
}

impl Program {
    /// Starts it with a log.
    pub fn start(command: &mut Command) -> Self {
        let command = command.env("RUST_LOG", "info").stdout(Stdio::piped()).stderr(Stdio::piped());
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

    /// The next line that it says with this in it.
    #[track_caller]
    pub fn says(&self, text: &str) -> String {
        let end = Instant::now() + LONG;
        let mut said = Vec::new();
        while let Ok(line) = self.lines.recv_timeout(end.saturating_duration_since(Instant::now())) {
            if line.contains(text) {
                return line;
            }
            said.push(line);
        }
        panic!("{text:?} was not said, but {said:#?}");
    }

    /// Where it serves, once it does.
    #[track_caller]
    pub fn address(&self) -> String {
        let line = self.says("open http://");
        line.trim_start_matches("open http://").split(' ').next().unwrap().to_owned()
    }

    /// Has it stop; all that it has said since it was last listened to.
    #[track_caller]
    pub fn end(mut self) -> String {
        self.signal("-TERM");
        assert!(self.ends_within(LONG).success());
        self.lines.iter().fold(String::new(), |said, line| said + &line + "\n")
    }

    /// What the system says of its memory under this name, in kilobytes; on Linux alone.
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

    /// How it ends, within this time.
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
    }
}

/// What came of a request.
#[derive(Debug, PartialEq)]
pub enum Outcome {
    /// The answer, and whether another request may follow.
    Answered(String, bool),
    /// The connection was never accepted, or was closed: nothing of an answer came.
    Nothing,
    /// A part of an answer.
    Broken(String),
}

/// Asks on a connection that is kept.
pub fn ask(socket: &mut TcpStream, body: &str) -> Outcome {
    socket.set_read_timeout(Some(LONG)).unwrap();
    let head = "POST /graphql HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n";
    if write!(socket, "{head}Content-Length: {}\r\n\r\n{body}", body.len()).is_err() {
        return Outcome::Nothing;
    }
    let mut answer = Vec::new();
    let mut bytes = [0; 4096];
    loop {
        match socket.read(&mut bytes) {
            Ok(read @ 1..) => answer.extend_from_slice(&bytes[..read]),
            _ if answer.is_empty() => return Outcome::Nothing,
            _ => return Outcome::Broken(String::from_utf8_lossy(&answer).into_owned()),
        }
        let text = String::from_utf8_lossy(&answer).into_owned();
        let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
        let head = head.to_ascii_lowercase();
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")).unwrap();
        if body.len() == length.parse::<usize>().unwrap() {
            return Outcome::Answered(body.to_owned(), !head.contains("connection: close"));
        }
    }
}
