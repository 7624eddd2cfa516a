//! GraphQL over HTTP, as its specification has it (draft of August 2026): what the methods, the media types and the status
//! codes mean.
//!
//! The library's own service answers 200 to everything, knows one media type, lets a mutation through a GET, and takes what a page
//! of another site can have a browser send.

use async_graphql::{Data, Response as Answer, ServerError, Value};
use axum::Extension;
use axum::body::Bytes;
use axum::extract::rejection::BytesRejection;
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::extract::{State, WebSocketUpgrade};
use axum::http::header::{ALLOW, CACHE_CONTROL, CONTENT_TYPE, UPGRADE, VARY};
use axum::http::{HeaderMap, HeaderValue, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use serde::Serialize;

use super::App;
use super::media::{Media, is_json};
use super::request;
use super::websocket::{Sockets, Timeouts};
use crate::graphql::{Code, Error, was_executed};

/// A body of JSON: any operation but a subscription.
pub async fn post(State(app): State<App>, headers: HeaderMap, body: Result<Bytes, BytesRejection>) -> Response {
    answer(&headers, async {
        if !is_json(&headers) {
            return Err(refusal(Code::MediaTypeUnsupported, "the body of a request is `application/json` in UTF-8"));
        }
        let body = body.map_err(|rejection| match rejection.status() {
            StatusCode::PAYLOAD_TOO_LARGE => refusal(Code::BodyTooLarge, "the body of the request is too long"),
            _ => refusal(Code::RequestMalformed, rejection.body_text()),
        })?;
        let request = request::of_body(&body)?;
        Ok(app.api.execute(request.data(app.access.permission(&headers, None))).await)
    })
    .await
}

/// A WebSocket; or the parameters of a URL: a query and nothing else, because whatever follows a link sends a GET.
pub async fn get(
    State(app): State<App>,
    sockets: Option<Extension<Sockets>>,
    headers: HeaderMap,
    url: Uri,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> Response {
    match upgrade {
        Ok(upgrade) => socket(app, sockets, headers, upgrade),
        Err(rejection) if headers.contains_key(UPGRADE) => rejection.into_response(),
        Err(_) => answer(&headers, async { Ok(app.api.query(request::of_url(&url)?).await) }).await,
    }
}

/// Opens a WebSocket. Whoever may write on it is known by its headers, or by what it is opened with: a browser adds no header.
fn socket(app: App, sockets: Option<Extension<Sockets>>, headers: HeaderMap, upgrade: WebSocketUpgrade) -> Response {
    let Extension(sockets) = sockets.unwrap_or_default();
    sockets.upgrade(upgrade, app.api, Timeouts::default(), move |opening| {
        let authorization = opening.get("Authorization").or_else(|| opening.get("authorization"));
        let mut data = Data::default();
        data.insert(app.access.permission(&headers, authorization.and_then(serde_json::Value::as_str)));
        Some(data)
    })
}

/// Another method.
pub async fn other(headers: HeaderMap) -> Response {
    let message = "a request is sent by POST, or, if it only reads, by GET";
    answer(&headers, async { Err(refusal(Code::MethodNotAllowed, message)) }).await
}

fn refusal(code: Code, message: impl Into<String>) -> ServerError {
    Error::client(code, message).of_request()
}

/// The answer in the media type that the client accepts.
async fn answer(headers: &HeaderMap, answer: impl Future<Output = Result<Answer, ServerError>>) -> Response {
    let Some(media) = Media::accepted(headers) else {
        let message = "an answer is `application/graphql-response+json` or `application/json`";
        return write(Media::Json, Err(refusal(Code::NotAcceptable, message)));
    };
    write(media, answer.await)
}

/// What is said of a response in HTTP.
#[derive(Serialize)]
struct Body {
    #[serde(skip_serializing_if = "Option::is_none")]
    data: Option<Value>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    errors: Vec<ServerError>,
}

fn write(media: Media, answer: Result<Answer, ServerError>) -> Response {
    let (data, errors) = match answer {
        Ok(answer) if was_executed(&answer) => (Some(answer.data), answer.errors),
        Ok(answer) => (None, answer.errors),
        Err(error) => (None, vec![error]),
    };
    let status = if data.is_some() { StatusCode::OK } else { status(media, &errors) };
    let headers = [
        (CONTENT_TYPE, media.content_type()),
        (CACHE_CONTROL, HeaderValue::from_static("no-store")),
        (VARY, HeaderValue::from_static("accept")),
    ];
    let mut response =
        (status, headers, serde_json::to_vec(&Body { data, errors }).unwrap_or_default()).into_response();
    if status == StatusCode::METHOD_NOT_ALLOWED {
        response.headers_mut().insert(ALLOW, HeaderValue::from_static("GET, POST"));
    }
    response
}

/// The status of a request that was refused as a whole.
fn status(media: Media, errors: &[ServerError]) -> StatusCode {
    match errors.first().and_then(Code::of) {
        Some(Code::BodyMalformed) => StatusCode::BAD_REQUEST,
        Some(Code::MethodNotAllowed) => StatusCode::METHOD_NOT_ALLOWED,
        Some(Code::NotAcceptable) => StatusCode::NOT_ACCEPTABLE,
        Some(Code::BodyTooLarge) => StatusCode::PAYLOAD_TOO_LARGE,
        Some(Code::MediaTypeUnsupported) => StatusCode::UNSUPPORTED_MEDIA_TYPE,
        Some(Code::RequestMalformed) => StatusCode::UNPROCESSABLE_ENTITY,
        // A request that could be read: to an older client its answer is one like every other.
        _ if media == Media::Json => StatusCode::OK,
        Some(Code::ParseFailed | Code::PersistedQueryMismatch) => StatusCode::BAD_REQUEST,
        Some(Code::PersistedQueryNotFound) => StatusCode::NOT_FOUND,
        Some(Code::Internal) => StatusCode::INTERNAL_SERVER_ERROR,
        _ => StatusCode::UNPROCESSABLE_ENTITY,
    }
}
