//! Accepts connections, and shuts down gracefully.
//!
//! This loop replaces `axum::serve`, which limits neither the size and time of a request's head nor the time to send a
//! response, and which waits forever for the last connection.
//!
//! At shutdown, the connections that are already established are accepted, and the listener is closed: see `accept`. Running
//! requests get their responses, with `Connection: close`. An idle connection stays open for [`LINGER`], because its
//! client may be about to send a request; a response then closes it. Connections that are left after `SHUTDOWN_TIMEOUT`
//! are closed.

use std::net::SocketAddr;
use std::pin::{Pin, pin};
use std::time::Duration;

use axum::body::Body;
use axum::extract::Request;
use axum::http::header::CONNECTION;
use axum::http::{HeaderValue, StatusCode};
use axum::response::Response;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, timeout_at};
use tokio_io_timeout::TimeoutStream;

use super::accept::{accept_failed, accept_last};
use super::capacity::Capacity;
use super::client::{Client, Peer};
use super::host;
use super::service::Service;
use super::stream::Stream;
use crate::config::Bounds;

/// How long an idle connection stays open at shutdown.
const LINGER: Duration = Duration::from_millis(500);

/// The maximum size of the head of a request in bytes, and its maximum number of headers.
const MAX_HEAD: usize = 32 << 10;
const MAX_HEADERS: usize = 100;

/// The maximum size of a connection's read buffer and write buffer, in bytes.
const MAX_BUFFER: usize = 64 << 10;

/// Serves until `stop` completes, then completes the running requests and closes the WebSockets.
pub async fn serve(
    listener: TcpListener,
    service: Service,
    bounds: &Bounds,
    Capacity { clients, sockets, .. }: &Capacity,
    stop: impl Future<Output = ()> + Send,
) {
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new())
        .header_read_timeout(bounds.read_timeout.0)
        .max_headers(MAX_HEADERS)
        .max_header_size(MAX_HEAD)
        .max_buf_size(MAX_BUFFER);
    let prepare = |stream: TcpStream| {
        // A response is written at once: delaying small packets would gain nothing.
        let _ = stream.set_nodelay(true);
        let mut stream = TimeoutStream::new(Stream::from(stream));
        stream.set_write_timeout(Some(bounds.write_timeout.0));
        Box::pin(stream)
    };
    let (stopping, stopped) = watch::channel(false);
    let mut connections = JoinSet::new();
    let mut stop = pin!(stop);
    loop {
        tokio::select! {
            biased;
            () = &mut stop => break,
            // Further connections wait in the accept queue, which the system limits.
            accepted = listener.accept(), if connections.len() < bounds.max_connections => match accepted {
                Ok((stream, peer)) => {
                    let client = clients.at(peer);
                    let whole = || clients.totals().connections.whole();
                    let share = client.as_ref().map_or_else(whole, |client| client.shares().connections.clone());
                    let Ok(share) = share.take(1) else {
                        tracing::debug!(%peer, "closed a connection: the client has reached its share of connections");
                        continue;
                    };
                    let served = connection(prepare(stream), peer, http.clone(), service.clone(), stopped.clone());
                    let present = client.as_ref().map(Client::enter);
                    connections.spawn(async move {
                        served.await;
                        drop((share, present));
                    });
                }
                Err(error) => accept_failed(&error).await,
            },
            Some(_) = connections.join_next() => {}
        }
    }
    let end = Instant::now() + bounds.shutdown_timeout.0;
    sockets.stop();
    stopping.send_replace(true);
    tracing::info!(connections = connections.len(), "stopping");
    accept_last(listener, end, |stream, peer| {
        connections.spawn(connection(prepare(stream), peer, http.clone(), service.clone(), stopped.clone()));
    })
    .await;
    let drained = async {
        while connections.join_next().await.is_some() {}
        sockets.ended().await;
    };
    if timeout_at(end, drained).await.is_err() {
        tracing::warn!(
            connections = connections.len(),
            "closing connections that are still open after SHUTDOWN_TIMEOUT"
        );
    }
    connections.shutdown().await;
}

/// The client has disconnected while its request was executed.
#[derive(Debug, thiserror::Error)]
#[error("the client has disconnected")]
struct Disconnected;

async fn connection(
    stream: Pin<Box<TimeoutStream<Stream>>>,
    peer: SocketAddr,
    http: http1::Builder,
    service: Service,
    mut stopped: watch::Receiver<bool>,
) {
    let (stopping, watch) = (stopped.clone(), stream.get_ref().watch());
    let respond = service_fn(move |request: Request<hyper::body::Incoming>| {
        let mut request = request.map(Body::new);
        request.extensions_mut().insert(Peer(peer));
        let (service, stopping, watch) = (service.clone(), stopping.clone(), watch.clone());
        // On the heap: otherwise each idle connection would have room for a request.
        Box::pin(async move {
            let mut response: Response = tokio::select! {
                biased;
                response = async {
                    match host::check(&request) {
                        Ok(()) => service.respond(request).await,
                        // On the heap: otherwise each request would have room for it.
                        Err(wrong) => Box::pin(service.refuse(request, wrong)).await,
                    }
                } => response,
                () = watch.disconnected() => return Err(Disconnected),
            };
            if *stopping.borrow() && response.status() != StatusCode::SWITCHING_PROTOCOLS {
                response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
            }
            Ok(response)
        })
    });
    let mut connection = pin!(http.serve_connection(TokioIo::new(stream), respond).with_upgrades());
    let lingered = async {
        // The sender is dropped with the server.
        let _ = stopped.wait_for(|stopped| *stopped).await;
        sleep(LINGER).await;
    };
    let ended = tokio::select! {
        ended = &mut connection => ended,
        () = lingered => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = ended {
        tracing::debug!(%error, %peer, "a connection failed");
    }
}
