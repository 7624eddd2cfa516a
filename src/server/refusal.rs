//! What a request is told that is not answered: as a GraphQL error with a code, like any other.

use std::any::Any;

use async_graphql::Response as Answer;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, RETRY_AFTER, VARY};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};

use super::media::Media;
use crate::graphql::{Code, Error};

/// Turns a request away, by no fault of what it asks for.
pub fn refuse(media: Media, status: StatusCode, code: Code, message: impl Into<String>) -> Response {
    answer(media, status, Error::client(code, message))
}

/// Turns a request away that may come again in a second.
pub fn not_now(media: Media, message: impl Into<String>) -> Response {
    let mut response = refuse(media, StatusCode::SERVICE_UNAVAILABLE, Code::Overloaded, message);
    response.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static("1"));
    response
}

/// What remains of a request that panicked. The server lives on, and the log has the rest under the id in the answer.
pub fn panicked(panic: Box<dyn Any + Send>) -> Response {
    let text = panic.downcast_ref::<String>().map(String::as_str).or_else(|| panic.downcast_ref().copied());
    let cause: Box<dyn std::error::Error> = format!("panicked: {}", text.unwrap_or("no text")).into();
    answer(Media::GraphQL, StatusCode::INTERNAL_SERVER_ERROR, Error::internal(&*cause))
}

fn answer(media: Media, status: StatusCode, error: Error) -> Response {
    let errors = serde_json::json!({ "errors": Answer::from_errors(vec![error.of_request()]).errors });
    let headers = [
        (CONTENT_TYPE, media.content_type()),
        (CACHE_CONTROL, HeaderValue::from_static("no-store")),
        (VARY, HeaderValue::from_static("accept")),
    ];
    (status, headers, errors.to_string()).into_response()
}
