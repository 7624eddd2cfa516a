//! HTTP: GraphiQL at `/`, the API at `/graphql`, also as a [WebSocket](websocket); `/health`, `/ready` and `/metrics`.
//!
//! Where `LISTEN_ADMIN` is set, the last three have a listener and a thread of their own ([`Admin`]).
//!
//! A request passes the observation (`observe`), the bounds (`bounds`), and then its route. [`Server`] owns this order.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::routing::post;
use tokio::net::TcpListener;
use tokio::runtime::Handle;
use tokio::sync::Semaphore;

use crate::config::{Bounds, Seconds};
use crate::metrics::Metrics;
use crate::shop::Api;

mod access;
mod admin;
mod bounds;
mod buffers;
mod capacity;
mod client;
mod graphql;
mod last;
mod media;
mod observe;
mod origin;
pub mod page;
mod probes;
mod request;
mod response;
mod serve;
mod stream;
pub mod websocket;

pub use access::{Access, AccessError};
pub use admin::Admin;
pub use capacity::Capacity;
use probes::Probed;
use websocket::Sockets;

/// The time that the probes have to end when the server stops.
const PROBES_SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(1);

/// Routes in their layers, and the capacity that their connections share.
#[derive(Debug)]
pub struct Server {
    router: Router,
    bounds: Bounds,
    capacity: Capacity,
}

/// State of the routes.
type App = Arc<State>;

struct State {
    api: Api,
    access: Access,
}

impl Server {
    /// A server of this API, with its probes and its page.
    pub fn new(api: Api, access: Access, bounds: Bounds) -> Self {
        let capacity = Self::capacity(&api, &bounds);
        let probed = Probed { api: api.clone(), capacity: capacity.clone(), runtime: None };
        let (metrics, routes) = (api.db().metrics.clone(), Self::routes(api, access).merge(probes::routes(probed)));
        Self::layered(routes, bounds, &metrics, capacity)
    }

    /// A server of this API with its page, and another one of its probes. It is for a runtime of its own.
    ///
    /// # Panics
    ///
    /// Panics outside of the runtime that will execute the requests.
    pub fn with_admin(api: Api, access: Access, bounds: Bounds) -> (Self, Self) {
        let (metrics, capacity) = (api.db().metrics.clone(), Self::capacity(&api, &bounds));
        let probed = Probed { api: api.clone(), capacity: capacity.clone(), runtime: Some(Handle::current()) };
        // It stops after the other one, and no probe takes long.
        let soon = Bounds {
            shutdown_timeout: Seconds(PROBES_SHUTDOWN_TIMEOUT.min(bounds.shutdown_timeout.0)),
            ..bounds.clone()
        };
        let admin = Self::with_routes(probes::routes(probed), soon, &metrics);
        (Self::layered(Self::routes(api, access), bounds, &metrics, capacity), admin)
    }

    fn capacity(api: &Api, bounds: &Bounds) -> Capacity {
        Capacity::new(bounds, api.db().reader.usage().max())
    }

    fn routes(api: Api, access: Access) -> Router {
        let graphql = post(graphql::post).get(graphql::get).fallback(graphql::other);
        let api = Router::new().route("/graphql", graphql).with_state(Arc::new(State { api, access }));
        api.merge(page::routes::<page::Built>())
    }

    /// A server of other routes, in the same layers. The routes find the [`Capacity`] in their requests.
    pub fn with_routes(routes: Router, bounds: Bounds, metrics: &Metrics) -> Self {
        // They use none of a limited number of connections.
        let capacity = Capacity::new(&bounds, Semaphore::MAX_PERMITS);
        Self::layered(routes, bounds, metrics, capacity)
    }

    fn layered(routes: Router, bounds: Bounds, metrics: &Metrics, capacity: Capacity) -> Self {
        let layers = observe::observed(bounds::bounded(routes, &bounds, &capacity), metrics);
        Self { router: layers, bounds, capacity }
    }

    /// The routes in their layers, to be called without a socket.
    pub fn router(&self) -> Router {
        self.router.clone()
    }

    /// The open WebSockets.
    pub fn sockets(&self) -> &Sockets {
        &self.capacity.sockets
    }

    /// Serves until `stop` completes: then it completes the requests that have begun, and closes the WebSockets.
    pub async fn serve(self, listener: TcpListener, stop: impl Future<Output = ()> + Send) {
        serve::serve(listener, self.router, &self.bounds, &self.capacity, stop).await;
    }
}
