//! What those ask who watch the server: whether it lives, whether it is to be sent requests, and what it has done. None
//! of it waits behind the requests of clients, nor for a connection that those have.

use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderName, HeaderValue, StatusCode};
use axum::routing::get;
use axum::{Extension, Router};

use super::App;
use super::capacity::Capacity;
use crate::metrics::{MEDIA_TYPE, Moment};

const HEALTH: &str = "/health";
const READY: &str = "/ready";
const METRICS: &str = "/metrics";

/// The routes.
pub fn routes() -> Router<App> {
    Router::new()
        // Whether the process is alive, whatever the database does.
        .route(HEALTH, get(async || "alive\n"))
        .route(READY, get(ready))
        .route(METRICS, get(metrics))
}

/// Whether this is one of the routes: they are asked all the time.
pub fn is_probe(route: &str) -> bool {
    [HEALTH, READY, METRICS].contains(&route)
}

/// Whether requests would be answered: the server does not stop, and the database can be worked with.
async fn ready(State(app): State<App>, Extension(capacity): Extension<Capacity>) -> (StatusCode, String) {
    if capacity.sockets.are_stopping() {
        return (StatusCode::SERVICE_UNAVAILABLE, "the server stops\n".into());
    }
    match app.api.db().probe.ready().await {
        Ok(()) => (StatusCode::OK, "ready\n".into()),
        Err(reason) => (StatusCode::SERVICE_UNAVAILABLE, format!("{reason}\n")),
    }
}

async fn metrics(
    State(app): State<App>,
    Extension(capacity): Extension<Capacity>,
) -> ([(HeaderName, HeaderValue); 1], String) {
    let db = app.api.db();
    let moment = Moment {
        pools: db.pools(),
        operations_in_flight: capacity.admission.taken(),
        subscriptions: app.api.events().subscribers(),
        websockets: capacity.sockets.open(),
        buffered: capacity.buffers.taken(),
    };
    ([(CONTENT_TYPE, HeaderValue::from_static(MEDIA_TYPE))], db.metrics.render(moment))
}
