//! Probes: health, readiness and metrics. They need no permit, so they respond while the server is overloaded.

use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderName, HeaderValue, StatusCode};
use axum::routing::get;
use axum::{Extension, Router};

use super::App;
use super::capacity::Capacity;
use crate::db::Obstacle;
use crate::metrics::{Gauges, MEDIA_TYPE};

const HEALTH: &str = "/health";
const READY: &str = "/ready";
const METRICS: &str = "/metrics";

/// The routes of the probes.
pub fn routes() -> Router<App> {
    Router::new()
        // Independent of the database.
        .route(HEALTH, get(async || "alive\n"))
        .route(READY, get(ready))
        .route(METRICS, get(metrics))
}

/// Whether a route is a probe.
pub fn is_probe(route: &str) -> bool {
    [HEALTH, READY, METRICS].contains(&route)
}

/// Whether the server can answer queries: it is not stopping, and the database is ready.
async fn ready(State(app): State<App>, Extension(capacity): Extension<Capacity>) -> (StatusCode, String) {
    if capacity.sockets.are_stopping() {
        return (StatusCode::SERVICE_UNAVAILABLE, "the server is stopping\n".into());
    }
    match app.api.db().probe.ready().await {
        Ok(obstacle) => (StatusCode::OK, obstacle.map_or("ready\n", limited).into()),
        Err(reason) => (StatusCode::SERVICE_UNAVAILABLE, format!("{reason}\n")),
    }
}

/// What a server says that can read and not write.
fn limited(obstacle: Obstacle) -> &'static str {
    match obstacle {
        Obstacle::ReadOnly => "ready, but the database is read-only: mutations fail with READ_ONLY\n",
        Obstacle::Full => "ready, but the storage is full: the last mutation failed with STORAGE_FULL\n",
        Obstacle::Failing => "ready, but the storage fails: the last mutation failed with STORAGE_FAILED\n",
    }
}

async fn metrics(
    State(app): State<App>,
    Extension(capacity): Extension<Capacity>,
) -> ([(HeaderName, HeaderValue); 1], String) {
    let db = app.api.db();
    let gauges = Gauges {
        pools: db.pools(),
        operations_in_flight: capacity.admission.in_use(),
        subscriptions: app.api.events().subscribers(),
        websockets: capacity.sockets.open(),
        buffered: capacity.buffers.in_use(),
    };
    ([(CONTENT_TYPE, HeaderValue::from_static(MEDIA_TYPE))], db.metrics.render(gauges))
}
