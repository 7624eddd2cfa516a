//! Where the server listens.

use std::net::{Ipv4Addr, SocketAddr, ToSocketAddrs};

use clap::Args;

use super::Settings;

/// The addresses of the server: for the server, and for what asks how it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Args)]
#[command(next_help_heading = "Server")]
pub struct Listen {
    /// Address and port to listen on, such as `0.0.0.0:8000` or `localhost:8000`. A port alone listens on 127.0.0.1.
    #[arg(long, env = "LISTEN", default_value_t = Settings::LISTEN, value_name = "ADDRESS", value_parser = address)]
    pub listen: SocketAddr,

    /// Separate address and port for `/health`, `/ready` and `/metrics`. A separate thread serves them, and the main
    /// port does not.
    #[arg(long, env = "LISTEN_ADMIN", value_name = "ADDRESS", value_parser = address)]
    pub listen_admin: Option<SocketAddr>,
}

/// An address with its port, a name with a port, or a port of this machine alone.
fn address(text: &str) -> Result<SocketAddr, &'static str> {
    if let Ok(port) = text.parse() {
        return Ok(SocketAddr::from((Ipv4Addr::LOCALHOST, port)));
    }
    let found: Vec<SocketAddr> = text.to_socket_addrs().map(Iterator::collect).unwrap_or_default();
    // `localhost` also is `::1`, which other programs of a machine may not try.
    found.iter().find(|address| address.is_ipv4()).or(found.first()).copied().ok_or(
        "expected an address with a port, such as `127.0.0.1:8000`, `[::1]:8000` or `localhost:8000`, or a port alone",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_port_and_a_name_are_addresses() {
        for text in ["8000", "localhost:8000", "127.0.0.1:8000"] {
            assert_eq!(address(text), Ok(Settings::LISTEN), "{text}");
        }
        assert_eq!(address("[::]:0"), Ok("[::]:0".parse().unwrap()));
        for text in ["", "80000", "localhost", "127.0.0.1", ":8000", "[::1]", "8000:"] {
            assert!(address(text).is_err(), "{text}");
        }
    }
}
