//! The permission to write, checked before a mutation is executed.

use super::code::Code;
use super::error::{Error, Result};

/// Whether a request may write, as the server determined from its headers, or from those of its WebSocket.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Permission {
    /// It may write.
    Granted,
    /// The server knows tokens, and the request has none.
    NoToken,
    /// The server has another token than the request.
    WrongToken,
    /// The token of the request is valid, but only for reading.
    NoScope,
    /// The server has no token.
    #[default]
    Forbidden,
}

impl Permission {
    /// Refuses a mutation that lacks the permission. It says nothing else about the request.
    ///
    /// # Errors
    ///
    /// [`Code::Unauthenticated`] and [`Code::Forbidden`], with the remedy.
    pub fn check(self) -> Result<()> {
        let (code, message) = match self {
            Self::Granted => return Ok(()),
            Self::NoToken => (
                Code::Unauthenticated,
                "writes require the header `Authorization: Bearer …` with the write token of this server",
            ),
            Self::WrongToken => (
                Code::Unauthenticated,
                "the write token is wrong: a generated token is valid only until the server restarts",
            ),
            Self::NoScope => {
                (Code::Forbidden, "the token is only for reading: it lacks the scope in the setting JWT_WRITE_SCOPE")
            }
            Self::Forbidden => {
                (Code::Forbidden, "writes are disabled: set WRITE_TOKEN, or listen on a loopback address")
            }
        };
        Err(Error::client(code, message))
    }
}
