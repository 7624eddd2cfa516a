//! HTTP over a socket, without a client library.

use std::io::{self, Read, Write};
use std::net::TcpStream;

use crate::support::patience::LONG;

/// The write token of the servers of the tests.
pub const TOKEN: &str = "open-sesame-please";

/// A persistent connection.
pub struct Connection {
    socket: TcpStream,
    /// The received part of the next response.
    bytes: Vec<u8>,
}

/// The outcome of a request.
#[derive(Debug, PartialEq)]
pub enum Outcome {
    Answered(Answer),
    /// No response: the connection was never accepted, or closed.
    Nothing,
    /// A part of a response.
    Broken(String),
}

#[derive(Debug, PartialEq)]
pub struct Answer {
    pub status: u16,
    /// The lines before the body.
    pub head: String,
    pub body: String,
}

impl Answer {
    /// The value of a header.
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut fields = self.head.lines().filter_map(|line| line.split_once(": "));
        fields.find(|(field, _)| field.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }

    /// Whether the connection stays open.
    pub fn goes_on(&self) -> bool {
        self.header("connection").is_none_or(|value| !value.eq_ignore_ascii_case("close"))
    }
}

impl Connection {
    /// Connects to this address, if something listens.
    pub fn open(address: &str) -> Option<Self> {
        let socket = TcpStream::connect(address).ok()?;
        socket.set_read_timeout(Some(LONG)).unwrap();
        Some(Self { socket, bytes: Vec::new() })
    }

    /// Sends a request and waits for the response.
    pub fn ask(&mut self, request: impl AsRef<[u8]>) -> Outcome {
        // A rejected request need not be sent completely.
        let _ = self.socket.write_all(request.as_ref());
        let mut bytes = [0; 4096];
        loop {
            if let Some(answer) = self.answer() {
                return Outcome::Answered(answer);
            }
            match self.socket.read(&mut bytes) {
                Ok(read @ 1..) => self.bytes.extend_from_slice(&bytes[..read]),
                Err(error) if is_interrupted(&error) => {}
                _ if self.bytes.is_empty() => return Outcome::Nothing,
                _ => return Outcome::Broken(String::from_utf8_lossy(&self.bytes).into_owned()),
            }
        }
    }

    /// The response, if it is complete.
    fn answer(&mut self) -> Option<Answer> {
        let end = self.bytes.windows(4).position(|bytes| bytes == b"\r\n\r\n")?;
        let head = String::from_utf8_lossy(&self.bytes[..end]).into_owned();
        let status = head.strip_prefix("HTTP/1.1 ").and_then(|rest| rest.get(..3)?.parse().ok());
        let mut answer = Answer { status: status.unwrap_or_else(|| panic!("{head}")), head, body: String::new() };
        let length = answer.header("content-length").unwrap_or_else(|| panic!("{}", answer.head));
        let length: usize = length.parse().unwrap();
        let body = self.bytes.get(end + 4..end + 4 + length)?;
        answer.body = String::from_utf8(body.to_vec()).unwrap();
        self.bytes.drain(..end + 4 + length);
        Some(answer)
    }
}

/// Whether a signal ended a read. The system does not go on with one that has a time limit, and the end of any child of the
/// tests is a signal.
fn is_interrupted(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::Interrupted
}

/// The response to the only request on a connection.
#[track_caller]
pub fn ask(address: &str, request: impl AsRef<[u8]>) -> Answer {
    let mut connection = Connection::open(address).expect("the server accepts a connection");
    match connection.ask(request) {
        Outcome::Answered(answer) => answer,
        outcome => panic!("{outcome:?} is not a response"),
    }
}

/// A request to the API with these headers; each ends with a line break.
pub fn post_with(headers: &str, body: &str) -> String {
    let head = "POST /graphql HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n";
    format!("{head}{headers}Content-Length: {}\r\n\r\n{body}", body.len())
}

/// A request to the API that closes the connection.
pub fn post(body: &str) -> String {
    post_with("Connection: close\r\n", body)
}

/// The header with [`TOKEN`].
pub fn authorized() -> String {
    format!("Authorization: Bearer {TOKEN}\r\n")
}

/// A request that may write. It closes the connection.
pub fn write(body: &str) -> String {
    post_with(&format!("Connection: close\r\n{}", authorized()), body)
}

/// A GET request that closes the connection.
pub fn get(path: &str) -> String {
    format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
}
