//! GraphQL over HTTP (specification of August 2026, a draft): methods, media types and status codes.
//!
//! `async_graphql_axum::GraphQL` is not used: it answers 200 to everything, knows one media type, executes a mutation
//! that came by GET, and accepts bodies that a browser sends for a page of another site without a preflight request.

use async_graphql::{Data, Request, Response as GraphQLResponse, ServerError};
use axum::Extension;
use axum::body::Bytes;
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::extract::{State, WebSocketUpgrade};
use axum::http::header::{SEC_WEBSOCKET_VERSION, WWW_AUTHENTICATE};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, Uri};
use axum::response::Response;
use keyset_graphql::json::Verbatim;

use super::App;
use super::access::challenge;
use super::capacity::Capacity;
use super::media::{Media, is_json};
use super::observe::REQUEST_ID;
use super::request;
use super::response::{reject, respond};
use super::websocket::{Timeouts, is_websocket};
use crate::request::{Code, Permit, ReportCost, Session, refusal};

/// The header that asks for the cost of a request, with the value `report`. No standard names one. Hot Chocolate has
/// this name and this value, and Shopify reports the cost in `extensions.cost`, as this server does.
pub const GRAPHQL_COST: HeaderName = HeaderName::from_static("graphql-cost");

/// A query or a mutation in a body of JSON.
pub async fn post(
    State(app): State<App>,
    Extension(permit): Extension<Permit>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let permission = app.access.permission(&headers, None);
    let mut response = negotiated(&headers, async {
        if !is_json(&headers) {
            return Err(refusal(Code::MediaTypeUnsupported, "the body must be `application/json` in UTF-8"));
        }
        let request = request::of_body(body, permit.cpu()).await?;
        let request = prepared(request, &headers).data(permit).data(permission);
        // On the heap: the layers around this future move it.
        Ok(Box::pin(app.api.execute(request)).await)
    })
    .await;
    if response.status() == StatusCode::UNAUTHORIZED {
        response.headers_mut().insert(WWW_AUTHENTICATE, challenge(permission));
    }
    response
}

/// A WebSocket, or a query in the parameters of the URL. A mutation is rejected: following a link must not change data.
pub async fn get(
    State(app): State<App>,
    Extension(capacity): Extension<Capacity>,
    Extension(permit): Extension<Permit>,
    headers: HeaderMap,
    url: Uri,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> Response {
    match upgrade {
        Ok(upgrade) => open_websocket(app, capacity, headers, upgrade),
        Err(rejection) if is_websocket(&headers) => bad_handshake(&rejection),
        // An offer of another protocol can be ignored (RFC 9110, section 7.8).
        Err(_) => {
            negotiated(&headers, async {
                let request = prepared(request::of_url(&url)?, &headers).data(permit);
                Ok(Box::pin(app.api.query(request)).await)
            })
            .await
        }
    }
}

/// A request whose response is written as HTTP needs it, and as its headers ask for it.
fn prepared(request: Request, headers: &HeaderMap) -> Request {
    let request = request.data(Verbatim);
    let wants_cost = headers.get_all(GRAPHQL_COST).iter().any(|value| value == "report");
    if wants_cost { request.data(ReportCost) } else { request }
}

/// Opens a WebSocket. The permission to write comes from the headers, or from `connection_init`: a browser cannot add
/// headers.
fn open_websocket(
    app: App,
    Capacity { admission, memory, sockets, .. }: Capacity,
    headers: HeaderMap,
    upgrade: WebSocketUpgrade,
) -> Response {
    let metrics = app.api.db().metrics.clone();
    sockets.upgrade(upgrade, app.api.clone(), metrics, Timeouts::default(), move |init| {
        let authorization = init.get("Authorization").or_else(|| init.get("authorization"));
        let id = headers.get(REQUEST_ID).and_then(|id| id.to_str().ok());
        let mut data = Data::default();
        data.insert(Session {
            request_id: id.unwrap_or_default().to_owned(),
            admission: admission.within_slot(),
            memory,
        });
        data.insert(app.access.permission(&headers, authorization.and_then(serde_json::Value::as_str)));
        Some(data)
    })
}

fn bad_handshake(rejection: &WebSocketUpgradeRejection) -> Response {
    let mut response = reject(Media::Json, Code::HandshakeMalformed, rejection.body_text());
    *response.status_mut() = match rejection {
        WebSocketUpgradeRejection::InvalidWebSocketVersionHeader(_) => StatusCode::UPGRADE_REQUIRED,
        other => other.status(),
    };
    // The only version that exists (RFC 6455, section 4.4).
    response.headers_mut().insert(SEC_WEBSOCKET_VERSION, HeaderValue::from_static("13"));
    response
}

/// Any other method.
pub async fn other(headers: HeaderMap) -> Response {
    let message = "send a request by POST, or a query by GET";
    negotiated(&headers, async { Err(refusal(Code::MethodNotAllowed, message)) }).await
}

/// The response in the media type that the client prefers.
async fn negotiated(
    headers: &HeaderMap,
    response: impl Future<Output = Result<GraphQLResponse, ServerError>>,
) -> Response {
    let Some(media) = Media::accepted(headers) else {
        let message = "`Accept` must allow `application/graphql-response+json` or `application/json`";
        return reject(Media::Json, Code::NotAcceptable, message);
    };
    respond(media, response.await.unwrap_or_else(|error| GraphQLResponse::from_errors(vec![error])))
}
