//! HTTP/1.1 over a socket, by hand: a client library would refuse to send what an attacker sends.

use std::io::{self, Error, ErrorKind};
use std::net::{Ipv4Addr, SocketAddr};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};

/// A persistent connection.
pub struct Connection {
    stream: TcpStream,
    /// What was received beyond the last response.
    bytes: Vec<u8>,
}

pub struct Response {
    pub status: u16,
    pub body: Vec<u8>,
    /// Whether the server closes the connection after it.
    pub is_last: bool,
}

/// A socket of the client at this address.
pub fn socket(from: Ipv4Addr) -> io::Result<TcpSocket> {
    let socket = TcpSocket::new_v4()?;
    socket.bind(SocketAddr::from((from, 0)))?;
    socket.set_nodelay(true)?;
    Ok(socket)
}

/// A request to the API by POST, with more headers, each with its line end.
pub fn post(headers: &str, body: &[u8]) -> Vec<u8> {
    let head = format!(
        "POST /graphql HTTP/1.1\r\nHost: siege\r\nContent-Type: application/json\r\n\
         Accept: application/graphql-response+json\r\n{headers}Content-Length: {}\r\n\r\n",
        body.len()
    );
    [head.as_bytes(), body].concat()
}

/// A request to another path.
pub fn get(path: &str) -> Vec<u8> {
    format!("GET {path} HTTP/1.1\r\nHost: siege\r\n\r\n").into_bytes()
}

impl Connection {
    pub async fn open(from: Ipv4Addr, to: SocketAddr) -> io::Result<Self> {
        Ok(socket(from)?.connect(to).await?.into())
    }

    /// Sends a request and receives its response, which can come before the request was sent completely.
    pub async fn ask(&mut self, request: &[u8]) -> io::Result<Response> {
        let sent = self.stream.write_all(request).await;
        let received = self.receive().await;
        received.map_err(|error| sent.err().unwrap_or(error))
    }

    async fn receive(&mut self) -> io::Result<Response> {
        let end = loop {
            match self.bytes.windows(4).position(|four| four == b"\r\n\r\n") {
                Some(end) => break end + 4,
                None => self.fill().await?,
            }
        };
        let head = String::from_utf8_lossy(&self.bytes[..end]).to_lowercase();
        let status = head.get(9..12).and_then(|status| status.parse().ok()).ok_or(ErrorKind::InvalidData)?;
        let header =
            |name: &str| head.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':')).map(str::trim);
        let length: usize = match header("content-length") {
            Some(length) => length.parse().map_err(|_| ErrorKind::InvalidData)?,
            None => return Err(Error::new(ErrorKind::InvalidData, "a response without Content-Length")),
        };
        let is_last = header("connection") == Some("close");
        while self.bytes.len() < end + length {
            self.fill().await?;
        }
        let body = self.bytes[end..end + length].to_vec();
        self.bytes.drain(..end + length);
        Ok(Response { status, body, is_last })
    }

    async fn fill(&mut self) -> io::Result<()> {
        match self.stream.read_buf(&mut self.bytes).await? {
            0 => Err(ErrorKind::UnexpectedEof.into()),
            _ => Ok(()),
        }
    }
}

impl From<TcpStream> for Connection {
    fn from(stream: TcpStream) -> Self {
        Self { stream, bytes: Vec::new() }
    }
}
