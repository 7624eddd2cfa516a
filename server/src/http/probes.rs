//! Probes: health, readiness and metrics. They need no permit, so they respond while the server is overloaded.

use std::fmt::Display;
use std::iter;
use std::time::Duration;

use axum::Router;
use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderName, HeaderValue, StatusCode};
use axum::routing::get;
use tokio::runtime::Handle;
use tokio::task::JoinSet;
use tokio::time::timeout;
use tracing::Instrument;

use super::capacity::Capacity;
use crate::Api;
use crate::db::Obstacle;
use crate::metrics::{Gauges, MEDIA_TYPE};

const HEALTH: &str = "/health";
const READY: &str = "/ready";
const METRICS: &str = "/metrics";

/// The time that the requests' runtime has to begin and end a check of the database, which itself takes two seconds at most.
const READY_TIMEOUT: Duration = Duration::from_secs(3);

/// The server that is probed.
#[derive(Clone)]
pub struct Probed {
    pub api: Api,
    pub capacity: Capacity,
    /// The runtime that executes its requests, where the probes have another one.
    pub runtime: Option<Handle>,
}

/// The routes of the probes.
pub fn routes(probed: Probed) -> Router {
    Router::new()
        // Independent of the database.
        .route(HEALTH, get(async || "alive\n"))
        .route(READY, get(ready))
        .route(METRICS, get(metrics))
        .with_state(probed)
}

/// Whether a route is a probe.
pub fn is_probe(route: &str) -> bool {
    [HEALTH, READY, METRICS].contains(&route)
}

/// Whether the server can answer queries: it is not stopping, its threads respond, and the database is ready.
async fn ready(State(Probed { api, capacity, runtime }): State<Probed>) -> (StatusCode, String) {
    if capacity.sockets.are_stopping() {
        return unready("the server is stopping");
    }
    let probe = api.db().probe.clone();
    let checked = match runtime {
        None => Ok(probe.ready().await),
        // Connections belong to the runtime that reads on them. The check is aborted when its set is dropped.
        Some(runtime) => {
            let mut check = JoinSet::new();
            check.spawn_on(async move { probe.ready().await }.in_current_span(), &runtime);
            let joined = timeout(READY_TIMEOUT, check.join_next()).await;
            joined.ok().flatten().and_then(Result::ok).ok_or(())
        }
    };
    match checked {
        Ok(Ok(obstacle)) => {
            let replicas = api.db().replicas.conditions();
            let replicas = replicas.map(|(name, condition)| format!("replica {name}: {condition}\n"));
            (StatusCode::OK, iter::once(obstacle.map_or("ready\n", limited).to_owned()).chain(replicas).collect())
        }
        Ok(Err(reason)) => unready(reason),
        Err(()) => unready("the server is too busy"),
    }
}

fn unready(reason: impl Display) -> (StatusCode, String) {
    (StatusCode::SERVICE_UNAVAILABLE, format!("{reason}\n"))
}

/// What a server says that can read and not write.
fn limited(obstacle: Obstacle) -> &'static str {
    match obstacle {
        Obstacle::ReadOnly => "ready, but the database is read-only: mutations fail with READ_ONLY\n",
        Obstacle::Full => "ready, but the storage is full: the last mutation failed with STORAGE_FULL\n",
        Obstacle::NoPrimary => {
            "ready, but the primary does not answer: mutations fail with UNAVAILABLE, queries read from replicas\n"
        }
        Obstacle::Failing => "ready, but the storage fails: the last mutation failed with STORAGE_FAILED\n",
    }
}

async fn metrics(State(Probed { api, capacity, .. }): State<Probed>) -> ([(HeaderName, HeaderValue); 1], String) {
    let db = api.db();
    let gauges = Gauges {
        pools: db.pools(),
        operations_in_flight: capacity.admission.in_use(),
        subscriptions: api.events().subscribers(),
        websockets: capacity.sockets.open(),
        buffered: capacity.memory.in_use(),
    };
    ([(CONTENT_TYPE, HeaderValue::from_static(MEDIA_TYPE))], db.metrics.render(gauges))
}
