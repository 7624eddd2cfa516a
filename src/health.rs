//! Whether the server on this machine is well, for those who can start a program and nothing else: an image without a
//! shell has no `curl` to ask `/health` with.

use std::io::{self, Read, Write};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpStream};
use std::time::Duration;

/// A server that has not answered by then is not well.
const PATIENCE: Duration = Duration::from_secs(2);

/// Why a server is taken for one that is not well.
#[derive(Debug, thiserror::Error)]
pub enum HealthError {
    /// Nobody is there, or nobody who answers in time.
    #[error("no answer from http://{address}/health: {error}")]
    NoAnswer {
        /// Who was asked.
        address: SocketAddr,
        /// What the system said.
        error: io::Error,
    },
    /// Something else than 200.
    #[error("http://{address}/health answers `{answer}`")]
    Unwell {
        /// Who was asked.
        address: SocketAddr,
        /// The beginning of what came.
        answer: String,
    },
}

/// Asks the server that was told to listen on this address.
///
/// # Errors
///
/// [`HealthError`] unless it answers 200.
pub fn check(listen: SocketAddr) -> Result<(), HealthError> {
    let address = reachable(listen);
    let answer = ask(address).map_err(|error| HealthError::NoAnswer { address, error })?;
    if answer.starts_with("HTTP/1.1 200") { Ok(()) } else { Err(HealthError::Unwell { address, answer }) }
}

/// As one asks for it: one listens on all addresses, and is reached at one of them.
fn reachable(listen: SocketAddr) -> SocketAddr {
    let ip = match listen.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        ip => ip,
    };
    SocketAddr::new(ip, listen.port())
}

/// The status, as it begins every answer.
fn ask(address: SocketAddr) -> io::Result<String> {
    let mut socket = TcpStream::connect_timeout(&address, PATIENCE)?;
    socket.set_write_timeout(Some(PATIENCE))?;
    socket.set_read_timeout(Some(PATIENCE))?;
    write!(socket, "GET /health HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n")?;
    let mut status = [0; "HTTP/1.1 200".len()];
    socket.read_exact(&mut status)?;
    Ok(String::from_utf8_lossy(&status).into_owned())
}
