//! Who asks: a value of an application's own type, for each request.

use std::fmt;
use std::net::IpAddr;
use std::sync::Arc;

use async_graphql::Data;
use axum::http::HeaderMap;
use serde_json::{Map, Value};

use crate::claims::Claims;
use crate::request::{Permission, Result};

/// What an application learns of a request before it is executed.
#[derive(Clone, Copy)]
pub struct Asking<'a> {
    /// Its headers; on a WebSocket, those of the handshake.
    pub headers: &'a HeaderMap,
    /// The payload of `connection_init`, on a WebSocket.
    pub init: Option<&'a Map<String, Value>>,
    /// The address of its client, as `TRUSTED_PROXIES` tells it.
    pub address: Option<IpAddr>,
    /// Whether it may write.
    pub permission: Permission,
    /// What its token, or a trusted proxy, says of who asks; `None` without a token. An invalid token never gets here.
    pub claims: Option<&'a Claims>,
}

/// Without the values of the headers and of the payload: they can have tokens.
impl fmt::Debug for Asking<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { headers, init, address, permission, claims } = self;
        f.debug_struct("Asking")
            .field("headers", &headers.keys())
            .field("init", &init.map(Map::keys))
            .field("address", address)
            .field("permission", permission)
            .field("claims", claims)
            .finish()
    }
}

/// Makes the value.
#[derive(Clone)]
pub struct Viewing(Arc<Make>);

type Make = dyn Fn(Asking<'_>) -> Result<Arc<Data>> + Send + Sync;

impl Viewing {
    pub fn by<V: Send + Sync + 'static>(make: impl Fn(Asking<'_>) -> Result<V> + Send + Sync + 'static) -> Self {
        Self(Arc::new(move |asking| {
            let mut data = Data::default();
            data.insert(make(asking)?);
            Ok(Arc::new(data))
        }))
    }

    /// The data in which resolvers find it.
    pub fn of(&self, asking: Asking<'_>) -> Result<Arc<Data>> {
        (self.0)(asking)
    }
}

impl fmt::Debug for Viewing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Viewing")
    }
}
