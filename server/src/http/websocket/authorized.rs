//! Whether a client may use its connection.

use tokio::time::Instant;

use super::message::End;

/// What executes the operations of a client, and for how long.
#[derive(Clone, Copy, Debug)]
pub struct Authorized<E> {
    /// Executes them.
    pub execute: E,
    /// When its token expires: then the connection is closed with 4403.
    pub until: Option<Instant>,
}

/// Why a client may not use its connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refused {
    /// Its connection is closed with 4403.
    Forbidden,
    /// Its token is invalid: the same, with the reason.
    Token(String),
    /// It cannot be said now: its connection is closed with 1013.
    Unavailable,
}

/// The reason when a token expires.
pub(super) const EXPIRED: &str = "the token has expired";

impl From<Refused> for End {
    fn from(refused: Refused) -> Self {
        match refused {
            Refused::Forbidden => Self::Forbidden,
            Refused::Token(why) => Self::Token(why),
            Refused::Unavailable => Self::Unavailable,
        }
    }
}
