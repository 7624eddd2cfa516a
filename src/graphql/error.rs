//! What a request is told when it fails.

use async_graphql::{ErrorExtensionValues, ServerError};
use keyset::{CursorError, OrderError, PageError};
use sea_orm::DbErr;
use uuid::Uuid;

/// The machine-readable reason in an error's `extensions.code`. Every error has one; [`Code::ALL`] says what they mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the table below says it once")]
pub enum Code {
    ParseFailed,
    ValidationFailed,
    TooComplex,
    TooDeep,
    BadUserInput,
    PageInvalid,
    CursorInvalid,
    CursorOfOtherOrder,
    OrderNotOffered,
    FilterTooLarge,
    IdInvalid,
    Gone,
    OutOfRange,
    Internal,
}

impl Code {
    /// Every code, as it is written in an error, with its meaning: what README.md lists.
    pub const ALL: [(Self, &str, &str); 14] = [
        (Self::ParseFailed, "GRAPHQL_PARSE_FAILED", "the request is not GraphQL"),
        (Self::ValidationFailed, "GRAPHQL_VALIDATION_FAILED", "the request does not fit the schema"),
        (Self::TooComplex, "QUERY_TOO_COMPLEX", "the request costs more than `MAX_COMPLEXITY`"),
        (Self::TooDeep, "QUERY_TOO_DEEP", "the request is nested deeper than `MAX_DEPTH`"),
        (Self::BadUserInput, "BAD_USER_INPUT", "an argument that the field cannot take"),
        (Self::PageInvalid, "PAGE_INVALID", "`first` with `last`, or a size out of bounds"),
        (Self::CursorInvalid, "CURSOR_INVALID", "a cursor that this server did not write, or damaged on the way"),
        (Self::CursorOfOtherOrder, "CURSOR_OF_OTHER_ORDER", "a good cursor, but of a list in another order"),
        (Self::OrderNotOffered, "ORDER_NOT_OFFERED", "an order that no index holds"),
        (Self::FilterTooLarge, "FILTER_TOO_LARGE", "a filter with more than 500 conditions and values, or 10 levels"),
        (Self::IdInvalid, "ID_INVALID", "not an id, or that of an object of another type"),
        (Self::Gone, "GONE", "an object was deleted while the answer was put together: ask again"),
        (Self::OutOfRange, "OUT_OF_RANGE", "a number that GraphQL's `Int` of 32 bits cannot hold"),
        (Self::Internal, "INTERNAL", "the server's own fault; its log says more, under the id in `extensions.errorId`"),
    ];

    /// As it is written in an error.
    pub fn as_str(self) -> &'static str {
        Self::ALL.iter().find(|(code, ..)| *code == self).map_or("INTERNAL", |(_, text, _)| text)
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

    /// As the error of the whole request, of no place in it.
    pub fn of_request(self) -> ServerError {
        let error = async_graphql::Error::from(self);
        ServerError { extensions: error.extensions, ..ServerError::new(error.message, None) }
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
        let setting = if matches!(error, PageError::Size { .. }) { " (the setting MAX_PAGE_SIZE)" } else { "" };
        Self::client(code, format!("{error}{setting}"))
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
