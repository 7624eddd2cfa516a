//! What the two servers share: the pages that are asked for, and their JSON.

use std::env;
use std::net::SocketAddr;

use axum::Router;
use axum::body::Bytes;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::post;

mod json;
mod page;
mod schema;

pub use json::{Children, Parents};
pub use page::{Key, Kind, Page};
pub use schema::{Keys, Schema};

/// Serves until it is killed. Says where, in the words of Bookends.
pub async fn serve<F>(schema: &'static Schema, read: impl Fn(Page) -> F + Clone + Send + Sync + 'static)
where
    F: Future<Output = Result<Vec<u8>, String>> + Send,
{
    let answer = async move |body: Bytes| -> Response {
        let Some(page) = Page::parse(schema, &body) else { return StatusCode::BAD_REQUEST.into_response() };
        match read(page).await {
            Ok(json) => {
                ([(header::CONTENT_TYPE, "application/graphql-response+json; charset=utf-8")], json).into_response()
            }
            Err(error) => (StatusCode::INTERNAL_SERVER_ERROR, error).into_response(),
        }
    };
    let listener = tokio::net::TcpListener::bind(SocketAddr::from(([127, 0, 0, 1], 0))).await.expect("a port");
    println!("open http://{} and ask", listener.local_addr().expect("an address"));
    axum::serve(listener, Router::new().route("/graphql", post(answer))).await.expect("it serves");
}

/// The application, the database, and how many connections to it.
#[expect(clippy::disallowed_methods, reason = "the only settings")]
pub fn settings(connections: usize) -> (&'static Schema, String, usize) {
    let schema = match env::args().nth(1).as_deref() {
        Some("bookshop") => &schema::SHOP,
        Some("rivers") => &schema::RIVERS,
        _ => panic!("expected the name of an application, `bookshop` or `rivers`"),
    };
    let url = env::var("DATABASE_URL").expect("DATABASE_URL names the database");
    let connections = env::var("DATABASE_CONNECTIONS").ok().and_then(|text| text.parse().ok()).unwrap_or(connections);
    (schema, url, connections)
}
