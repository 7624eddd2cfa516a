//! Errors of this server: those of `bookends-graphql`, and what a failing database means to a client.

use async_graphql::ServerError;
use sea_orm::DbErr;

use super::code::Code;
use super::message::shorten;
use crate::db::{Failure, failed_message};

pub use bookends_graphql::{Error, Result};

/// An error of the whole request that is the client's fault.
pub fn refusal(code: Code, message: impl Into<String>) -> ServerError {
    let mut error = Error::client(code, message).of_request();
    shorten(&mut error);
    error
}

/// The error of a request whose token has expired.
pub fn token_expired() -> ServerError {
    refusal(Code::Unauthenticated, "the token has expired")
}

/// The error of a subscription to a schema whose place another one has taken.
pub fn schema_replaced() -> ServerError {
    refusal(Code::SubscriptionLagged, "the schema has changed: subscribe again, then fetch the list")
}

/// The error of a write that other transactions prevented.
pub fn conflict() -> Error {
    Error::client(Code::Conflict, "other transactions prevented the write: try again")
}

/// The error that a client reads when the database fails.
pub fn database(error: DbErr) -> Error {
    match Failure::of(&error) {
        Failure::Lost | Failure::Unavailable => {
            tracing::warn!(cause = %error, "the database does not answer");
            Error::client(Code::Unavailable, "the database does not answer: try again")
        }
        Failure::TimedOut => {
            Error::client(Code::TimedOut, "the statement exceeded its time limit (the setting REQUEST_TIMEOUT)")
        }
        Failure::InTheWay => conflict(),
        Failure::OutOfRange => {
            Error::client(Code::OutOfRange, "the value, or a sum that includes it, is too large for the database")
        }
        Failure::Reference => Error::client(Code::InUse, "other rows refer to the object"),
        Failure::Duplicate => Error::client(Code::AlreadyExists, "another object has these values"),
        Failure::Full => {
            tracing::error!(cause = %error, "the storage of the database is full");
            Error::client(Code::StorageFull, "the storage of the database is full")
        }
        Failure::Denied => {
            tracing::warn!(cause = %error, "the database denies this to its role");
            Error::client(Code::Forbidden, "the database does not permit this to the role of the request")
        }
        Failure::ReadOnly => Error::client(Code::ReadOnly, "the database is read-only"),
        Failure::Storage => {
            tracing::error!(cause = %error, "the storage of the database fails");
            Error::client(Code::StorageFailed, "the storage of the database fails: see the log of the server")
        }
        Failure::SchemaChanged => {
            tracing::warn!(cause = %error, "the schema of the database has changed");
            Error::client(Code::SchemaChanged, "the schema of the database has changed: try again")
        }
        Failure::Unsupported => {
            tracing::warn!(cause = %error, "the database cannot run a statement");
            let reason = failed_message(&error).unwrap_or("the feature is not supported");
            Error::client(Code::Unsupported, format!("the database cannot run this: {reason}"))
        }
        Failure::Other => Error::internal(&error),
    }
}
