//! What a request is told when it fails.

use std::borrow::Cow;

use async_graphql::{ErrorExtensionValues, ServerError, Value};
use keyset::{CursorError, OrderError, PageError};
use sea_orm::DbErr;
use uuid::Uuid;

use crate::db::Failure;
use crate::events::Lagged;

/// The machine-readable reason in an error's `extensions.code`. Every error has one; [`Code::ALL`] says what they mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the table below says it once")]
pub enum Code {
    BodyMalformed,
    RequestMalformed,
    BodyTooLarge,
    MediaTypeUnsupported,
    NotAcceptable,
    MethodNotAllowed,
    PersistedQueryNotFound,
    PersistedQueryMismatch,
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
    NotFound,
    InUse,
    Conflict,
    Unauthenticated,
    Forbidden,
    Unavailable,
    OutcomeUnknown,
    OutOfRange,
    SubscriptionLagged,
    WebSocketRequired,
    TooManyOperations,
    UrlTooLong,
    TimedOut,
    Overloaded,
    Internal,
}

impl Code {
    /// Every code, as it is written in an error, with its meaning: what docs/operations.md lists.
    pub const ALL: &[(Self, &str, &str)] = &[
        (Self::BodyMalformed, "BODY_MALFORMED", "the body of the request is not JSON"),
        (
            Self::RequestMalformed,
            "REQUEST_MALFORMED",
            "the body or the URL is not a GraphQL request, or a batch of them",
        ),
        (Self::BodyTooLarge, "BODY_TOO_LARGE", "the body of the request is too long"),
        (Self::MediaTypeUnsupported, "MEDIA_TYPE_UNSUPPORTED", "the body of the request is not `application/json`"),
        (Self::NotAcceptable, "NOT_ACCEPTABLE", "the client accepts no media type that an answer has"),
        (Self::MethodNotAllowed, "METHOD_NOT_ALLOWED", "a mutation by GET, or another method than GET and POST"),
        (
            Self::PersistedQueryNotFound,
            "PERSISTED_QUERY_NOT_FOUND",
            "no query with this hash is known: send it once with its text",
        ),
        (
            Self::PersistedQueryMismatch,
            "PERSISTED_QUERY_MISMATCH",
            "the text of a query does not have the hash that came with it",
        ),
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
        (Self::NotFound, "NOT_FOUND", "no object with the id that is to be changed, or referred to"),
        (Self::InUse, "IN_USE", "a book that has ratings or orders, and is to be deleted without them"),
        (Self::Conflict, "CONFLICT", "other writes were in the way each time it was tried: try again"),
        (
            Self::Unauthenticated,
            "UNAUTHENTICATED",
            "writing takes the server's token, and the request has not brought it",
        ),
        (Self::Forbidden, "FORBIDDEN", "a server without a token is written to from its own machine alone"),
        (Self::Unavailable, "UNAVAILABLE", "the database does not answer: try again"),
        (
            Self::OutcomeUnknown,
            "OUTCOME_UNKNOWN",
            "the database went away while it committed: look whether it has been done",
        ),
        (
            Self::OutOfRange,
            "OUT_OF_RANGE",
            "a number that GraphQL's `Int` of 32 bits cannot hold, or a sum that the database cannot",
        ),
        (
            Self::SubscriptionLagged,
            "SUBSCRIPTION_LAGGED",
            "events were lost to this subscription, which ends: list again, then subscribe",
        ),
        (Self::WebSocketRequired, "WEBSOCKET_REQUIRED", "a subscription that did not come by a WebSocket"),
        (
            Self::TooManyOperations,
            "TOO_MANY_OPERATIONS",
            "more than 100 operations at a time on one WebSocket, or more than 1 MiB of them",
        ),
        (Self::UrlTooLong, "URL_TOO_LONG", "the URL of the request is longer than 16 KiB: send it as a body, by POST"),
        (
            Self::TimedOut,
            "TIMEOUT",
            "the answer takes longer than `REQUEST_TIMEOUT`; a mutation may take effect all the same",
        ),
        (Self::Overloaded, "OVERLOADED", "the server has as much to do as `MAX_REQUESTS` lets it: try again"),
        (Self::Internal, "INTERNAL", "the server's own fault; its log says more, under the id in `extensions.errorId`"),
    ];

    /// The code of an error; none where it has none.
    pub fn of(error: &ServerError) -> Option<Self> {
        let Value::String(found) = error.extensions.as_ref()?.get("code")? else { return None };
        Self::ALL.iter().find(|(_, text, _)| text == found).map(|(code, ..)| *code)
    }

    /// Codes as the log shows them, each once: there can be thousands of errors.
    pub fn listed(codes: impl Iterator<Item = Self>) -> String {
        let mut distinct: Vec<&str> = Vec::new();
        for code in codes.map(Self::as_str) {
            if !distinct.contains(&code) {
                distinct.push(code);
            }
        }
        distinct.join(",")
    }

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
