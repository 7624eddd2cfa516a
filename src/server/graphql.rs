//! GraphQL over HTTP, as its specification has it (draft of August 2026): what the methods, the media types and the
//! status codes mean.
//!
//! The library's own service answers 200 to everything, knows one media type, lets a mutation through a GET, and takes
//! what a page of another site can have a browser send.

use async_graphql::{Data, Response as Answer, ServerError};
use axum::Extension;
use axum::body::Bytes;
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::extract::{State, WebSocketUpgrade};
use axum::http::header::SEC_WEBSOCKET_VERSION;
use axum::http::{HeaderMap, HeaderValue, StatusCode, Uri};
use axum::response::Response;

use super::App;
use super::answer::{answer, refuse};
use super::capacity::Capacity;
use super::media::{Media, is_json};
use super::observe::REQUEST_ID;
use super::request;
use super::websocket::{Timeouts, is_websocket};
use crate::graphql::{Code, Session, refusal};

/// A body of JSON: any operation but a subscription.
pub async fn post(State(app): State<App>, headers: HeaderMap, body: Bytes) -> Response {
    respond(&headers, async {
        if !is_json(&headers) {
            return Err(refusal(Code::MediaTypeUnsupported, "the body of a request is `application/json` in UTF-8"));
        }
        let request = request::of_body(&body)?;
        Ok(app.api.execute(request.data(app.access.permission(&headers, None))).await)
    })
    .await
}

/// A WebSocket; or the parameters of a URL: a query and nothing else, because whatever follows a link sends a GET.
pub async fn get(
    State(app): State<App>,
    Extension(capacity): Extension<Capacity>,
    headers: HeaderMap,
    url: Uri,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> Response {
    match upgrade {
        Ok(upgrade) => socket(app, capacity, headers, upgrade),
        Err(rejection) if is_websocket(&headers) => {
            let status = match &rejection {
                WebSocketUpgradeRejection::InvalidWebSocketVersionHeader(_) => StatusCode::UPGRADE_REQUIRED,
                other => other.status(),
            };
            let mut refusal = refuse(Media::Json, status, Code::HandshakeMalformed, rejection.body_text());
            // The one that there is (RFC 6455, section 4.4).
            refusal.headers_mut().insert(SEC_WEBSOCKET_VERSION, HeaderValue::from_static("13"));
            refusal
        }
        // What else a client could speak, it offers and no more (RFC 9110, section 7.8).
        Err(_) => respond(&headers, async { Ok(app.api.query(request::of_url(&url)?).await) }).await,
    }
}

/// Opens a WebSocket. Whoever may write on it is known by its headers, or by what it is opened with: a browser adds no
/// header.
fn socket(
    app: App,
    Capacity { admission, sockets, .. }: Capacity,
    headers: HeaderMap,
    upgrade: WebSocketUpgrade,
) -> Response {
    let metrics = app.api.db().metrics.clone();
    sockets.upgrade(upgrade, app.api, metrics, Timeouts::default(), move |opening| {
        let authorization = opening.get("Authorization").or_else(|| opening.get("authorization"));
        let id = headers.get(REQUEST_ID).and_then(|id| id.to_str().ok());
        let mut data = Data::default();
        data.insert(Session { request_id: id.unwrap_or_default().to_owned(), admission });
        data.insert(app.access.permission(&headers, authorization.and_then(serde_json::Value::as_str)));
        Some(data)
    })
}

/// Another method.
pub async fn other(headers: HeaderMap) -> Response {
    let message = "a request is sent by POST, or, if it only reads, by GET";
    respond(&headers, async { Err(refusal(Code::MethodNotAllowed, message)) }).await
}

/// The answer in the media type that the client accepts.
async fn respond(headers: &HeaderMap, answered: impl Future<Output = Result<Answer, ServerError>>) -> Response {
    let Some(media) = Media::accepted(headers) else {
        let message = "an answer is `application/graphql-response+json` or `application/json`";
        return answer(Media::Json, Answer::from_errors(vec![refusal(Code::NotAcceptable, message)]));
    };
    answer(media, answered.await.unwrap_or_else(|error| Answer::from_errors(vec![error])))
}
