//! GraphQL over HTTP (specification of August 2026, a draft): methods, media types and status codes.
//!
//! `async_graphql_axum::GraphQL` is not used: it answers 200 to everything, knows one media type, executes a mutation
//! that came by GET, and accepts bodies that a browser sends for a page of another site without a preflight request.

use async_graphql::{Response as GraphQLResponse, ServerError};
use axum::body::{Body, Bytes};
use axum::extract::FromRequestParts;
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::http::header::{ACCEPT_ENCODING, SEC_WEBSOCKET_VERSION, WWW_AUTHENTICATE};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode};
use axum::response::Response;
use serde_json::{Map, Value};

use super::authentication::{Authentication, Identified, Unidentified, challenge, refuse};
use super::capacity::Capacity;
use super::event_stream;
use super::headers::{GRAPHQL_COST, GRAPHQL_POSITION, REQUEST_ID};
use super::media::{Media, is_json, is_uncompressed, prefers_page};
use super::opening;
use super::page;
use super::request;
use super::response::{reject, respond, unless_known};
use super::websocket::{Handshake, is_websocket};
use crate::Api;
use crate::api::Serving;
use crate::app::Asking;
use crate::request::{
    Admission, Code, Error, Incoming, Memory, Permit, RequestContext, Session, refusal, was_executed,
};

/// The only route that needs a permit.
pub const API: &str = "/graphql";

/// The API, and who may use it.
pub struct Endpoint {
    pub api: Api,
    pub authentication: Authentication,
}

/// A request that was received within the bounds.
pub struct Received {
    pub head: Parts,
    pub body: Bytes,
    /// The media type that the client prefers, if it accepts one.
    pub media: Option<Media>,
    pub permit: Permit,
    /// What its client may use.
    pub capacity: Capacity,
}

/// An operation whose responses are to be an event stream. It needs no permit: its execution does.
pub struct Streamed {
    pub head: Parts,
    pub body: Bytes,
    /// What its client may use.
    pub capacity: Capacity,
}

/// The response to a request.
pub async fn answer(endpoint: &Endpoint, received: Received) -> Response {
    match received.head.method {
        Method::POST => post(endpoint, received).await,
        // On the heap: otherwise each POST would have room for it.
        Method::GET | Method::HEAD => Box::pin(get(endpoint, received)).await,
        _ => negotiated(&endpoint.api.serving(), received.media, Err(wrong_method())),
    }
}

/// A query or a mutation in a body of JSON.
async fn post(
    Endpoint { api, authentication, .. }: &Endpoint,
    Received { head, body, media, permit, .. }: Received,
) -> Response {
    let Some(accepted) = media else { return not_acceptable() };
    let Identified { permission, claims } = match identified(authentication, &head).await {
        Ok(identified) => identified,
        Err(unidentified) => return refuse(api, accepted, permit.client(), unidentified),
    };
    let api = &*api.serving();
    let answered = async {
        check_body(&head.headers)?;
        let incoming = request::read_body(body, permit.cpu()).await?;
        let context = RequestContext { permission, claims, permit: Some(permit), ..context(&head.headers) };
        Ok(api.execute(incoming.within(viewed(api, &head.headers, None, context)?)).await)
    };
    let mut response = negotiated(api, media, answered.await);
    if let Some(challenge) = challenge(response.status(), permission) {
        response.headers_mut().insert(WWW_AUTHENTICATE, challenge);
    }
    if response.status() == StatusCode::UNSUPPORTED_MEDIA_TYPE && !is_uncompressed(&head.headers) {
        // The encoding that would be accepted (RFC 9110, section 12.5.3).
        response.headers_mut().insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
    }
    response
}

/// A WebSocket, a query in the parameters of the URL, or the page where a browser opens the URL without one. A mutation is rejected: following a link must not change data.
async fn get(endpoint: &Endpoint, Received { mut head, media, permit, capacity, .. }: Received) -> Response {
    match Handshake::from_request_parts(&mut head, &()).await {
        Ok(handshake) => opening::open(endpoint, capacity, head, handshake),
        Err(rejection) if is_websocket(&head.headers) => bad_handshake(&rejection),
        Err(_) if !request::is_in(&head.uri) && prefers_page(&head.headers) => {
            page::respond_in_place_of_api(endpoint.api.serving().page(), &head.headers)
        }
        // An offer of another protocol can be ignored (RFC 9110, section 7.8).
        Err(_) => {
            let Some(accepted) = media else { return not_acceptable() };
            let Identified { permission, claims } = match identified(&endpoint.authentication, &head).await {
                Ok(identified) => identified,
                Err(unidentified) => return refuse(&endpoint.api, accepted, permit.client(), unidentified),
            };
            let api = &*endpoint.api.serving();
            let answered = async {
                let context = RequestContext { permission, claims, permit: Some(permit), ..context(&head.headers) };
                let context = viewed(api, &head.headers, None, context)?;
                Ok(api.query(request::read_url(&head.uri)?.within(context)).await)
            };
            unless_known(negotiated(api, media, answered.await), &head.headers)
        }
    }
}

/// The responses to an operation as an event stream. What is no request of GraphQL over HTTP gets a status instead.
pub async fn stream(
    Endpoint { api, authentication, .. }: &Endpoint,
    Streamed { head, body, capacity }: Streamed,
) -> Response {
    let Identified { permission, claims } = match identified(authentication, &head).await {
        Ok(identified) => identified,
        Err(unidentified) => return refuse(api, Media::GraphQL, capacity.admission.client(), unidentified),
    };
    let incoming = match head.method {
        Method::POST => match check_body(&head.headers) {
            Ok(()) => request::read_body(body, &capacity.admission.cpu()).await,
            Err(error) => Err(error),
        },
        Method::GET | Method::HEAD => request::read_url(&head.uri),
        _ => Err(wrong_method()),
    };
    let (metrics, memory) = (api.db().metrics.clone(), capacity.memory.clone());
    let api = &*api.serving();
    let session = Some(session(&head.headers, capacity.admission, memory.clone()));
    let context = RequestContext { permission, claims, session, ..context(&head.headers) };
    let within = |incoming: Incoming| Ok(incoming.within(viewed(api, &head.headers, None, context)?));
    let incoming = match incoming.and_then(within) {
        Ok(incoming) => incoming,
        Err(error) => return negotiated(api, Some(Media::GraphQL), Err(error)),
    };
    let responses = if head.method == Method::POST { api.stream(incoming) } else { api.stream_by_get(incoming) };
    event_stream::respond(&capacity.sockets, memory, metrics, responses)
}

/// Who sends a request.
async fn identified(authentication: &Authentication, head: &Parts) -> Result<Identified, Unidentified> {
    if let Some(access) = authentication.access_alone() {
        return Ok(Identified { permission: access.permission(&head.headers, None), claims: None });
    }
    // On the heap: otherwise each request would have room for it.
    Box::pin(authentication.identify(head.extensions.get().copied(), &head.headers, None)).await
}

/// The context of a request whose response this server writes: what its headers ask for.
fn context(headers: &HeaderMap) -> RequestContext {
    let position = headers.get(GRAPHQL_POSITION);
    RequestContext {
        position: position.map(|position| position.to_str().unwrap_or_default().to_owned()),
        reports_cost: headers.get_all(GRAPHQL_COST).iter().any(|value| value == "report"),
        is_written: true,
        ..RequestContext::default()
    }
}

/// The same with the value that the application makes of the request.
///
/// # Errors
///
/// Those of the application, which refuses the request.
pub(super) fn viewed(
    api: &Serving,
    headers: &HeaderMap,
    init: Option<&Map<String, Value>>,
    context: RequestContext,
) -> Result<RequestContext, ServerError> {
    let RequestContext { permission, claims, .. } = &context;
    let asking = Asking { headers, init, address: context.client(), permission: *permission, claims: claims.as_ref() };
    let data = api.application.viewer(asking).map_err(Error::of_request)?;
    Ok(RequestContext { data, ..context })
}

/// What the operations of a connection share, which is polled in slots.
pub(super) fn session(headers: &HeaderMap, admission: Admission, memory: Memory) -> Session {
    let id = headers.get(REQUEST_ID).and_then(|id| id.to_str().ok());
    Session { request_id: id.unwrap_or_default().to_owned(), admission: admission.within_slot(), memory }
}

fn wrong_method() -> ServerError {
    refusal(Code::MethodNotAllowed, "send a request by POST, or a query by GET")
}

/// Checks that a body is one of GraphQL over HTTP, as it is.
///
/// # Errors
///
/// [`Code::MediaTypeUnsupported`].
fn check_body(headers: &HeaderMap) -> Result<(), ServerError> {
    let unsupported = |message| Err(refusal(Code::MediaTypeUnsupported, message));
    if !is_json(headers) {
        return unsupported("the body must be `application/json` in UTF-8");
    }
    if !is_uncompressed(headers) {
        return unsupported("the body must be uncompressed, without `Content-Encoding`");
    }
    Ok(())
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

/// The response in the media type that the client prefers. Its errors can have codes of the application.
fn negotiated(api: &Serving, media: Option<Media>, answered: Result<GraphQLResponse, ServerError>) -> Response {
    let Some(media) = media else { return not_acceptable() };
    let answer = answered.unwrap_or_else(|error| GraphQLResponse::from_errors(vec![error]));
    let own = answer.errors.first().and_then(|error| api.application.own_code(error));
    let status = own.filter(|_| media == Media::GraphQL && !was_executed(&answer)).map(|own| own.status());
    let mut response = respond(media, answer);
    if let Some(status) = status {
        *response.status_mut() = status;
    }
    response
}

/// The response to a client that accepts no media type of a response. Nothing is executed for it.
fn not_acceptable() -> Response {
    let message = "`Accept` must allow `application/graphql-response+json` or `application/json`";
    reject(Media::Json, Code::NotAcceptable, message)
}

impl From<Received> for axum::extract::Request {
    /// For a route that is not this API: it finds its permit and its capacity in the extensions.
    fn from(Received { mut head, body, permit, capacity, .. }: Received) -> Self {
        head.extensions.insert(permit);
        head.extensions.insert(capacity);
        Self::from_parts(head, Body::from(body))
    }
}
