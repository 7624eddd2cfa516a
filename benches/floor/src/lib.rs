//! What the two servers share: the pages and the writes that are asked for, and their JSON.

use std::env;
use std::net::SocketAddr;
use std::sync::Arc;

use axum::Router;
use axum::body::Bytes;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::post;

mod json;
mod page;
mod request;
mod schema;
mod write;

pub use json::{Children, Parents};
pub use page::{Key, Kind, Page};
pub use request::Asked;
pub use schema::{Keys, Schema};
pub use write::{Done, Sum, Write, WriteKind};

/// The application, the database, how many connections to it, and what a request must bring to write.
pub struct Settings {
    pub schema: &'static Schema,
    pub url: String,
    pub connections: usize,
    token: Option<String>,
}

/// Serves until it is killed. Says where, in the words of Bookends.
pub async fn serve<F>(settings: &Settings, answer: impl Fn(Asked) -> F + Clone + Send + Sync + 'static)
where
    F: Future<Output = Result<Vec<u8>, String>> + Send,
{
    let schema = settings.schema;
    let permitted: Option<Arc<str>> = settings.token.as_ref().map(|token| format!("Bearer {token}").into());
    let respond = async move |headers: HeaderMap, body: Bytes| -> Response {
        let Some(asked) = Asked::parse(schema, &body) else { return StatusCode::BAD_REQUEST.into_response() };
        let given = headers.get(header::AUTHORIZATION).map(|given| given.as_bytes());
        if matches!(asked, Asked::Write(_))
            && (given.is_none() || given != permitted.as_ref().map(|token| token.as_bytes()))
        {
            return StatusCode::FORBIDDEN.into_response();
        }
        match answer(asked).await {
            Ok(json) => {
                ([(header::CONTENT_TYPE, "application/graphql-response+json; charset=utf-8")], json).into_response()
            }
            Err(error) => (StatusCode::INTERNAL_SERVER_ERROR, error).into_response(),
        }
    };
    let listener = tokio::net::TcpListener::bind(SocketAddr::from(([127, 0, 0, 1], 0))).await.expect("a port");
    println!("open http://{} and ask", listener.local_addr().expect("an address"));
    axum::serve(listener, Router::new().route("/graphql", post(respond))).await.expect("it serves");
}

/// The settings: the name of an application as an argument, the others as of Bookends.
#[expect(clippy::disallowed_methods, reason = "the only settings")]
pub fn settings(connections: usize) -> Settings {
    let schema = match env::args().nth(1).as_deref() {
        Some("bookshop") => &schema::SHOP,
        Some("rivers") => &schema::RIVERS,
        _ => panic!("expected the name of an application, `bookshop` or `rivers`"),
    };
    let url = env::var("DATABASE_URL").expect("DATABASE_URL names the database");
    let connections = env::var("DATABASE_CONNECTIONS").ok().and_then(|text| text.parse().ok()).unwrap_or(connections);
    Settings { schema, url, connections, token: env::var("WRITE_TOKEN").ok() }
}
