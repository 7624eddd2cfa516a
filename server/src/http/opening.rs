//! Opens WebSockets of the API.

use std::net::IpAddr;

use async_graphql::ServerError;
use axum::http::request::Parts;
use axum::response::Response;
use serde_json::Value;

use super::authentication::{Identified, Unidentified, count};
use super::capacity::Capacity;
use super::client::Peer;
use super::graphql::{Endpoint, session, viewed};
use super::websocket::{Authorized, Handshake, Refused, Timeouts};
use crate::Api;
use crate::claims::Claims;
use crate::request::{Code, Incoming, RequestContext, code_of, refusal};

/// Opens a WebSocket. Who opens it is known from the headers, or from `connection_init`: a browser cannot add headers.
pub fn open(
    Endpoint { api, authentication, .. }: &Endpoint,
    Capacity { admission, memory, sockets, .. }: Capacity,
    Parts { headers, extensions, .. }: Parts,
    handshake: Handshake,
) -> Response {
    let (metrics, authentication, api) = (api.db().metrics.clone(), authentication.clone(), api.clone());
    let peer: Option<Peer> = extensions.get().copied();
    sockets.upgrade(handshake, metrics, Timeouts::default(), async move |init| {
        let authorization = init.get("Authorization").or_else(|| init.get("authorization")).and_then(Value::as_str);
        let identified = authentication.identify(peer, &headers, authorization).await;
        let Identified { permission, claims } =
            identified.map_err(|unidentified| refused(&api, admission.client(), unidentified))?;
        let until = claims.as_ref().and_then(Claims::end);
        let session = Some(session(&headers, admission, memory));
        let context = RequestContext { permission, claims, session, is_written: true, ..RequestContext::default() };
        let context = viewed(&api.serving(), &headers, Some(&init), context).map_err(|error| {
            log_refusal(&api, "the application refused a WebSocket", &error);
            Refused::Forbidden
        })?;
        let execute = move |incoming: Incoming| api.stream(incoming.within(context.clone()));
        Ok(Authorized { execute, until })
    })
}

/// Why a WebSocket is refused whose client is not known.
fn refused(api: &Api, client: Option<IpAddr>, unidentified: Unidentified) -> Refused {
    match unidentified {
        Unidentified::Invalid(invalid) => {
            let error = count(api, client, invalid).err();
            let error = error.unwrap_or_else(|| refusal(Code::Unauthenticated, invalid.to_string()));
            log_refusal(api, "a WebSocket was refused", &error);
            Refused::Token(error.message)
        }
        Unidentified::NoKeys => {
            api.db().metrics.error(Code::Unavailable.as_str());
            Refused::Unavailable
        }
    }
}

fn log_refusal(api: &Api, what: &'static str, error: &ServerError) {
    let code = code_of(error);
    tracing::info!(code, "{what}");
    if let Some(code) = code {
        api.db().metrics.error(code);
    }
}
