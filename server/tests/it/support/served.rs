//! A server on a socket, and raw requests to it.

use axum::Router;
use axum::body::Body;
use axum::http::{Request, StatusCode};
use bookends_server::Api;
use bookends_server::config::Bounds;
use bookends_server::http::{Access, Server};
use bookends_server::metrics::Metrics;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tower::ServiceExt;

pub use crate::support::patience::LONG;
pub use crate::support::wire::{TOKEN, get, post, write};

/// Access with [`TOKEN`].
pub fn writable() -> Access {
    Access::Token(TOKEN.into())
}

/// A server with the default bounds, for requests without a socket.
pub fn routes(api: Api, access: Access) -> Router {
    router(&Server::new(api, access, Bounds::DEFAULT))
}

/// Other routes within bounds, for the same purpose.
pub fn within(routes: Router, bounds: Bounds) -> Router {
    router(&Server::with_routes(routes, bounds, &Metrics::default()))
}

/// A server, for requests without a socket.
pub fn router(server: &Server) -> Router {
    Router::new().fallback_service(server.service())
}

/// The response of a router.
pub async fn send(router: Router, request: Request<Body>) -> (StatusCode, String) {
    let response = router.oneshot(request).await.unwrap();
    let status = response.status();
    let body = axum::body::to_bytes(response.into_body(), usize::MAX).await.unwrap();
    (status, String::from_utf8(body.to_vec()).unwrap())
}

/// A server on a socket.
pub struct Served {
    pub address: String,
    pub stop: oneshot::Sender<()>,
    pub ended: JoinHandle<()>,
}

impl Served {
    /// Serves these routes within bounds.
    pub async fn new(routes: Router, bounds: Bounds) -> Self {
        Self::of(Server::with_routes(routes, bounds, &Metrics::default())).await
    }

    pub async fn of(server: Server) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let (stop, stopped) = oneshot::channel();
        let ended = tokio::spawn(server.serve(listener, async { stopped.await.unwrap_or_default() }));
        Self { address, stop, ended }
    }

    pub async fn connect(&self) -> TcpStream {
        TcpStream::connect(&self.address).await.unwrap()
    }

    /// The response to these bytes, until the server closes.
    pub async fn ask(&self, text: impl AsRef<[u8]>) -> String {
        let mut socket = self.connect().await;
        // A rejected request need not be sent completely.
        let _ = socket.write_all(text.as_ref()).await;
        heard(&mut socket).await
    }
}

/// Everything until the server closes.
pub async fn heard(socket: &mut TcpStream) -> String {
    let mut bytes = Vec::new();
    // A reset after the response counts as an end.
    let _ = timeout(LONG, socket.read_to_end(&mut bytes)).await.expect("the server closes");
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The code of the only error of a response.
pub fn code(answer: &str) -> String {
    let (_, body) = answer.split_once("\r\n\r\n").unwrap_or(("", answer));
    let body: serde_json::Value = serde_json::from_str(body).unwrap_or_else(|error| panic!("{error}: {answer}"));
    assert!(body.get("data").is_none() && body["errors"].as_array().unwrap().len() == 1, "{answer}");
    body["errors"][0]["extensions"]["code"].as_str().unwrap().to_owned()
}
