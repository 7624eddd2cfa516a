//! What those ask who watch the server: whether it lives, whether it is to be sent requests, and what it has done. None of
//! it waits behind the requests of clients.

use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderName, HeaderValue, StatusCode};
use axum::routing::get;
use axum::{Extension, Router};

use super::App;
use super::websocket::Sockets;
use crate::metrics::{MEDIA_TYPE, Moment};

/// The routes.
pub fn routes() -> Router<App> {
    Router::new()
        // Whether the process is alive, whatever the database does.
        .route("/health", get(async || "alive\n"))
        .route("/ready", get(ready))
        .route("/metrics", get(metrics))
}

/// Whether requests would be answered: the server does not stop, and the database can be worked with.
async fn ready(State(app): State<App>, sockets: Option<Extension<Sockets>>) -> (StatusCode, String) {
    if sockets.is_some_and(|Extension(sockets)| sockets.are_stopping()) {
        return (StatusCode::SERVICE_UNAVAILABLE, "the server stops\n".into());
    }
    match app.api.db().ready().await {
        Ok(()) => (StatusCode::OK, "ready\n".into()),
        Err(reason) => (StatusCode::SERVICE_UNAVAILABLE, format!("{reason}\n")),
    }
}

async fn metrics(
    State(app): State<App>,
    sockets: Option<Extension<Sockets>>,
) -> ([(HeaderName, HeaderValue); 1], String) {
    let db = app.api.db();
    let moment = Moment {
        pools: db.pools(),
        subscriptions: app.api.events().subscribers(),
        websockets: sockets.map_or(0, |Extension(sockets)| sockets.open()),
    };
    ([(CONTENT_TYPE, HeaderValue::from_static(MEDIA_TYPE))], db.metrics.render(moment))
}
