//! HTTP: GraphiQL at `/`, the API at `/graphql`, also as a [WebSocket](websocket), its schema at
//! `/schema.graphql`; `/health`, `/ready` and `/metrics`.
//!
//! Where `LISTEN_ADMIN` is set, the last three have a listener and a thread of their own ([`Admin`]).
//!
//! [`Service`] has the way of a request to its route.

use std::time::Duration;

use axum::Router;
use tokio::net::TcpListener;
use tokio::runtime::Handle;
use tokio::sync::Semaphore;

use crate::Api;
use crate::config::{Bounds, Seconds};
use crate::metrics::Metrics;

mod accept;
mod access;
mod admin;
mod authentication;
mod bounds;
mod buffers;
pub mod bundle;
mod capacity;
mod client;
mod cors;
mod etag;
mod event_stream;
mod graphql;
mod headers;
mod host;
mod media;
mod observe;
mod opening;
mod origin;
pub mod page;
mod probes;
mod request;
mod response;
pub(crate) mod schema;
mod serve;
mod service;
mod shares;
mod stream;
mod surroundings;
mod timing;
pub mod websocket;

pub use access::{Access, AccessError};
pub use admin::Admin;
pub use authentication::{Authentication, AuthenticationError};
pub use capacity::Capacity;
pub use client::Peer;
use graphql::Endpoint;
use probes::Probed;
pub use service::Service;
use websocket::Sockets;

/// The time that the probes have to end when the server stops.
const PROBES_SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(1);

/// Routes, and the capacity that their connections share.
#[derive(Debug)]
pub struct Server {
    service: Service,
    bounds: Bounds,
    capacity: Capacity,
}

impl Server {
    /// A server of this API, with its probes and its page. [`Access`] alone knows the write token; [`Authentication`] also
    /// verifies the tokens of users.
    pub fn new(api: Api, authentication: impl Into<Authentication>, bounds: Bounds) -> Self {
        let authentication = authentication.into();
        let capacity = Self::capacity(&api, &bounds);
        let probed = Probed { api: api.clone(), capacity: capacity.clone(), runtime: None };
        let others = pages(&api).merge(probes::routes(probed));
        Self::of_api(Endpoint { api, authentication }, others, bounds, capacity)
    }

    /// A server of this API with its page, and another one of its probes. It is for a runtime of its own.
    ///
    /// # Panics
    ///
    /// Panics outside of the runtime that will execute the requests.
    pub fn with_admin(api: Api, authentication: impl Into<Authentication>, bounds: Bounds) -> (Self, Self) {
        let authentication = authentication.into();
        let (metrics, capacity) = (api.db().metrics.clone(), Self::capacity(&api, &bounds));
        let probed = Probed { api: api.clone(), capacity: capacity.clone(), runtime: Some(Handle::current()) };
        // It stops after the other one, and no probe takes long.
        let soon = Bounds {
            shutdown_timeout: Seconds(PROBES_SHUTDOWN_TIMEOUT.min(bounds.shutdown_timeout.0)),
            ..bounds.clone()
        };
        let admin = Self::with_routes(probes::routes(probed), soon, &metrics);
        let others = pages(&api);
        (Self::of_api(Endpoint { api, authentication }, others, bounds, capacity), admin)
    }

    fn capacity(api: &Api, bounds: &Bounds) -> Capacity {
        Capacity::new(bounds, api.db().reader.usage().max())
    }

    fn of_api(endpoint: Endpoint, others: Router, bounds: Bounds, capacity: Capacity) -> Self {
        let metrics = endpoint.api.db().metrics.clone();
        let service = Service::new(Some(endpoint), others, &bounds, metrics, &capacity);
        Self { service, bounds, capacity }
    }

    /// A server of other routes. They find the [`Capacity`] in their requests.
    pub fn with_routes(routes: Router, bounds: Bounds, metrics: &Metrics) -> Self {
        // They use none of a limited number of connections.
        let capacity = Capacity::new(&bounds, Semaphore::MAX_PERMITS);
        let service = Service::new(None, routes, &bounds, metrics.clone(), &capacity);
        Self { service, bounds, capacity }
    }

    /// What responds to the requests, without a socket: an axum application nests it below a path of its own by `nest_service`.
    /// Clients are told apart by the [`Peer`] in the extensions of a request, or by `X-Forwarded-For` of trusted proxies; without
    /// them, all share what one may use.
    pub fn service(&self) -> Service {
        self.service.clone()
    }

    /// The open WebSockets.
    pub fn sockets(&self) -> &Sockets {
        &self.capacity.sockets
    }

    /// Serves until `stop` completes: then it completes the requests that have begun, and closes the WebSockets.
    pub async fn serve(self, listener: TcpListener, stop: impl Future<Output = ()> + Send) {
        serve::serve(listener, self.service, &self.bounds, &self.capacity, stop).await;
    }
}

/// What a browser opens.
fn pages(api: &Api) -> Router {
    let pages = page::routes_of(api.clone()).merge(api.application().routes());
    if api.serving().sdl().is_some() { pages.merge(schema::routes(api.clone())) } else { pages }
}
