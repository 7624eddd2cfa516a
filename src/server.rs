//! HTTP: GraphiQL at `/`, the API at `/graphql`, also as a [WebSocket](websocket); `/health`, `/ready` and `/metrics`.
//!
//! A request passes the observation (`observe`), the bounds (`bounds`), and then its route. [`Server`] owns this order.

use std::sync::Arc;

use axum::Router;
use axum::routing::post;
use tokio::net::TcpListener;

use crate::config::Bounds;
use crate::metrics::Metrics;
use crate::shop::Api;

mod access;
mod bounds;
mod buffers;
mod capacity;
mod graphql;
mod media;
mod observe;
mod origin;
pub mod page;
mod probes;
mod request;
mod response;
mod serve;
pub mod websocket;

pub use access::{Access, InvalidToken};
pub use capacity::Capacity;
use websocket::Sockets;

/// Routes in their layers, and the capacity that their connections share.
#[derive(Debug)]
pub struct Server {
    router: Router,
    bounds: Bounds,
    sockets: Sockets,
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
        let metrics = api.db().metrics.clone();
        let api = Router::new()
            .route("/graphql", post(graphql::post).get(graphql::get).fallback(graphql::other))
            .merge(probes::routes())
            .with_state(Arc::new(State { api, access }));
        Self::with_routes(api.merge(page::routes::<page::Built>()), bounds, &metrics)
    }

    /// A server of other routes, in the same layers. The routes find the [`Capacity`] in their requests.
    pub fn with_routes(routes: Router, bounds: Bounds, metrics: &Metrics) -> Self {
        let capacity = Capacity::new(&bounds);
        let layers = observe::observed(bounds::bounded(routes, &bounds, &capacity), metrics);
        Self { router: layers, bounds, sockets: capacity.sockets }
    }

    /// The routes in their layers, to be called without a socket.
    pub fn router(&self) -> Router {
        self.router.clone()
    }

    /// The open WebSockets.
    pub fn sockets(&self) -> &Sockets {
        &self.sockets
    }

    /// Serves until `stop` completes: then it completes the requests that have begun, and closes the WebSockets.
    pub async fn serve(self, listener: TcpListener, stop: impl Future<Output = ()> + Send) {
        serve::serve(listener, self.router, &self.bounds, &self.sockets, stop).await;
    }
}
