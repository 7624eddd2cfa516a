//! Who may write: asked before the input of a mutation is looked at.

use async_graphql::Context;

use crate::graphql::code::Code;
use crate::graphql::error::{Error, Result};

/// Whether a request may write: what the server found out about who sent it. It travels in the request's data; without
/// it, nobody may.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Permission {
    /// It may.
    Granted,
    /// The server has a token, and the request does not.
    Unauthenticated,
    /// The server has no token, and the request is not from this machine alone.
    Forbidden,
}

impl Permission {
    /// Refuses a request that may not write.
    ///
    /// # Errors
    ///
    /// [`Code::Unauthenticated`] and [`Code::Forbidden`], with what there is to do.
    pub fn check(context: &Context<'_>) -> Result<()> {
        match context.data_opt().copied().unwrap_or(Self::Forbidden) {
            Self::Granted => Ok(()),
            Self::Unauthenticated => Err(Error::client(
                Code::Unauthenticated,
                "writing takes the header `Authorization: Bearer …` with the token of this server",
            )),
            Self::Forbidden => Err(Error::client(
                Code::Forbidden,
                "without a token, a server is written to on a loopback address, from its own machine: set BOOKENDS_WRITE_TOKEN",
            )),
        }
    }
}
