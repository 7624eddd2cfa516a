//! What is said on a connection, and how it ends.

use async_graphql::{Response, ServerError};
use axum::extract::ws::{CloseFrame, Utf8Bytes};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::graphql::Code;
use crate::server::request::Parameters;

/// Bytes of an id, which every message about its operation repeats.
const LONGEST_ID: usize = 256;

/// What a client says.
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
        payload: Parameters,
    },
    Complete {
        id: String,
    },
}

/// What the server says.
#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ServerMessage<'a> {
    ConnectionAck,
    Pong {
        #[serde(skip_serializing_if = "Option::is_none")]
        payload: Option<Map<String, Value>>,
    },
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

/// Why a connection ends.
#[derive(Debug)]
pub enum End {
    /// The client left, or is out of reach.
    Gone,
    /// The server stops.
    GoingAway,
    /// What came was no WebSocket frame.
    NotWebSocket,
    /// What came as text was none.
    NotText,
    /// A message of more than [`MAX_MESSAGE`](super::MAX_MESSAGE) bytes.
    TooBig,
    /// A response that cannot be written down.
    Internal,
    /// The client does not read. The code is one at which clients try again.
    TooSlow,
    /// A message that is none of the protocol, and why.
    BadRequest(String),
    /// An operation before the acknowledgement.
    Unauthorized,
    /// Turned away at `connection_init`.
    Forbidden,
    /// The client speaks another protocol.
    SubprotocolNotAcceptable,
    /// No `connection_init` in time.
    InitTimeout,
    /// An operation whose id another one has.
    SubscriberExists(String),
    /// More than one `connection_init`.
    TooManyInits,
}

impl ClientMessage {
    /// Reads a message.
    ///
    /// # Errors
    ///
    /// [`End::BadRequest`]. JSON that is nested deeper than 128 levels is among what is not read.
    pub fn read(text: &str) -> Result<Self, End> {
        let message = serde_json::from_str(text).map_err(|error| End::BadRequest(error.to_string()))?;
        match message {
            Self::Subscribe { id, .. } if id.is_empty() => Err(End::BadRequest("an id must not be empty".into())),
            Self::Subscribe { id, .. } if id.len() > LONGEST_ID => {
                Err(End::BadRequest(format!("an id has at most {LONGEST_ID} bytes")))
            }
            message => Ok(message),
        }
    }
}

impl ServerMessage<'_> {
    /// As it is written.
    ///
    /// # Errors
    ///
    /// [`End::Internal`] where it cannot be.
    pub fn text(&self) -> Result<String, End> {
        serde_json::to_string(self).map_err(|_| End::Internal)
    }

    /// What the client is told of that went wrong.
    pub fn codes(&self) -> Vec<Code> {
        let errors = match self {
            Self::Next { payload, .. } => &payload.errors[..],
            Self::Error { payload, .. } => payload,
            Self::ConnectionAck | Self::Pong { .. } | Self::Complete { .. } => &[],
        };
        errors.iter().filter_map(Code::of).collect()
    }
}

impl End {
    /// What the client is told, if it can be.
    pub fn frame(self) -> Option<CloseFrame> {
        let (code, reason) = match self {
            Self::Gone => return None,
            Self::GoingAway => (1001, "Going away".into()),
            Self::NotWebSocket => (1002, "Protocol error".into()),
            Self::NotText => (1007, "Not UTF-8".into()),
            Self::TooBig => (1009, format!("A message has at most {} bytes", super::MAX_MESSAGE)),
            Self::Internal => (1011, "Internal error".into()),
            Self::TooSlow => (1013, "The client reads too slowly".into()),
            Self::BadRequest(why) => (4400, format!("Invalid message: {why}")),
            Self::Unauthorized => (4401, "Unauthorized".into()),
            Self::Forbidden => (4403, "Forbidden".into()),
            Self::SubprotocolNotAcceptable => (4406, "Subprotocol not acceptable".into()),
            Self::InitTimeout => (4408, "Connection initialisation timeout".into()),
            Self::SubscriberExists(id) => (4409, format!("Subscriber for {id} already exists")),
            Self::TooManyInits => (4429, "Too many initialisation requests".into()),
        };
        Some(CloseFrame { code, reason: fitting(reason) })
    }
}

/// As much as fits into a close frame.
fn fitting(mut reason: String) -> Utf8Bytes {
    reason.truncate(reason.floor_char_boundary(123));
    reason.into()
}
