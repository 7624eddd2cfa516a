//! Checks the server on this machine, for environments that can start a program but have no `curl`, such as an image
//! without a shell.

use std::io::{self, Read, Write};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpStream};
use std::time::Duration;

/// The time that the server has for each step of its response.
const TIMEOUT: Duration = Duration::from_secs(2);

/// Why a server is not healthy.
#[derive(Debug, thiserror::Error)]
pub enum HealthError {
    /// No server, or no response in time.
    #[error("no response from http://{address}/health: {error}")]
    NoResponse {
        /// The address of the server.
        address: SocketAddr,
        /// The error of the system.
        error: io::Error,
    },
    /// A status other than 200.
    #[error("http://{address}/health responded `{response}`")]
    Unhealthy {
        /// The address of the server.
        address: SocketAddr,
        /// The first bytes of the response.
        response: String,
    },
}

/// Checks the server that listens on this address.
///
/// # Errors
///
/// [`HealthError`] unless the status is 200.
pub fn check(listen: SocketAddr) -> Result<(), HealthError> {
    let address = reachable(listen);
    let response = request(address).map_err(|error| HealthError::NoResponse { address, error })?;
    if response.starts_with("HTTP/1.1 200") { Ok(()) } else { Err(HealthError::Unhealthy { address, response }) }
}

/// An address to connect to: a server that listens on all addresses is reached on the loopback address.
pub fn reachable(listen: SocketAddr) -> SocketAddr {
    let ip = match listen.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        ip => ip,
    };
    SocketAddr::new(ip, listen.port())
}

/// The first bytes of the response, with its status.
fn request(address: SocketAddr) -> io::Result<String> {
    let mut socket = TcpStream::connect_timeout(&address, TIMEOUT)?;
    socket.set_write_timeout(Some(TIMEOUT))?;
    socket.set_read_timeout(Some(TIMEOUT))?;
    write!(socket, "GET /health HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n")?;
    let mut status = [0; "HTTP/1.1 200".len()];
    socket.read_exact(&mut status)?;
    Ok(String::from_utf8_lossy(&status).into_owned())
}
