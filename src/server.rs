//! HTTP: GraphiQL at `/`, the API at `/graphql`, also as a [WebSocket](websocket); `/health`, `/ready` and `/metrics`.

use axum::Router;
use axum::routing::post;

use crate::graphql::Api;

mod access;
mod answer;
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
mod serve;
mod signal;
pub mod websocket;

pub use access::{Access, InvalidToken};
pub use bounds::bounded;
pub use capacity::Capacity;
pub use observe::observed;
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
        .merge(probes::routes())
        .with_state(App { api, access });
    api.merge(page::routes::<page::Built>())
}
