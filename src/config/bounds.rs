//! How much the server takes on, and how long anything may take.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use clap::Args;

/// What keeps the server up, whoever asks for whatever. Times are in seconds, and may have a fraction.
#[derive(Clone, Debug, PartialEq, Eq, Args)]
pub struct Bounds {
    /// The most bytes that the body of a request may have.
    #[arg(long, env = "MAX_BODY_SIZE", default_value_t = Bounds::DEFAULT.max_body_size, value_name = "BYTES", global = true)]
    pub max_body_size: usize,

    /// The most requests that are worked on at a time; those beyond are turned away and not queued.
    #[arg(
        long,
        env = "MAX_REQUESTS",
        default_value_t = Bounds::DEFAULT.max_requests,
        value_name = "N",
        value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(1..=1_000_000),
        global = true
    )]
    pub max_requests: usize,

    /// The most bytes of bodies that come, and of answers that clients have not taken yet, for all clients together; what
    /// finds no room is turned away. At least `MAX_BODY_SIZE`.
    #[arg(
        long,
        env = "MAX_BUFFERED",
        default_value_t = Bounds::DEFAULT.max_buffered,
        value_name = "BYTES",
        value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(1 << 20..),
        global = true
    )]
    pub max_buffered: usize,

    /// The most HTTP connections that are open at a time; others wait until one ends.
    #[arg(
        long,
        env = "MAX_CONNECTIONS",
        default_value_t = Bounds::DEFAULT.max_connections,
        value_name = "N",
        value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(1..=1_000_000),
        global = true
    )]
    pub max_connections: usize,

    /// The most WebSockets that are open at a time.
    #[arg(long, env = "MAX_WEBSOCKETS", default_value_t = Bounds::DEFAULT.max_websockets, value_name = "N", global = true)]
    pub max_websockets: usize,

    /// How long the answer to a request may take, and a statement; on SQLite, all statements of a write together.
    #[arg(
        long,
        env = "REQUEST_TIMEOUT",
        default_value_t = Bounds::DEFAULT.request_timeout,
        value_name = "SECONDS",
        value_parser = some_time,
        global = true
    )]
    pub request_timeout: Seconds,

    /// How long a client may take to send the head of a request, its pause after the last one included, and then its
    /// body.
    #[arg(
        long,
        env = "READ_TIMEOUT",
        default_value_t = Bounds::DEFAULT.read_timeout,
        value_name = "SECONDS",
        value_parser = some_time,
        global = true
    )]
    pub read_timeout: Seconds,

    /// How long a client may take to take a part of an answer. A WebSocket is given up after 30 seconds.
    #[arg(
        long,
        env = "WRITE_TIMEOUT",
        default_value_t = Bounds::DEFAULT.write_timeout,
        value_name = "SECONDS",
        value_parser = some_time,
        global = true
    )]
    pub write_timeout: Seconds,

    /// How long a server that is told to stop goes on with what it has begun.
    #[arg(long, env = "SHUTDOWN_TIMEOUT", default_value_t = Bounds::DEFAULT.shutdown_timeout, value_name = "SECONDS", global = true)]
    pub shutdown_timeout: Seconds,

    /// How long to wait at the start for a PostgreSQL that does not answer yet.
    #[arg(long, env = "DATABASE_WAIT", default_value_t = Bounds::DEFAULT.database_wait, value_name = "SECONDS", global = true)]
    pub database_wait: Seconds,

    /// Whose pages may read this server's answers and open a WebSocket: origins such as `https://example.com`, with
    /// commas between them, or `*` for all. Without it, none but its own.
    #[arg(long, env = "CORS_ORIGINS", value_name = "ORIGINS", value_delimiter = ',', value_parser = origin, global = true)]
    pub cors_origins: Vec<String>,
}

/// A time that is written as a number of seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seconds(pub Duration);

impl Bounds {
    /// Fit for a small machine.
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
        database_wait: Seconds(Duration::from_secs(30)),
        cors_origins: Vec::new(),
    };
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
        seconds.map(|seconds| Self(Duration::from_secs_f64(seconds))).ok_or("a number of seconds, up to those of a day")
    }
}

/// For what cannot be done in no time.
fn some_time(text: &str) -> Result<Seconds, &'static str> {
    let seconds: Seconds = text.parse()?;
    // PostgreSQL counts milliseconds, and takes none for no limit.
    if seconds.0 < Duration::from_millis(1) { Err("a millisecond or more") } else { Ok(seconds) }
}

/// As a browser writes it: scheme, host, and the port if it is not the scheme's.
fn origin(text: &str) -> Result<String, &'static str> {
    let is_host =
        |host: &str| !host.is_empty() && host.bytes().all(|byte| byte.is_ascii_graphic() && !b"/?#@*".contains(&byte));
    let is_origin = ["http://", "https://"].iter().any(|scheme| text.strip_prefix(scheme).is_some_and(is_host));
    if text == "*" || is_origin {
        Ok(text.to_ascii_lowercase())
    } else {
        Err("`*`, or an origin such as `https://example.com`")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_a_number_of_seconds() {
        assert_eq!("0.25".parse(), Ok(Seconds(Duration::from_millis(250))));
        assert_eq!("20".parse::<Seconds>().unwrap().to_string(), "20");
        for text in ["", "-1", "NaN", "inf", "1e9", "1s"] {
            assert!(text.parse::<Seconds>().is_err(), "{text}");
        }
        assert!(some_time("0").is_err() && some_time("0.0001").is_err() && some_time("0.001").is_ok());
    }

    #[test]
    fn an_origin_has_no_path() {
        assert_eq!(origin("https://Example.com:8443").as_deref(), Ok("https://example.com:8443"));
        assert_eq!(origin("*").as_deref(), Ok("*"));
        for text in
            ["", "example.com", "https://", "https://example.com/", "https://*.example.com", "null", "https://a b"]
        {
            assert!(origin(text).is_err(), "{text}");
        }
    }
}
