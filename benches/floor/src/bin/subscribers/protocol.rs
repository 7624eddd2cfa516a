//! The protocols of subscriptions: `graphql-transport-ws`, event streams, and bare sockets.

use std::net::SocketAddr;

use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// A masked pong. The mask is zero, as of all frames here.
pub const PONG: &[u8] = &[0x8a, 0x80, 0, 0, 0, 0];

pub enum Protocol {
    WebSocket {
        handshake: Vec<u8>,
        subscribe: Vec<u8>,
    },
    EventStream {
        request: Vec<u8>,
    },
    /// Nothing but these bytes.
    Bare(Vec<u8>),
}

pub enum Received {
    Event,
    Ping,
    Other,
}

impl Protocol {
    /// The protocol of this name: `websocket`, `sse`, or `bare` with the bytes of an event.
    pub fn new(name: &str, known: Option<Vec<u8>>, address: SocketAddr, subscription: &str) -> Self {
        let payload = json!({ "query": subscription });
        match (name, known) {
            (_, Some(known)) => Self::Bare(known),
            ("websocket", _) => Self::WebSocket {
                handshake: format!(
                    "GET /graphql HTTP/1.1\r\nHost: {address}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
                     Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\
                     Sec-WebSocket-Protocol: graphql-transport-ws\r\n\r\n"
                )
                .into(),
                subscribe: frame(&json!({ "id": "1", "type": "subscribe", "payload": payload }).to_string()),
            },
            ("sse", _) => {
                Self::EventStream { request: post(address, "Accept: text/event-stream\r\n", &payload.to_string()) }
            }
            _ => panic!("expected `websocket`, `sse` or `bare`"),
        }
    }

    pub fn is_bare(&self) -> bool {
        matches!(self, Self::Bare(_))
    }

    /// What causes an event.
    pub fn trigger(&self, address: SocketAddr, mutation: &str, token: &str) -> Vec<u8> {
        match self {
            Self::Bare(_) => vec![0],
            _ => post(address, &format!("Authorization: Bearer {token}\r\n"), mutation),
        }
    }

    /// Subscribes, and waits for the response of the server, if it sends one before the first event.
    pub async fn subscribe(&self, socket: &mut TcpStream) {
        match self {
            Self::WebSocket { handshake, subscribe } => {
                socket.write_all(handshake).await.expect("an open connection");
                head(socket, "HTTP/1.1 101").await;
                let init = frame(&json!({ "type": "connection_init" }).to_string());
                socket.write_all(&init).await.expect("an open connection");
                acknowledged(socket).await;
                socket.write_all(subscribe).await.expect("an open connection");
            }
            Self::EventStream { request } => {
                socket.write_all(request).await.expect("an open connection");
                head(socket, "HTTP/1.1 200").await;
            }
            Self::Bare(_) => {}
        }
    }

    /// The length of the first message that is complete, and what it is.
    pub fn next(&self, bytes: &[u8]) -> Option<(usize, Received)> {
        match self {
            Self::WebSocket { .. } => {
                let (head, payload) = match *bytes {
                    [_, 126, high, low, ..] => (4, usize::from(u16::from_be_bytes([high, low]))),
                    [_, length @ ..=125, ..] => (2, usize::from(length)),
                    [_, 127, ..] => panic!("a message is too long"),
                    _ => return None,
                };
                let message = bytes.get(head..head + payload)?;
                let received = match bytes[0] & 0x0f {
                    1 if contains(message, br#""type":"next""#) => Received::Event,
                    1 => panic!("expected an event: {}", String::from_utf8_lossy(message)),
                    9 => Received::Ping,
                    _ => panic!("the server closes: {}", String::from_utf8_lossy(message)),
                };
                Some((head + payload, received))
            }
            // Each event is a chunk.
            Self::EventStream { .. } => {
                let line = bytes.windows(2).position(|two| two == b"\r\n")?;
                let size =
                    std::str::from_utf8(&bytes[..line]).ok().and_then(|line| usize::from_str_radix(line, 16).ok());
                let (start, size) = (line + 2, size.expect("the size of a chunk"));
                bytes.get(start..start + size + 2)?;
                let is_event = bytes[start..].starts_with(b"event: next");
                Some((start + size + 2, if is_event { Received::Event } else { Received::Other }))
            }
            Self::Bare(known) => (bytes.len() >= known.len()).then_some((known.len(), Received::Event)),
        }
    }
}

/// Waits for `connection_ack`, after which the server expects a subscription.
async fn acknowledged(socket: &mut TcpStream) {
    let mut bytes = [0; 256];
    let length = socket.read(&mut bytes).await.expect("an open connection");
    assert!(contains(&bytes[..length], b"connection_ack"), "{}", String::from_utf8_lossy(&bytes[..length]));
}

/// Reads the head of a response, and not more.
async fn head(socket: &mut TcpStream, expected: &str) {
    let mut bytes = Vec::new();
    while !bytes.ends_with(b"\r\n\r\n") {
        bytes.push(socket.read_u8().await.expect("an open connection"));
    }
    let head = String::from_utf8_lossy(&bytes);
    assert!(head.starts_with(expected), "{head}");
}

fn post(address: SocketAddr, headers: &str, body: &str) -> Vec<u8> {
    let length = body.len();
    format!(
        "POST /graphql HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\n{headers}Content-Length: {length}\r\n\r\n{body}"
    )
    .into()
}

/// A text of a client.
fn frame(text: &str) -> Vec<u8> {
    let length = u16::try_from(text.len()).expect("a short message").to_be_bytes();
    [&[0x81, 0x80 | 126, length[0], length[1], 0, 0, 0, 0], text.as_bytes()].concat()
}

fn contains(bytes: &[u8], part: &[u8]) -> bool {
    bytes.windows(part.len()).any(|window| window == part)
}
