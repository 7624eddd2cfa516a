//! The messages of the protocol, and the reasons to close a connection.

use async_graphql::{Response, ServerError};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};
use tungstenite::Utf8Bytes;
use tungstenite::protocol::CloseFrame;

use crate::http::request::Parameters;
use crate::http::response::text;
use crate::request::{BUDGET_EXCEEDED, Incoming, code_of};

/// The maximum size of a client's message in bytes, and of all `subscribe` messages whose operations run on one
/// connection: an operation keeps its request in memory.
pub const MAX_MESSAGE: usize = 1 << 20;

/// The maximum length of an id in bytes: every message of its operation repeats it.
const MAX_ID: usize = 256;

/// A message from the client.
#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ClientMessage {
    ConnectionInit {
        payload: Option<Map<String, Value>>,
    },
    Ping {
        payload: Option<Map<String, Value>>,
    },
    Pong,
    /// A subscription, a query or a mutation.
    Subscribe {
        id: String,
        #[serde(deserialize_with = "request")]
        payload: Box<Incoming>,
    },
    Complete {
        id: String,
    },
}

fn request<'de, D: Deserializer<'de>>(payload: D) -> Result<Box<Incoming>, D::Error> {
    let request = Parameters::deserialize(payload)?.try_into();
    request.map(Box::new).map_err(|error: ServerError| D::Error::custom(error.message))
}

/// A message from the server.
#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ServerMessage<'a> {
    ConnectionAck,
    Pong {
        #[serde(skip_serializing_if = "Option::is_none")]
        payload: Option<Map<String, Value>>,
    },
    #[serde(skip)]
    Next {
        id: &'a str,
        payload: &'a Response,
    },
    Error {
        id: &'a str,
        payload: &'a [ServerError],
    },
    Complete {
        id: &'a str,
    },
}

/// Why a connection is closed.
#[derive(Debug)]
pub enum End {
    /// The client disconnected or does not answer.
    Gone,
    /// The server is stopping.
    GoingAway,
    /// Invalid WebSocket frame.
    NotWebSocket,
    /// Invalid UTF-8.
    NotText,
    /// A message exceeds [`MAX_MESSAGE`] bytes.
    TooBig,
    /// A response cannot be serialised.
    Internal,
    /// A message exceeds the memory budget. On this code, clients reconnect.
    Exhausted,
    /// A message does not arrive in time. On this code, clients reconnect.
    Late,
    /// The client does not read. On this code, clients reconnect.
    TooSlow,
    /// Invalid message, and the reason.
    BadRequest(String),
    /// `subscribe` before the acknowledgement.
    Unauthorized,
    /// `connection_init` was rejected. On this code, clients reconnect, and ask for a token again.
    Forbidden,
    /// The token is invalid, and why; or it has expired.
    Token(String),
    /// It cannot be said now who the client is. On this code, clients reconnect.
    Unavailable,
    /// The client offered no supported subprotocol.
    SubprotocolNotAcceptable,
    /// No `connection_init` in time.
    InitTimeout,
    /// The id of a running operation.
    SubscriberExists(String),
    /// More than one `connection_init`.
    TooManyInits,
}

impl ClientMessage {
    /// Parses a message.
    ///
    /// # Errors
    ///
    /// [`End::BadRequest`], also for JSON with more than 128 levels.
    pub fn read(text: &str) -> Result<Self, End> {
        let message = serde_json::from_str(text).map_err(|error| End::BadRequest(error.to_string()))?;
        match message {
            Self::Subscribe { id, .. } if id.is_empty() => Err(End::BadRequest("an id must not be empty".into())),
            Self::Subscribe { id, .. } if id.len() > MAX_ID => {
                Err(End::BadRequest(format!("an id must have at most {MAX_ID} bytes")))
            }
            message => Ok(message),
        }
    }
}

impl ServerMessage<'_> {
    /// The message as JSON.
    ///
    /// # Errors
    ///
    /// [`End::Internal`] if it cannot be serialised.
    pub fn text(&self) -> Result<String, End> {
        let Self::Next { id, payload } = self else {
            return serde_json::to_string(self).map_err(|_| End::Internal);
        };
        let id = serde_json::to_string(id).map_err(|_| End::Internal)?;
        Ok(format!(r#"{{"type":"next","id":{id},"payload":{}}}"#, text(payload)))
    }

    /// The codes of the errors in the message.
    pub fn codes(&self) -> Vec<&'static str> {
        let errors = match self {
            Self::Next { payload, .. } => &payload.errors[..],
            Self::Error { payload, .. } => payload,
            Self::ConnectionAck | Self::Pong { .. } | Self::Complete { .. } => &[],
        };
        errors.iter().filter_map(code_of).collect()
    }
}

impl End {
    /// The close frame, unless the client is gone.
    pub fn frame(self) -> Option<CloseFrame> {
        let (code, reason): (u16, String) = match self {
            Self::Gone => return None,
            Self::GoingAway => (1001, "Going away".into()),
            Self::NotWebSocket => (1002, "Protocol error".into()),
            Self::NotText => (1007, "Invalid UTF-8".into()),
            Self::TooBig => (1009, format!("A message must have at most {MAX_MESSAGE} bytes")),
            Self::Internal => (1011, "Internal error".into()),
            Self::Exhausted => (1013, BUDGET_EXCEEDED.into()),
            Self::Late => (1013, "A message was not received in time (the setting READ_TIMEOUT)".into()),
            Self::TooSlow => (1013, "The client reads too slowly".into()),
            Self::BadRequest(why) => (4400, format!("Invalid message: {why}")),
            Self::Unauthorized => (4401, "Unauthorized".into()),
            Self::Forbidden => (4403, "Forbidden".into()),
            Self::Token(why) => (4403, format!("Forbidden: {why}")),
            Self::Unavailable => (1013, "The keys of tokens cannot be fetched: try again".into()),
            Self::SubprotocolNotAcceptable => (4406, "Subprotocol not acceptable".into()),
            Self::InitTimeout => (4408, "Connection initialisation timeout".into()),
            Self::SubscriberExists(id) => (4409, format!("Subscriber for {id} already exists")),
            Self::TooManyInits => (4429, "Too many initialisation requests".into()),
        };
        Some(CloseFrame { code: code.into(), reason: truncated(reason) })
    }
}

/// As much of a reason as fits into a close frame.
fn truncated(mut reason: String) -> Utf8Bytes {
    reason.truncate(reason.floor_char_boundary(123));
    reason.into()
}
