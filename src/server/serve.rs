//! The connections of a server, from the first to the last.
//!
//! `axum::serve` bounds neither the head of a request nor its time, nor the time of a client that does not take its
//! answer, and waits for the last connection without end. What it does beyond that is this loop.
//!
//! A server that stops takes what has come to its door and closes it. A connection that has begun a request gets its
//! answer, with `Connection: close`. One that is silent is not closed at once: its client may be about to send, and has
//! no way to know. It is listened to for [`LINGER`] more, so that whoever sends again and again is sent away by an
//! answer. When the time is over that the settings give, what is left is cut.

use std::io;
use std::net::SocketAddr;
use std::pin::{Pin, pin};
use std::time::Duration;

use axum::Router;
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
use tower::ServiceExt;

use super::websocket::Sockets;
use crate::config::Bounds;

/// How long a silent connection is listened to when the server stops.
const LINGER: Duration = Duration::from_millis(500);

/// The largest head of a request, and how many headers are in it.
const MAX_HEAD: usize = 32 << 10;
const MAX_HEADERS: usize = 100;

/// Bytes that a connection reads, and writes, ahead.
const MAX_BUFFER: usize = 64 << 10;

/// How long to wait when the system has no sockets left.
const NO_SOCKETS: Duration = Duration::from_millis(100);

/// Serves until the signal comes; requests that have begun are answered, and these WebSockets are closed.
pub async fn serve(
    listener: TcpListener,
    router: Router,
    bounds: &Bounds,
    sockets: &Sockets,
    stop: impl Future<Output = ()> + Send,
) {
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new())
        .header_read_timeout(bounds.read_timeout.0)
        .max_headers(MAX_HEADERS)
        .max_header_size(MAX_HEAD)
        .max_buf_size(MAX_BUFFER);
    let take = |stream: TcpStream| {
        // An answer is written at once: there is nothing to wait for.
        let _ = stream.set_nodelay(true);
        let mut stream = TimeoutStream::new(stream);
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
            // Beyond that they wait at the door, where the system bounds how many.
            accepted = listener.accept(), if connections.len() < bounds.max_connections => match accepted {
                Ok((stream, peer)) => {
                    connections.spawn(connection(take(stream), peer, http.clone(), router.clone(), stopped.clone()));
                }
                Err(error) => give_way(&error).await,
            },
            Some(_) = connections.join_next() => {}
        }
    }
    let end = Instant::now() + bounds.shutdown_timeout.0;
    sockets.stop();
    stopping.send_replace(true);
    tracing::info!(connections = connections.len(), "told to stop");
    // Who has connected before the door closes has been let in by the system already.
    while let Ok(Ok((stream, peer))) = timeout_at(Instant::now(), listener.accept()).await {
        connections.spawn(connection(take(stream), peer, http.clone(), router.clone(), stopped.clone()));
    }
    drop(listener);
    let drained = async {
        while connections.join_next().await.is_some() {}
        sockets.ended().await;
    };
    if timeout_at(end, drained).await.is_err() {
        tracing::warn!(connections = connections.len(), "connections are cut: they took longer than SHUTDOWN_TIMEOUT");
    }
    connections.shutdown().await;
}

/// A client that has gone again is its own affair. Where the system has no sockets left, there will be some when others
/// end.
async fn give_way(error: &io::Error) {
    use io::ErrorKind::{ConnectionAborted, ConnectionReset};
    if !matches!(error.kind(), ConnectionAborted | ConnectionReset) {
        tracing::error!(%error, "no connection can be accepted");
        sleep(NO_SOCKETS).await;
    }
}

async fn connection(
    stream: Pin<Box<TimeoutStream<TcpStream>>>,
    peer: SocketAddr,
    http: http1::Builder,
    router: Router,
    mut stopped: watch::Receiver<bool>,
) {
    let stopping = stopped.clone();
    let service = service_fn(move |request: Request<hyper::body::Incoming>| {
        let request = request.map(Body::new);
        let (router, stopping) = (router.clone(), stopping.clone());
        async move {
            let mut response: Response = router.oneshot(request).await?;
            if *stopping.borrow() && response.status() != StatusCode::SWITCHING_PROTOCOLS {
                response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
            }
            Ok::<_, std::convert::Infallible>(response)
        }
    });
    let mut connection = pin!(http.serve_connection(TokioIo::new(stream), service).with_upgrades());
    let lingered = async {
        // The sender is gone: so is the server.
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
