//! What a request is told when it fails.

use std::any::Any;
use std::borrow::Cow;

use async_graphql::{ErrorExtensionValues, ServerError};
use keyset::{CursorError, OrderError, PageError};
use sea_orm::DbErr;
use uuid::Uuid;

use super::code::Code;
use crate::db::Failure;
use crate::events::Lagged;

/// The error of a resolver.
///
/// It is not `Display`: async-graphql converts whatever is, by itself, and would drop the code.
#[derive(Clone, Debug)]
pub struct Error {
    code: Code,
    message: String,
    /// The field of an input that is wrong.
    field: Option<Cow<'static, str>>,
    id: Option<Uuid>,
}

/// The client's fault, of the whole request and of no place in it.
pub fn refusal(code: Code, message: impl Into<String>) -> ServerError {
    Error::client(code, message).of_request()
}

/// What a resolver returns.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// The client's fault: it reads this text.
    pub fn client(code: Code, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), field: None, id: None }
    }

    /// The same, of this field of an input.
    #[must_use]
    pub fn of_field(self, field: impl Into<Cow<'static, str>>) -> Self {
        Self { field: Some(field.into()), ..self }
    }

    /// As the error of the whole request, of no place in it.
    pub fn of_request(self) -> ServerError {
        let error = async_graphql::Error::from(self);
        ServerError { extensions: error.extensions, ..ServerError::new(error.message, None) }
    }

    /// Others were in the way of a write.
    pub fn in_the_way() -> Self {
        Self::client(Code::Conflict, "other writes were in the way: try again")
    }

    /// What a panic leaves.
    pub fn panicked(panic: &(dyn Any + Send)) -> Self {
        let text = panic.downcast_ref::<String>().map(String::as_str).or_else(|| panic.downcast_ref().copied());
        let cause: Box<dyn std::error::Error> = format!("panicked: {}", text.unwrap_or("no text")).into();
        Self::internal(&*cause)
    }

    /// Ours: the client reads a fixed text and an id, the log has the rest under that id.
    pub fn internal(cause: &dyn std::error::Error) -> Self {
        let id = Uuid::now_v7();
        tracing::error!(error_id = %id, %cause, "a resolver failed");
        Self { code: Code::Internal, message: "internal error".into(), field: None, id: Some(id) }
    }
}

impl From<Error> for async_graphql::Error {
    fn from(error: Error) -> Self {
        let mut extensions = ErrorExtensionValues::default();
        extensions.set("code", error.code.as_str());
        if let Some(field) = error.field {
            extensions.set("field", field.into_owned());
        }
        if let Some(id) = error.id {
            extensions.set("errorId", id.to_string());
        }
        Self { extensions: Some(extensions), ..Self::new(error.message) }
    }
}

impl From<PageError> for Error {
    fn from(error: PageError) -> Self {
        let code = match &error {
            PageError::BothEnds | PageError::Size { .. } => Code::PageInvalid,
            PageError::Cursor { error: CursorError::OtherOrder, .. } => Code::CursorOfOtherOrder,
            PageError::Cursor { .. } => Code::CursorInvalid,
        };
        let setting = if matches!(error, PageError::Size { .. }) { " (the setting MAX_PAGE_SIZE)" } else { "" };
        Self::client(code, format!("{error}{setting}"))
    }
}

impl From<DbErr> for Error {
    fn from(error: DbErr) -> Self {
        match Failure::of(&error) {
            Failure::Lost | Failure::Unavailable => {
                tracing::warn!(cause = %error, "the database does not answer");
                Self::client(Code::Unavailable, "the database does not answer: try again")
            }
            Failure::TimedOut => {
                Self::client(Code::TimedOut, "the database took too long (the setting REQUEST_TIMEOUT)")
            }
            Failure::InTheWay => Self::in_the_way(),
            Failure::OutOfRange => {
                Self::client(Code::OutOfRange, "the database cannot hold the value, or a sum with it")
            }
            Failure::Reference => Self::client(Code::InUse, "something else in the database refers to it"),
            Failure::Other => Self::internal(&error),
        }
    }
}

impl From<Lagged> for Error {
    fn from(lagged: Lagged) -> Self {
        Self::client(Code::SubscriptionLagged, lagged.to_string())
    }
}

/// A row that no cursor can point at.
impl From<CursorError> for Error {
    fn from(error: CursorError) -> Self {
        Self::internal(&error)
    }
}

/// An order of ours that cannot be.
impl From<OrderError> for Error {
    fn from(error: OrderError) -> Self {
        Self::internal(&error)
    }
}
