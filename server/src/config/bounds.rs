//! Limits of the server: load and time.

use std::fmt;
use std::net::{IpAddr, SocketAddr};
use std::str::FromStr;
use std::time::Duration;

use clap::Args;
use clap::builder::RangedU64ValueParser;
use ipnet::IpNet;

use super::origin::AllowedOrigin;

/// Limits that keep the server available, whatever clients send. Times are in seconds, and may have a fraction.
#[derive(Clone, Debug, PartialEq, Eq, Args)]
#[command(next_help_heading = "Load")]
pub struct Bounds {
    /// Maximum size of the body of a request, in bytes.
    #[arg(long, env = "MAX_BODY_SIZE", default_value_t = Bounds::DEFAULT.max_body_size, value_name = "BYTES")]
    pub max_body_size: usize,

    /// Maximum number of concurrent requests. Further requests are rejected immediately with 503.
    #[arg(
        long,
        env = "MAX_REQUESTS",
        default_value_t = Bounds::DEFAULT.max_requests,
        value_name = "N",
        value_parser = at_least_one()
    )]
    pub max_requests: usize,

    /// Memory budget in bytes, at least `MAX_BODY_SIZE`. All clients share it for request bodies, messages, responses
    /// and subscriptions. A request that exceeds the budget is rejected with 503.
    #[arg(
        long,
        env = "MAX_BUFFERED",
        default_value_t = Bounds::DEFAULT.max_buffered,
        value_name = "BYTES",
        value_parser = RangedU64ValueParser::<usize>::new().range(1 << 20..)
    )]
    pub max_buffered: usize,

    /// Maximum number of open HTTP connections. Further connections wait until one is closed.
    #[arg(
        long,
        env = "MAX_CONNECTIONS",
        default_value_t = Bounds::DEFAULT.max_connections,
        value_name = "N",
        value_parser = at_least_one()
    )]
    pub max_connections: usize,

    /// Maximum number of open WebSockets and event streams. Further ones are rejected with 503.
    #[arg(long, env = "MAX_WEBSOCKETS", default_value_t = Bounds::DEFAULT.max_websockets, value_name = "N")]
    pub max_websockets: usize,

    /// Maximum time to execute a request, and to run a statement. On SQLite, all statements of a write share this time.
    #[arg(
        long,
        env = "REQUEST_TIMEOUT",
        default_value_t = Bounds::DEFAULT.request_timeout,
        value_name = "SECONDS",
        value_parser = positive_time,
        help_heading = "Timeouts"
    )]
    pub request_timeout: Seconds,

    /// Maximum time to receive the head of a request, including the idle time before it. The same limit applies
    /// again to its body, and to a message on a WebSocket.
    #[arg(
        long,
        env = "READ_TIMEOUT",
        default_value_t = Bounds::DEFAULT.read_timeout,
        value_name = "SECONDS",
        value_parser = positive_time,
        help_heading = "Timeouts"
    )]
    pub read_timeout: Seconds,

    /// Maximum time without progress while a response is sent. For WebSockets it is always 30 seconds.
    #[arg(
        long,
        env = "WRITE_TIMEOUT",
        default_value_t = Bounds::DEFAULT.write_timeout,
        value_name = "SECONDS",
        value_parser = positive_time,
        help_heading = "Timeouts"
    )]
    pub write_timeout: Seconds,

    /// Maximum time to complete running requests after SIGTERM or Ctrl-C.
    #[arg(
        long,
        env = "SHUTDOWN_TIMEOUT",
        default_value_t = Bounds::DEFAULT.shutdown_timeout,
        value_name = "SECONDS",
        help_heading = "Timeouts"
    )]
    pub shutdown_timeout: Seconds,

    /// Origins whose pages may read responses and open WebSockets, such as `https://example.com`, separated by commas;
    /// `*` for all. By default, only the server's own origin; on a loopback address, all ports of this machine.
    #[arg(long, env = "CORS_ORIGINS", value_name = "ORIGINS", value_delimiter = ',', help_heading = "Server")]
    pub cors_origins: Vec<AllowedOrigin>,

    /// Addresses of trusted proxies, such as `10.0.0.0/8`, separated by commas. The server reads the address of a
    /// client from the header `X-Forwarded-For` of their requests. Each client has a share of the server.
    #[arg(
        long,
        env = "TRUSTED_PROXIES",
        value_name = "NETWORKS",
        value_delimiter = ',',
        value_parser = network,
        help_heading = "Server"
    )]
    pub trusted_proxies: Vec<IpNet>,
}

/// A time, written as a number of seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seconds(pub Duration);

impl Bounds {
    /// For a small machine.
    pub const DEFAULT: Self = Self {
        max_body_size: 1 << 20,
        max_requests: 512,
        max_buffered: 256 << 20,
        max_connections: 16_384,
        max_websockets: 10_000,
        request_timeout: Seconds(Duration::from_secs(30)),
        read_timeout: Seconds(Duration::from_secs(30)),
        write_timeout: Seconds(Duration::from_secs(90)),
        shutdown_timeout: Seconds(Duration::from_secs(20)),
        cors_origins: Vec::new(),
        trusted_proxies: Vec::new(),
    };

    /// The same on this address. Pages of this machine may read from a server on a loopback address, unless the settings
    /// name other origins, or a proxy: its clients are on other machines.
    #[must_use]
    pub fn listening_on(mut self, address: SocketAddr) -> Self {
        let is_local = address.ip().to_canonical().is_loopback() && self.trusted_proxies.is_empty();
        if is_local && self.cors_origins.is_empty() {
            self.cors_origins.push(AllowedOrigin::Loopback);
        }
        self
    }
}

impl fmt::Display for Seconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.as_secs_f64().fmt(f)
    }
}

impl FromStr for Seconds {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let seconds = text.parse::<f64>().ok().filter(|seconds| (0.0..=86_400.0).contains(seconds));
        seconds
            .map(|seconds| Self(Duration::from_secs_f64(seconds)))
            .ok_or("expected a number of seconds, at most 86400")
    }
}

fn at_least_one() -> RangedU64ValueParser<usize> {
    RangedU64ValueParser::new().range(1..=1_000_000)
}

/// A network, or a single address.
fn network(text: &str) -> Result<IpNet, &'static str> {
    let single = || text.parse().ok().map(|address: IpAddr| IpNet::from(address));
    text.parse().ok().or_else(single).ok_or("expected an address or a network, such as `10.0.0.0/8`")
}

/// For a timeout that must not be zero.
pub(super) fn positive_time(text: &str) -> Result<Seconds, &'static str> {
    let seconds: Seconds = text.parse()?;
    // PostgreSQL counts milliseconds, and takes 0 for no limit.
    if seconds.0 < Duration::from_millis(1) { Err("expected at least 0.001") } else { Ok(seconds) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_a_network() {
        assert_eq!(network("::1"), Ok("::1/128".parse().unwrap()));
        assert_eq!(network("10.0.0.0/8"), Ok("10.0.0.0/8".parse().unwrap()));
        assert!(["", "proxy", "10.0.0.0/33"].into_iter().all(|text| network(text).is_err()));
    }

    #[test]
    fn a_time_is_a_number_of_seconds() {
        assert_eq!("0.25".parse(), Ok(Seconds(Duration::from_millis(250))));
        assert_eq!("20".parse::<Seconds>().unwrap().to_string(), "20");
        for text in ["", "-1", "NaN", "inf", "1e9", "1s"] {
            assert!(text.parse::<Seconds>().is_err(), "{text}");
        }
        assert!(positive_time("0").is_err() && positive_time("0.0001").is_err() && positive_time("0.001").is_ok());
    }

    #[test]
    fn pages_of_this_machine_may_read_from_a_server_for_this_machine() {
        let allowed =
            |bounds: &Bounds, address: &str| bounds.clone().listening_on(address.parse().unwrap()).cors_origins;
        for address in ["127.0.0.1:80", "[::1]:80", "[::ffff:127.0.0.1]:80"] {
            assert_eq!(allowed(&Bounds::DEFAULT, address), [AllowedOrigin::Loopback], "{address}");
        }
        for address in ["0.0.0.0:80", "[::]:80", "10.0.0.1:80"] {
            assert_eq!(allowed(&Bounds::DEFAULT, address), [], "{address}");
        }
        let named = Bounds { cors_origins: vec![AllowedOrigin::Any], ..Bounds::DEFAULT };
        assert_eq!(allowed(&named, "127.0.0.1:80"), [AllowedOrigin::Any]);
        let behind_proxy = Bounds { trusted_proxies: vec![network("::1").unwrap()], ..Bounds::DEFAULT };
        assert_eq!(allowed(&behind_proxy, "127.0.0.1:80"), []);
    }
}
