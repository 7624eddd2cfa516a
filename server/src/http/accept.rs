//! Accepting connections, up to the last of a server that stops: none is reset that a client believes established.
//!
//! Closing a listener resets the connections in its accept queue. It also resets those whose handshake ends meanwhile: their
//! clients may have sent a request already. So on Linux a packet filter first drops the beginnings of handshakes.
//! Those in progress end and are accepted, and then nothing is left to reset. A client whose first packet was dropped
//! sends it again after a second, and is refused, or meets the next server.

use std::io::ErrorKind::{ConnectionAborted, ConnectionReset, Interrupted};
use std::net::SocketAddr;
use std::time::Duration;

use tokio::net::{TcpListener, TcpStream};
use tokio::time::{Instant, sleep, timeout_at};

/// How long a handshake in progress may take.
const HANDSHAKE: Duration = Duration::from_millis(250);

/// The pause when the system has no sockets left.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// Ignores a client that has disconnected. If the system has no sockets left, waits for connections to end.
pub async fn accept_failed(error: &std::io::Error) {
    if !matches!(error.kind(), ConnectionAborted | ConnectionReset) {
        tracing::error!(%error, "cannot accept a connection");
        sleep(ACCEPT_PAUSE).await;
    }
}

/// Accepts the connections whose handshake has begun, and closes the listener.
pub async fn accept_last(listener: TcpListener, end: Instant, mut accept: impl FnMut(TcpStream, SocketAddr)) {
    if let Err(error) = drop_handshakes(&listener) {
        tracing::debug!(%error, "connections that arrive last may be reset");
    }
    let end = end.min(Instant::now() + HANDSHAKE);
    while let Ok(accepted) = timeout_at(end, listener.accept()).await {
        match accepted {
            Ok((stream, peer)) => accept(stream, peer),
            Err(error) => accept_failed(&error).await,
        }
    }
    // What has come since: the runtime does not know of it yet.
    let Ok(listener) = listener.into_std() else { return };
    loop {
        match listener.accept() {
            Ok((stream, peer)) => {
                if let Ok(stream) = stream.set_nonblocking(true).and_then(|()| TcpStream::from_std(stream)) {
                    accept(stream, peer);
                }
            }
            // One connection has failed, and others may follow.
            Err(error) if matches!(error.kind(), ConnectionAborted | ConnectionReset | Interrupted) => {}
            Err(_) => break,
        }
    }
}

/// Drops every packet that begins a handshake.
#[cfg(target_os = "linux")]
fn drop_handshakes(listener: &TcpListener) -> std::io::Result<()> {
    use socket2::{SockFilter, SockRef};
    // Classic BPF, which sees a packet from its TCP header on.
    const LOAD_BYTE: u16 = 0x30;
    const JUMP_IF_SET: u16 = 0x45;
    const RETURN: u16 = 0x06;
    const FLAGS: u32 = 13;
    const SYN: u32 = 0x02;
    SockRef::from(listener).attach_filter(&[
        SockFilter::new(LOAD_BYTE, 0, 0, FLAGS),
        SockFilter::new(JUMP_IF_SET, 0, 1, SYN),
        SockFilter::new(RETURN, 0, 0, 0),
        SockFilter::new(RETURN, 0, 0, u32::MAX),
    ])
}

/// Elsewhere, a connection can be reset that arrives within some microseconds.
#[cfg(not(target_os = "linux"))]
fn drop_handshakes(_: &TcpListener) -> std::io::Result<()> {
    Err(std::io::ErrorKind::Unsupported.into())
}
