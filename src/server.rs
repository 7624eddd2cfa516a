//! HTTP: GraphiQL at `/`, the API at `/graphql`, also as a [WebSocket](websocket), and `/health` for probes.

use axum::Router;
use axum::routing::{get, post};

use crate::graphql::Api;

mod access;
mod bounds;
mod graphql;
mod media;
pub mod page;
mod refusal;
mod request;
mod serve;
mod signal;
pub mod websocket;

pub use access::{Access, InvalidToken};
pub use bounds::bounded;
pub use serve::serve;
pub use signal::stop_signal;

/// What the routes share.
#[derive(Clone)]
struct App {
    api: Api,
    access: Access,
}

/// The routes.
pub fn router(api: Api, access: Access) -> Router {
    let api = Router::new()
        .route("/graphql", post(graphql::post).get(graphql::get).fallback(graphql::other))
        .with_state(App { api, access })
        // Whether the process is alive, whatever the database does.
        .route("/health", get(async || "alive\n"));
    api.merge(page::routes::<page::Built>())
}
