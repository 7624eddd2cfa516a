//! The codes of an application's own errors.

use axum::http::StatusCode;

/// A code of errors of an application, for `extensions.code`.
///
/// ```
/// use bookends_server::Error;
/// use bookends_server::app::OwnCode;
///
/// const TASK_OPEN: OwnCode = OwnCode::new("TASK_OPEN", "a part of the task is not done");
/// let error = Error::client(TASK_OPEN, "the task `Dig` is not done");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct OwnCode {
    /// The text in `extensions.code`: a name of GraphQL, by custom in capitals.
    pub text: &'static str,
    /// What it means, as a fragment in lower case, for the description of `ErrorCode`.
    pub meaning: &'static str,
    status: StatusCode,
}

impl OwnCode {
    /// A code with this meaning. A response without data that has it has the status 422.
    pub const fn new(text: &'static str, meaning: &'static str) -> Self {
        Self { text, meaning, status: StatusCode::UNPROCESSABLE_ENTITY }
    }

    /// The same with another status: of a response in `application/graphql-response+json` to a request that was refused as a whole.
    /// Errors of fields do not change the status.
    #[must_use]
    pub const fn with_status(self, status: StatusCode) -> Self {
        Self { status, ..self }
    }

    pub(crate) const fn status(&self) -> StatusCode {
        self.status
    }
}

impl From<OwnCode> for &'static str {
    fn from(code: OwnCode) -> Self {
        code.text
    }
}
