//! An answer of the API in HTTP: its media type, its status, its body; and the ones to requests that get no further, as
//! GraphQL errors with a code like any other.

use std::any::Any;

use async_graphql::{Response as Answer, ServerError, Value};
use axum::http::header::{ALLOW, CACHE_CONTROL, CONTENT_TYPE, RETRY_AFTER, VARY};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use serde::Serialize;

use super::buffers::no_room_for_answer;
use super::media::Media;
use crate::graphql::{Code, Error, refusal, was_executed};

/// The codes of the errors in a response, for whoever counts them.
#[derive(Clone, Debug)]
pub struct Codes(pub Vec<Code>);

/// What is said of a request in HTTP.
#[derive(Serialize)]
struct Body {
    #[serde(skip_serializing_if = "Option::is_none")]
    data: Option<Value>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    errors: Vec<ServerError>,
}

/// What came of a request.
pub fn answer(media: Media, answer: Answer) -> Response {
    let data = was_executed(&answer).then_some(answer.data);
    let status = if data.is_some() { StatusCode::OK } else { status(media, &answer.errors) };
    write(media, status, Body { data, errors: answer.errors })
}

/// Turns a request away, by no fault of what it asks for.
pub fn refuse(media: Media, status: StatusCode, code: Code, message: impl Into<String>) -> Response {
    write(media, status, Body { data: None, errors: vec![refusal(code, message)] })
}

/// Turns a request away that may come again in a second.
pub fn not_now(media: Media, message: impl Into<String>) -> Response {
    let mut response = refuse(media, StatusCode::SERVICE_UNAVAILABLE, Code::Overloaded, message);
    response.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static("1"));
    response
}

/// What remains of an answer for which there is no room.
pub fn dropped(media: Media) -> Response {
    write(media, StatusCode::SERVICE_UNAVAILABLE, Body { data: None, errors: vec![no_room_for_answer()] })
}

/// What remains of a request that panicked. The server lives on, and the log has the rest under the id in the answer.
pub fn panicked(panic: Box<dyn Any + Send>) -> Response {
    let errors = vec![Error::panicked(&*panic).of_request()];
    write(Media::GraphQL, StatusCode::INTERNAL_SERVER_ERROR, Body { data: None, errors })
}

/// The status of a request that was refused as a whole.
fn status(media: Media, errors: &[ServerError]) -> StatusCode {
    match errors.first().and_then(Code::of) {
        Some(Code::BodyMalformed) => StatusCode::BAD_REQUEST,
        Some(Code::MethodNotAllowed) => StatusCode::METHOD_NOT_ALLOWED,
        Some(Code::NotAcceptable) => StatusCode::NOT_ACCEPTABLE,
        Some(Code::MediaTypeUnsupported) => StatusCode::UNSUPPORTED_MEDIA_TYPE,
        Some(Code::RequestMalformed) => StatusCode::UNPROCESSABLE_ENTITY,
        // A request that could be read: to an older client its answer is one like every other.
        _ if media == Media::Json => StatusCode::OK,
        Some(Code::ParseFailed | Code::PersistedQueryMismatch) => StatusCode::BAD_REQUEST,
        Some(Code::PersistedQueryNotFound) => StatusCode::NOT_FOUND,
        _ => StatusCode::UNPROCESSABLE_ENTITY,
    }
}

fn write(media: Media, status: StatusCode, body: Body) -> Response {
    let headers = [
        (CONTENT_TYPE, media.content_type()),
        (CACHE_CONTROL, HeaderValue::from_static("no-store")),
        (VARY, HeaderValue::from_static("accept")),
    ];
    let mut response = (status, headers, serde_json::to_vec(&body).unwrap_or_default()).into_response();
    if status == StatusCode::METHOD_NOT_ALLOWED {
        response.headers_mut().insert(ALLOW, HeaderValue::from_static("GET, POST"));
    }
    if !body.errors.is_empty() {
        response.extensions_mut().insert(Codes(body.errors.iter().filter_map(Code::of).collect()));
    }
    response
}
