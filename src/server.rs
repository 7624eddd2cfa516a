//! HTTP: GraphiQL at `/`, the API at `/graphql`, also as a [WebSocket](websocket); `/health`, `/ready` and `/metrics`.
//!
//! A request passes the observation (`observe`), the bounds (`bounds`), and then its route. [`Server`] owns this order.

use std::sync::Arc;

use axum::Router;
use axum::routing::post;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;

use crate::config::Bounds;
use crate::metrics::Metrics;
use crate::shop::Api;

mod access;
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
pub mod websocket;

pub use access::{Access, AccessError};
pub use capacity::Capacity;
use websocket::Sockets;

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
        let (metrics, connections) = (api.db().metrics.clone(), api.db().reader.usage().max());
        let api = Router::new()
            .route("/graphql", post(graphql::post).get(graphql::get).fallback(graphql::other))
            .merge(probes::routes())
            .with_state(Arc::new(State { api, access }));
        Self::layered(api.merge(page::routes::<page::Built>()), bounds, &metrics, connections)
    }

    /// A server of other routes, in the same layers. The routes find the [`Capacity`] in their requests.
    pub fn with_routes(routes: Router, bounds: Bounds, metrics: &Metrics) -> Self {
        // They use none of a limited number of connections.
        Self::layered(routes, bounds, metrics, Semaphore::MAX_PERMITS)
    }

    fn layered(routes: Router, bounds: Bounds, metrics: &Metrics, database_connections: usize) -> Self {
        let capacity = Capacity::new(&bounds, database_connections);
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
