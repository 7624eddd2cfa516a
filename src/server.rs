//! HTTP: GraphiQL at `/`, the API at `/graphql`.

use std::io;

use async_graphql_axum::GraphQL;
use axum::Router;
use axum::response::Html;
use axum::routing::{get, post_service};
use tokio::net::TcpListener;

use crate::graphql::Api;

/// What GraphiQL opens with.
pub const FIRST_QUERY: &str = include_str!("server/first.graphql");

/// The routes.
pub fn router(api: Api) -> Router {
    let page = include_str!("server/index.html").replace("{{first}}", FIRST_QUERY);
    Router::new().route("/", get(async || Html(page))).route("/graphql", post_service(GraphQL::new(api)))
}

/// Serves until the signal comes; requests that have begun are answered.
///
/// # Errors
///
/// [`io::Error`] where the listener fails.
pub async fn serve(
    listener: TcpListener,
    router: Router,
    stop: impl Future<Output = ()> + Send + 'static,
) -> io::Result<()> {
    axum::serve(listener, router).with_graceful_shutdown(stop).await
}

/// Ctrl-C, or the SIGTERM of a supervisor.
pub async fn stop_signal() {
    let interrupt = async {
        // Where the handler cannot be set up, this way to stop is missing, and no more.
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    };
    #[cfg(unix)]
    let terminate = async {
        match tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate()) {
            Ok(mut signal) => {
                signal.recv().await;
            }
            Err(_) => std::future::pending().await,
        }
    };
    #[cfg(not(unix))]
    let terminate = std::future::pending::<()>();
    tokio::select! {
        () = interrupt => {}
        () = terminate => {}
    }
}
