//! Errors of fields.

use std::any::Any;
use std::borrow::Cow;

use async_graphql::{ErrorExtensionValues, ServerError};
use keyset::{CursorError, KeyError, OrderError, PageError};
use uuid::Uuid;

/// The codes that this crate uses in `extensions.code`. An application adds its own.
pub mod code {
    /// An argument that the field cannot accept.
    pub const BAD_USER_INPUT: &str = "BAD_USER_INPUT";
    /// A page size or an offset out of bounds, or arguments of a page that contradict each other.
    pub const PAGE_INVALID: &str = "PAGE_INVALID";
    /// A cursor that this server did not write, or a damaged one.
    pub const CURSOR_INVALID: &str = "CURSOR_INVALID";
    /// A valid cursor of a list in another order.
    pub const CURSOR_OF_OTHER_ORDER: &str = "CURSOR_OF_OTHER_ORDER";
    /// A sort order that the list does not offer.
    pub const ORDER_NOT_OFFERED: &str = "ORDER_NOT_OFFERED";
    /// A filter with too many conditions, values or levels.
    pub const FILTER_TOO_LARGE: &str = "FILTER_TOO_LARGE";
    /// A malformed id, or the id of an object of another type.
    pub const ID_INVALID: &str = "ID_INVALID";
    /// A number that GraphQL's `Int` of 32 bits cannot hold, and any other value that the type of its field does not hold.
    pub const OUT_OF_RANGE: &str = "OUT_OF_RANGE";
    /// A page around an object that is gone, or that the list does not have; a related object that does not show.
    pub const NOT_FOUND: &str = "NOT_FOUND";
    /// An object that an event refers to was deleted before it was read. A query reads both in one state of the database.
    pub const GONE: &str = "GONE";
    /// A field, a mutation or a row that the viewer may not use.
    pub const FORBIDDEN: &str = "FORBIDDEN";
    /// The server's own fault.
    pub const INTERNAL: &str = "INTERNAL";
}

/// The error of a field: a text for people and a code for machines.
///
/// It does not implement `Display`: async-graphql converts every `Display` type by itself and drops the code.
#[derive(Clone, Debug)]
pub struct Error {
    code: &'static str,
    message: String,
    /// The field of an input that is wrong.
    field: Option<Cow<'static, str>>,
    /// The id of the log line, for internal errors.
    id: Option<Uuid>,
}

/// The result of a field.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// The client's fault. The client reads this text: a fragment in lower case that says what was expected.
    pub fn client(code: impl Into<&'static str>, message: impl Into<String>) -> Self {
        Self { code: code.into(), message: message.into(), field: None, id: None }
    }

    /// The server's fault. The client reads a fixed text and an id; the log has the cause under that id.
    pub fn internal(cause: &dyn std::error::Error) -> Self {
        let id = Uuid::now_v7();
        tracing::error!(error_id = %id, %cause, "a field or a whole request failed");
        Self { code: code::INTERNAL, message: "internal error".into(), field: None, id: Some(id) }
    }

    /// The server's fault: in one state of the database, a row refers to a row of these objects that does not exist. The log
    /// has it, under the id in the error.
    pub(crate) fn broken_reference(object: &str) -> Self {
        let message = format!("a row refers to a {object} that does not exist");
        let cause: Box<dyn std::error::Error> = message.as_str().into();
        Self { message, ..Self::internal(&*cause) }
    }

    /// The server's fault: a panic while it answered a request.
    pub fn panicked(panic: &(dyn Any + Send)) -> Self {
        let text = panic.downcast_ref::<String>().map(String::as_str).or_else(|| panic.downcast_ref().copied());
        let cause: Box<dyn std::error::Error> = format!("panicked: {}", text.unwrap_or("no text")).into();
        Self::internal(&*cause)
    }

    /// The text for people.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Names the field of an input that is wrong, as `extensions.field`.
    #[must_use]
    pub fn of_field(self, field: impl Into<Cow<'static, str>>) -> Self {
        Self { field: Some(field.into()), ..self }
    }

    /// Makes it an error of the whole request, without a path.
    pub fn of_request(self) -> ServerError {
        let error = async_graphql::Error::from(self);
        ServerError { extensions: error.extensions, ..ServerError::new(error.message, None) }
    }
}

impl From<Error> for async_graphql::Error {
    fn from(error: Error) -> Self {
        let mut extensions = ErrorExtensionValues::default();
        extensions.set("code", error.code);
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
            PageError::Cursor { error: CursorError::OtherOrder, .. } => code::CURSOR_OF_OTHER_ORDER,
            PageError::Cursor { .. } => code::CURSOR_INVALID,
            PageError::BothEnds
            | PageError::Size { .. }
            | PageError::Offset { .. }
            | PageError::OffsetWithCursor(_)
            | PageError::AroundWith(_)
            | PageError::AroundNothing => code::PAGE_INVALID,
        };
        Self::client(code, error.to_string())
    }
}

/// A row that no cursor can represent.
impl From<KeyError> for Error {
    fn from(error: KeyError) -> Self {
        Self::internal(&error)
    }
}

/// An order that the application built, and that cannot be.
impl From<OrderError> for Error {
    fn from(error: OrderError) -> Self {
        Self::internal(&error)
    }
}
