//! The permission to write, checked before the input of a mutation.

use async_graphql::Context;

use super::code::Code;
use super::error::{Error, Result};

/// Whether a request may write, as the server determined from its headers. It travels in the data of the request; a
/// request without it may not write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Permission {
    /// It may write.
    Granted,
    /// The server has a token, and the request does not.
    Unauthenticated,
    /// The server has no token, and the request is not local.
    Forbidden,
}

impl Permission {
    /// Refuses a request that may not write.
    ///
    /// # Errors
    ///
    /// [`Code::Unauthenticated`] and [`Code::Forbidden`], with the remedy.
    pub fn check(context: &Context<'_>) -> Result<()> {
        match context.data_opt().copied().unwrap_or(Self::Forbidden) {
            Self::Granted => Ok(()),
            Self::Unauthenticated => Err(Error::client(
                Code::Unauthenticated,
                "writes require the header `Authorization: Bearer …` with the write token of this server",
            )),
            Self::Forbidden => Err(Error::client(
                Code::Forbidden,
                "writes are disabled: set BOOKENDS_WRITE_TOKEN, or listen on a loopback address and send local requests",
            )),
        }
    }
}
