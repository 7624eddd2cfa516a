//! An axum application with routes of its own, and the API of the shop as one more.
//!
//! ```sh
//! cargo run --example embedded
//! ```
//!
//! `/graphql` executes queries, serves subscriptions over a WebSocket, and executes mutations with the header `x-role: clerk`.

use std::error::Error;

use async_graphql_axum::{GraphQLRequest, GraphQLResponse, GraphQLSubscription};
use axum::extract::State;
use axum::http::HeaderMap;
use axum::routing::{get, post};
use axum::{Router, serve};
use bookends_server::Api;
use bookends_server::config::{Limits, Settings};
use bookends_server::request::{Incoming, Permission};
use tokio::net::TcpListener;

/// The routes of the application.
fn routes(api: Api) -> Router {
    Router::new()
        .route("/", get(async || "Routes of your own."))
        .route("/graphql", post(execute).get_service(GraphQLSubscription::new(api.clone())))
        .with_state(api)
}

/// Executes a request. Your application decides who may write.
async fn execute(State(api): State<Api>, headers: HeaderMap, request: GraphQLRequest) -> GraphQLResponse {
    let is_clerk = headers.get("x-role").is_some_and(|role| role == "clerk");
    let permission = if is_clerk { Permission::Granted } else { Permission::Forbidden };
    api.execute(Incoming::from(request.into_inner()).permitted(permission)).await.into()
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let db = bookshop::connect(&Settings::new("sqlite://embedded.db?mode=rwc")).await?;
    db.migrate().await?;
    let listener = TcpListener::bind("127.0.0.1:3000").await?;
    println!("open http://{}", listener.local_addr()?);
    serve(listener, routes(bookshop::api(db, Limits::DEFAULT))).await?;
    Ok(())
}
