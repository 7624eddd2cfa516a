//! The opening handshake.
//!
//! axum checks it. The connection is taken from hyper, because axum would hide the stream, whose bytes are
//! [counted](super::meter).

use axum::body::Body;
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::extract::{FromRequestParts, WebSocketUpgrade};
use axum::http::header::{CONNECTION, SEC_WEBSOCKET_ACCEPT, SEC_WEBSOCKET_KEY, SEC_WEBSOCKET_PROTOCOL, UPGRADE};
use axum::http::request::Parts;
use axum::http::{HeaderValue, StatusCode};
use axum::response::Response;
use hyper::upgrade::{OnUpgrade, Upgraded};
use tungstenite::handshake::derive_accept_key;

/// The name of the subprotocol.
pub const PROTOCOL: &str = "graphql-transport-ws";

/// A valid handshake.
#[derive(Debug)]
pub struct Handshake {
    upgrade: OnUpgrade,
    accept: String,
    /// Whether the client speaks [`PROTOCOL`].
    pub(super) is_known: bool,
}

impl<S: Send + Sync> FromRequestParts<S> for Handshake {
    type Rejection = WebSocketUpgradeRejection;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Self::Rejection> {
        // axum takes it out.
        let upgrade = parts.extensions.get::<OnUpgrade>().cloned();
        let checked = WebSocketUpgrade::from_request_parts(parts, state).await?.protocols([PROTOCOL]);
        let key = parts.headers.get(SEC_WEBSOCKET_KEY).map_or(&b""[..], HeaderValue::as_bytes);
        Ok(Self {
            upgrade: upgrade.unwrap_or_else(|| hyper::upgrade::on(axum::http::Request::new(()))),
            accept: derive_accept_key(key),
            is_known: checked.selected_protocol().is_some(),
        })
    }
}

impl Handshake {
    /// The response that accepts it.
    pub(super) fn accepted(&self) -> Response {
        let mut response = Response::new(Body::empty());
        *response.status_mut() = StatusCode::SWITCHING_PROTOCOLS;
        let headers = response.headers_mut();
        headers.insert(CONNECTION, HeaderValue::from_static("upgrade"));
        headers.insert(UPGRADE, HeaderValue::from_static("websocket"));
        if let Ok(accept) = HeaderValue::from_str(&self.accept) {
            headers.insert(SEC_WEBSOCKET_ACCEPT, accept);
        }
        if self.is_known {
            headers.insert(SEC_WEBSOCKET_PROTOCOL, HeaderValue::from_static(PROTOCOL));
        }
        response
    }

    /// The connection, once the response was sent.
    pub(super) async fn connection(self) -> hyper::Result<Upgraded> {
        self.upgrade.await
    }
}
