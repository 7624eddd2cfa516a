//! A response of the API in HTTP: media type, status and body. A request that is rejected before it reaches the API gets
//! a GraphQL error with a code, like any other.

use std::any::Any;
use std::collections::BTreeMap;

use async_graphql::{Response as GraphQLResponse, ServerError, Value};
use axum::http::header::{ALLOW, CACHE_CONTROL, CONTENT_TYPE, ETAG, RETRY_AFTER, VARY};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};

use super::etag;
use super::headers::GRAPHQL_POSITION;
use super::media::Media;
use crate::request::{Code, Error, code_of, position, refusal, was_executed};

/// The codes of the errors in a response, for the metrics and the log.
#[derive(Clone, Debug)]
pub struct Codes(pub Vec<&'static str>);

/// The status of a response with data and errors: the code has no name in HTTP (GraphQL over HTTP, "Partial success").
const PARTIAL_SUCCESS: u16 = 294;
/// Room for what stands around the data of a response, in bytes.
const ROOM: usize = 64;

#[derive(Default)]
struct Body {
    data: Option<Value>,
    errors: Vec<ServerError>,
    extensions: BTreeMap<String, Value>,
    /// How long caches may keep it, in seconds; `None` if they may not.
    max_age: Option<i32>,
}

impl Body {
    fn json(&self) -> Vec<u8> {
        json(self.data.as_ref(), &self.errors, &self.extensions)
    }
}

/// A response as text, with its data. What a plan has written as JSON stays as it is.
pub fn text(response: &GraphQLResponse) -> String {
    let json = json(Some(&response.data), &response.errors, &response.extensions);
    // JSON is UTF-8.
    String::from_utf8(json).unwrap_or_default()
}

fn json(data: Option<&Value>, errors: &[ServerError], extensions: &BTreeMap<String, Value>) -> Vec<u8> {
    let room = if let Some(Value::Binary(data)) = data { data.len() } else { 0 };
    let mut json = Vec::with_capacity(room + ROOM);
    json.push(b'{');
    if let Some(data) = data {
        json.extend_from_slice(b"\"data\":");
        bookends_graphql::json::write(data, &mut json);
    }
    if !errors.is_empty() {
        json.extend_from_slice(if data.is_some() { b",\"errors\":" } else { b"\"errors\":" });
        json.extend(serde_json::to_vec(errors).unwrap_or_else(|_| b"[]".to_vec()));
    }
    if !extensions.is_empty() {
        // A response has data or errors.
        json.extend_from_slice(b",\"extensions\":");
        json.extend(serde_json::to_vec(extensions).unwrap_or_else(|_| b"{}".to_vec()));
    }
    json.push(b'}');
    json
}

/// The response to a request that the API has read.
pub fn respond(media: Media, response: GraphQLResponse) -> Response {
    let position = position(&response).and_then(|position| HeaderValue::from_str(position).ok());
    let data = was_executed(&response).then_some(response.data);
    let max_age = Some(response.cache_control.max_age).filter(|max_age| *max_age > 0);
    let mut written = write(media, Body { data, errors: response.errors, extensions: response.extensions, max_age });
    if let Some(position) = position {
        written.headers_mut().insert(GRAPHQL_POSITION, position);
    }
    written
}

/// The response without its body, if the client has it already.
pub fn unless_known(response: Response, request: &HeaderMap) -> Response {
    let tag = response.headers().get(ETAG).and_then(|tag| tag.to_str().ok());
    if !tag.is_some_and(|tag| etag::is_known(request, tag)) {
        return response;
    }
    let mut unchanged = response.map(|_| axum::body::Body::empty());
    *unchanged.status_mut() = StatusCode::NOT_MODIFIED;
    unchanged
}

/// Rejects a request as a whole.
pub fn reject(media: Media, code: Code, message: impl Into<String>) -> Response {
    write(media, Body { errors: vec![refusal(code, message)], ..Body::default() })
}

/// The same with this error.
pub fn reject_with(media: Media, error: ServerError) -> Response {
    write(media, Body { errors: vec![error], ..Body::default() })
}

/// The response to a request whose handler panicked. The log has the cause, under the id in the response.
pub fn panicked(panic: Box<dyn Any + Send>) -> Response {
    write(Media::GraphQL, Body { errors: vec![Error::panicked(&*panic).of_request()], ..Body::default() })
}

/// The status of a response with data and errors. For an older client, which cannot know it, it is 200.
fn partial_success() -> StatusCode {
    StatusCode::from_u16(PARTIAL_SUCCESS).unwrap_or_default()
}

/// The status of a request that was rejected as a whole.
fn status(media: Media, code: Option<Code>) -> StatusCode {
    match code {
        Some(Code::BodyMalformed | Code::HostMalformed | Code::HandshakeMalformed) => StatusCode::BAD_REQUEST,
        Some(Code::OriginForbidden) => StatusCode::FORBIDDEN,
        Some(Code::MethodNotAllowed) => StatusCode::METHOD_NOT_ALLOWED,
        Some(Code::NotAcceptable) => StatusCode::NOT_ACCEPTABLE,
        Some(Code::BodyTooSlow) => StatusCode::REQUEST_TIMEOUT,
        Some(Code::BodyTooLarge) => StatusCode::PAYLOAD_TOO_LARGE,
        Some(Code::UrlTooLong) => StatusCode::URI_TOO_LONG,
        Some(Code::MediaTypeUnsupported) => StatusCode::UNSUPPORTED_MEDIA_TYPE,
        Some(Code::RequestMalformed) => StatusCode::UNPROCESSABLE_ENTITY,
        Some(Code::Internal) => StatusCode::INTERNAL_SERVER_ERROR,
        Some(Code::RateLimited) => StatusCode::TOO_MANY_REQUESTS,
        Some(Code::Overloaded | Code::AnswerDropped) => StatusCode::SERVICE_UNAVAILABLE,
        Some(Code::TimedOut) => StatusCode::GATEWAY_TIMEOUT,
        // The request could be read: for an older client, every response to it is 200.
        _ if media == Media::Json => StatusCode::OK,
        Some(Code::Unauthenticated) => StatusCode::UNAUTHORIZED,
        Some(Code::ParseFailed | Code::PersistedQueryMismatch) => StatusCode::BAD_REQUEST,
        Some(Code::Forbidden | Code::DocumentNotTrusted) => StatusCode::FORBIDDEN,
        Some(Code::PersistedQueryNotFound) => StatusCode::NOT_FOUND,
        _ => StatusCode::UNPROCESSABLE_ENTITY,
    }
}

/// After how many seconds a client should try again.
fn retry_after(status: StatusCode, code: Option<Code>, body: &Body) -> Option<u64> {
    match code? {
        Code::Overloaded if status != StatusCode::OK => Some(1),
        Code::RateLimited => match body.errors.first()?.extensions.as_ref()?.get(crate::request::RETRY_AFTER)? {
            Value::Number(seconds) => seconds.as_u64(),
            _ => None,
        },
        _ => None,
    }
}

fn write(media: Media, body: Body) -> Response {
    let code = body.errors.first().and_then(Code::of);
    let status = match (&body.data, media) {
        (Some(_), Media::GraphQL) if !body.errors.is_empty() => partial_success(),
        (Some(_), _) => StatusCode::OK,
        (None, media) => status(media, code),
    };
    let json = body.json();
    let kept = body.max_age.map(|max_age| (format!("public, max-age={max_age}"), etag::of(&json)));
    let headers = [
        (CONTENT_TYPE, media.content_type()),
        (CACHE_CONTROL, HeaderValue::from_static("no-store")),
        (VARY, HeaderValue::from_static("accept")),
    ];
    let mut response = (status, headers, json).into_response();
    if let Some((cache_control, tag)) = kept {
        // A client that has written must not get a response from before its write.
        let vary = HeaderValue::from_static("accept, graphql-position");
        response = ([(VARY, vary)], [(CACHE_CONTROL, cache_control), (ETAG, tag)], response).into_response();
    }
    if status == StatusCode::METHOD_NOT_ALLOWED {
        response.headers_mut().insert(ALLOW, HeaderValue::from_static("GET, POST"));
    }
    if let Some(seconds) = retry_after(status, code, &body) {
        response.headers_mut().insert(RETRY_AFTER, seconds.into());
    }
    if !body.errors.is_empty() {
        response.extensions_mut().insert(Codes(body.errors.iter().filter_map(code_of).collect()));
    }
    response
}
