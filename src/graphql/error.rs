//! What a request is told when it fails.

use async_graphql::ErrorExtensionValues;
use keyset::{CursorError, OrderError, PageError};
use sea_orm::DbErr;
use uuid::Uuid;

/// The machine-readable reason in an error's `extensions.code`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Code {
    /// `first` with `last`, or a size out of bounds.
    PageInvalid,
    /// A cursor that this server did not write, or damaged on the way.
    CursorInvalid,
    /// A good cursor, but of a list in another order.
    CursorOfOtherOrder,
    /// Not a global id.
    IdInvalid,
    /// A number that GraphQL's `Int` of 32 bits cannot hold.
    OutOfRange,
    /// The server's own fault; its log says more, under the id in `extensions.errorId`.
    Internal,
}

impl Code {
    /// As it is written in an error.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::PageInvalid => "PAGE_INVALID",
            Self::CursorInvalid => "CURSOR_INVALID",
            Self::CursorOfOtherOrder => "CURSOR_OF_OTHER_ORDER",
            Self::IdInvalid => "ID_INVALID",
            Self::OutOfRange => "OUT_OF_RANGE",
            Self::Internal => "INTERNAL",
        }
    }
}

/// The error of a resolver.
///
/// It is not `Display`: async-graphql converts whatever is, by itself, and would drop the code.
#[derive(Clone, Debug)]
pub struct Error {
    code: Code,
    message: String,
    id: Option<Uuid>,
}

/// What a resolver returns.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// The client's fault: it reads this text.
    pub fn client(code: Code, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), id: None }
    }

    /// Ours: the client reads a fixed text and an id, the log has the rest under that id.
    fn internal(cause: &dyn std::error::Error) -> Self {
        let id = Uuid::now_v7();
        tracing::error!(error_id = %id, %cause, "a resolver failed");
        Self { code: Code::Internal, message: "internal error".into(), id: Some(id) }
    }
}

impl From<Error> for async_graphql::Error {
    fn from(error: Error) -> Self {
        let mut extensions = ErrorExtensionValues::default();
        extensions.set("code", error.code.as_str());
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
        Self::client(code, error.to_string())
    }
}

impl From<DbErr> for Error {
    fn from(error: DbErr) -> Self {
        Self::internal(&error)
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

/// A loader hands one error to everybody who waited for it.
impl From<std::sync::Arc<DbErr>> for Error {
    fn from(error: std::sync::Arc<DbErr>) -> Self {
        Self::internal(&error)
    }
}
