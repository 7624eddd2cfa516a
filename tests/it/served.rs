//! A router served on a socket, and what is said on it, byte by byte.

use axum::Router;
use bookends::config::Bounds;
use bookends::graphql::Api;
use bookends::metrics::Metrics;
use bookends::server::{Access, Capacity, bounded, observed, router, serve};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio::time::timeout;

pub use crate::patience::LONG;
pub use crate::wire::{get, post};

/// The routes of a server with the default bounds, for requests without a socket.
pub fn routes(api: Api, access: Access) -> Router {
    within(router(api, access), &Bounds::DEFAULT)
}

/// Routes within bounds, for the same.
pub fn within(router: Router, bounds: &Bounds) -> Router {
    bounded(router, bounds, &Capacity::new(bounds))
}

/// A server within bounds.
pub struct Served {
    pub address: String,
    pub stop: oneshot::Sender<()>,
    pub ended: JoinHandle<()>,
}

impl Served {
    pub async fn new(router: Router, bounds: Bounds) -> Self {
        Self::observed(router, bounds, &Metrics::default()).await
    }

    /// One whose requests are counted here.
    pub async fn observed(router: Router, bounds: Bounds, metrics: &Metrics) -> Self {
        let capacity = Capacity::new(&bounds);
        let router = observed(bounded(router, &bounds, &capacity), metrics);
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let (stop, stopped) = oneshot::channel();
        let ended = tokio::spawn(async move {
            let stopped = async { stopped.await.unwrap_or_default() };
            serve(listener, router, &bounds, &capacity.sockets, stopped).await;
        });
        Self { address, stop, ended }
    }

    pub async fn connect(&self) -> TcpStream {
        TcpStream::connect(&self.address).await.unwrap()
    }

    /// What the server answers to these bytes, until it closes.
    pub async fn ask(&self, text: impl AsRef<[u8]>) -> String {
        let mut socket = self.connect().await;
        // One that has been refused already need not be written to the end.
        let _ = socket.write_all(text.as_ref()).await;
        heard(&mut socket).await
    }
}

/// All that comes until the server closes.
pub async fn heard(socket: &mut TcpStream) -> String {
    let mut bytes = Vec::new();
    // A reset after the answer is as good as an end.
    let _ = timeout(LONG, socket.read_to_end(&mut bytes)).await.expect("the server closes");
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The code of the only error of an answer.
pub fn code(answer: &str) -> String {
    let (_, body) = answer.split_once("\r\n\r\n").unwrap_or(("", answer));
    let body: serde_json::Value = serde_json::from_str(body).unwrap_or_else(|error| panic!("{error}: {answer}"));
    assert!(body.get("data").is_none() && body["errors"].as_array().unwrap().len() == 1, "{answer}");
    body["errors"][0]["extensions"]["code"].as_str().unwrap().to_owned()
}
