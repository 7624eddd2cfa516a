//! A server of a small schema that counts, and WebSockets to it.
#![allow(clippy::unused_async, reason = "a resolver is async whether it waits or not")]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use async_graphql::futures_util::{SinkExt, Stream, StreamExt, stream};
use async_graphql::{Context, Data, EmptyMutation, Error, Executor, Object, Schema, Subscription};
use axum::routing::get;
use axum::{Extension, Router};
use bookends_server::config::Bounds;
use bookends_server::http::Capacity;
use bookends_server::http::websocket::{Authorized, Handshake, PROTOCOL, Refused, Timeouts};
use bookends_server::metrics::Metrics;
use bookends_server::request::Incoming;
use serde_json::{Value, json};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};
use tokio_tungstenite::tungstenite::{self, ClientRequestBuilder, Message};
use tokio_tungstenite::{WebSocketStream, client_async};

use crate::support::patience::{LONG, until};

/// Timeouts that no test reaches.
pub const PATIENT: Timeouts = Timeouts { init: LONG, write: LONG, idle: LONG, close: Duration::from_secs(1) };

/// A subscription that never gets an event.
pub const NEVER: &str = "subscription { count(to: 0, wait: true) }";

/// The message with a number.
pub fn next(id: &str, count: &str) -> Value {
    json!({ "type": "next", "id": id, "payload": { "data": { "count": count } } })
}

/// The work of the server.
#[derive(Default)]
pub struct Probe {
    /// Active subscriptions.
    pub open: AtomicUsize,
    /// Numbers that were produced.
    pub counted: AtomicUsize,
    /// Slow queries that completed.
    pub slow: AtomicUsize,
}

/// A server, for as long as it is kept.
pub struct Server {
    pub probe: Arc<Probe>,
    pub stop: Option<oneshot::Sender<()>>,
    pub ended: JoinHandle<()>,
    address: String,
}

/// One WebSocket.
pub struct Client(WebSocketStream<TcpStream>);

struct Query;

#[Object]
impl Query {
    /// The name in `connection_init`.
    async fn name(&self, context: &Context<'_>) -> Option<String> {
        context.data_opt::<String>().cloned()
    }

    async fn slow(&self, context: &Context<'_>) -> bool {
        sleep(Duration::from_millis(100)).await;
        context.data_unchecked::<Arc<Probe>>().slow.fetch_add(1, Ordering::SeqCst);
        true
    }

    /// Panics.
    async fn broken(&self) -> bool {
        [false].get(1).copied().expect("broken")
    }

    async fn failing(&self) -> Option<Result<bool, Error>> {
        Some(Err("no".into()))
    }
}

struct Counter;

#[Subscription]
impl Counter {
    /// The numbers from 0, as fast as they are read; then the subscription waits or ends.
    async fn count(
        &self,
        context: &Context<'_>,
        #[graphql(default = 2_000_000_000)] to: usize,
        #[graphql(default)] wait: bool,
        #[graphql(default)] padding: usize,
    ) -> impl Stream<Item = String> + use<> {
        let probe = context.data_unchecked::<Arc<Probe>>().clone();
        probe.open.fetch_add(1, Ordering::SeqCst);
        let open = Open(probe);
        stream::iter(0..to).chain(stream::pending().take(usize::from(wait))).map(move |number| {
            open.0.counted.fetch_add(1, Ordering::SeqCst);
            format!("{number:0>padding$}")
        })
    }

    /// Three events, of which the second fails.
    async fn odd(&self) -> impl Stream<Item = Result<usize, Error>> {
        stream::iter([Ok(0), Err("no".into()), Ok(2)])
    }

    async fn unavailable(&self) -> Result<stream::Empty<usize>, Error> {
        Err("no".into())
    }
}

struct Open(Arc<Probe>);

impl Drop for Open {
    fn drop(&mut self) {
        self.0.open.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Server {
    pub async fn new(timeouts: Timeouts) -> Self {
        Self::within(timeouts, Bounds::DEFAULT).await
    }

    pub async fn within(timeouts: Timeouts, bounds: Bounds) -> Self {
        let probe = Arc::new(Probe::default());
        let schema = Schema::build(Query, EmptyMutation, Counter).data(probe.clone()).finish();
        // A name that is not text is rejected.
        let authorize = async move |init: serde_json::Map<String, Value>| {
            let mut data = Data::default();
            if let Some(name) = init.get("name") {
                data.insert(name.as_str().ok_or(Refused::Forbidden)?.to_owned());
            }
            let (schema, data) = (schema.clone(), Arc::new(data));
            let execute =
                move |incoming: Incoming| Executor::execute_stream(&schema, incoming.request, Some(Arc::clone(&data)));
            Ok(Authorized { execute, until: None })
        };
        let upgrade = async move |Extension(Capacity { sockets, .. }), request: Handshake| {
            sockets.upgrade(request, Metrics::default(), timeouts, authorize)
        };
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let (stop, stopped) = oneshot::channel();
        let stopped = async { stopped.await.unwrap_or_default() };
        let routes = Router::new().route("/graphql", get(upgrade));
        let server = bookends_server::http::Server::with_routes(routes, bounds, &Metrics::default());
        let ended = tokio::spawn(server.serve(listener, stopped));
        Self { probe, stop: Some(stop), ended, address }
    }

    /// A client that has sent nothing yet.
    pub async fn socket(&self, protocol: Option<&str>) -> Client {
        self.handshake(protocol).await.unwrap()
    }

    /// A WebSocket, if the server opens it.
    pub async fn handshake(&self, protocol: Option<&str>) -> Result<Client, tungstenite::Error> {
        Client::open(&self.address, protocol).await
    }

    /// A client that has been acknowledged.
    pub async fn client(&self) -> Client {
        Client::acknowledged(&self.address).await
    }

    /// Waits for a condition.
    #[track_caller]
    pub fn until(&self, so: impl Fn(&Probe) -> bool) -> impl Future<Output = ()> {
        until(async move || so(&self.probe))
    }
}

impl Client {
    /// A WebSocket to this address, if the server there opens it.
    pub async fn open(address: &str, protocol: Option<&str>) -> Result<Self, tungstenite::Error> {
        Self::open_with(address, protocol, &[]).await
    }

    /// One that is asked for with these headers.
    pub async fn open_with(
        address: &str,
        protocol: Option<&str>,
        headers: &[(&str, &str)],
    ) -> Result<Self, tungstenite::Error> {
        let mut request = ClientRequestBuilder::new(format!("ws://{address}/graphql").parse().unwrap());
        if let Some(protocol) = protocol {
            request = request.with_sub_protocol(protocol);
        }
        for (name, value) in headers {
            request = request.with_header(*name, *value);
        }
        let stream = TcpStream::connect(address).await.unwrap();
        Ok(Self(client_async(request, stream).await?.0))
    }

    /// One that has been acknowledged.
    pub async fn acknowledged(address: &str) -> Self {
        Self::open(address, Some(PROTOCOL)).await.unwrap().opened(json!({})).await
    }

    /// It, when the server has acknowledged this opening.
    pub async fn opened(mut self, payload: Value) -> Self {
        self.say(json!({ "type": "connection_init", "payload": payload })).await;
        assert_eq!(self.hear().await, json!({ "type": "connection_ack" }));
        self
    }

    pub async fn send(&mut self, message: Message) {
        // The server may already have closed the connection.
        let _ = self.0.send(message).await;
    }

    /// Queues a message, to send many at once.
    pub async fn feed(&mut self, message: Message) {
        let _ = self.0.feed(message).await;
    }

    pub async fn say(&mut self, message: Value) {
        self.send(message.to_string().into()).await;
    }

    pub async fn subscribe(&mut self, id: &str, query: &str) {
        self.say(json!({ "type": "subscribe", "id": id, "payload": { "query": query } })).await;
    }

    /// The next frame.
    pub async fn frame(&mut self) -> Option<Message> {
        timeout(LONG, self.0.next()).await.expect("the server sends nothing")?.ok()
    }

    /// The next message.
    pub async fn hear(&mut self) -> Value {
        loop {
            match self.frame().await {
                Some(Message::Text(text)) => return serde_json::from_str(&text).unwrap(),
                Some(Message::Ping(_) | Message::Pong(_)) => {}
                end => panic!("{end:?} is no message"),
            }
        }
    }

    /// Checks that no other message comes before the pong.
    pub async fn hears_nothing(&mut self) {
        self.say(json!({ "type": "ping", "payload": { "n": 1 } })).await;
        assert_eq!(self.hear().await, json!({ "type": "pong", "payload": { "n": 1 } }));
    }

    /// The close frame, after other messages.
    pub async fn closed(&mut self) -> (u16, String) {
        loop {
            match self.frame().await {
                Some(Message::Close(Some(frame))) => return (frame.code.into(), frame.reason.to_string()),
                Some(_) => {}
                None => panic!("the connection ended without a close frame"),
            }
        }
    }
}
