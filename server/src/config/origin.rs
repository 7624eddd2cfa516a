//! Origins: whose pages a request comes from.

use std::fmt;
use std::str::FromStr;

use axum::http::uri::Authority;

/// The origin of a web page, as browsers write it in the header `Origin` (RFC 6454): scheme, host, and the port unless
/// it is the scheme's own. Only pages of `http` and `https` have one; for a file or a sandbox, browsers write `null`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    scheme: &'static str,
    /// In lower case; an IPv6 address has its brackets.
    host: String,
    port: u16,
}

/// An origin that may read responses and open WebSockets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AllowedOrigin {
    /// `*`: every origin.
    Any,
    /// Every port of the machine that the browser runs on. No text stands for it: see [`Bounds::listening_on`].
    ///
    /// [`Bounds::listening_on`]: super::Bounds::listening_on
    Loopback,
    /// One origin.
    Only(Origin),
}

/// The hosts that a browser looks up on its own machine.
const LOOPBACK: [&str; 3] = ["localhost", "127.0.0.1", "[::1]"];

/// Why a text is not an origin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected `*`, or an origin such as `https://example.com`")]
pub struct InvalidOrigin;

const SCHEMES: [(&str, u16); 2] = [("http", 80), ("https", 443)];

impl Origin {
    /// Whether this is the origin of the pages that a server with this `Host` serves. A proxy may have left out the port.
    pub fn is_served_by(&self, host: &Authority) -> bool {
        self.host.eq_ignore_ascii_case(host.host()) && host.port_u16().is_none_or(|port| port == self.port)
    }

    fn is_loopback(&self) -> bool {
        is_loopback(&self.host)
    }

    fn default_port(&self) -> Option<u16> {
        SCHEMES.iter().find(|(scheme, _)| *scheme == self.scheme).map(|(_, port)| *port)
    }
}

impl FromStr for Origin {
    type Err = InvalidOrigin;

    fn from_str(text: &str) -> Result<Self, InvalidOrigin> {
        let (scheme, rest) = text.split_once("://").ok_or(InvalidOrigin)?;
        let (scheme, default_port) = SCHEMES.into_iter().find(|(name, _)| *name == scheme).ok_or(InvalidOrigin)?;
        let authority: Authority = rest.parse().map_err(|_| InvalidOrigin)?;
        let host = authority.host();
        // Neither a user nor a pattern.
        if host.is_empty() || rest.contains(['@', '*']) {
            return Err(InvalidOrigin);
        }
        let port = match rest.strip_prefix(host) {
            Some("") => default_port,
            Some(port) => port.strip_prefix(':').and_then(|port| port.parse().ok()).ok_or(InvalidOrigin)?,
            None => return Err(InvalidOrigin),
        };
        Ok(Self { scheme, host: host.to_ascii_lowercase(), port })
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}://{}", self.scheme, self.host)?;
        if Some(self.port) == self.default_port() { Ok(()) } else { write!(f, ":{}", self.port) }
    }
}

impl AllowedOrigin {
    /// Whether it allows this origin on a request to this host.
    ///
    /// A request from a page of this machine to another name came through a proxy, or the name was made to point here.
    pub fn allows(&self, origin: &Origin, host: Option<&Authority>) -> bool {
        match self {
            Self::Any => true,
            Self::Loopback => origin.is_loopback() && host.is_some_and(|host| is_loopback(host.host())),
            Self::Only(allowed) => allowed == origin,
        }
    }
}

fn is_loopback(host: &str) -> bool {
    LOOPBACK.iter().any(|name| name.eq_ignore_ascii_case(host))
}

impl FromStr for AllowedOrigin {
    type Err = InvalidOrigin;

    fn from_str(text: &str) -> Result<Self, InvalidOrigin> {
        if text == "*" { Ok(Self::Any) } else { text.parse().map(Self::Only) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_origin_has_no_path() {
        for (text, written) in [
            ("https://Example.com:8443", "https://example.com:8443"),
            ("https://example.com:443", "https://example.com"),
            ("http://example.com:443", "http://example.com:443"),
            ("http://[::1]:80", "http://[::1]"),
        ] {
            assert_eq!(text.parse::<Origin>().unwrap().to_string(), written);
        }
        assert_eq!("*".parse(), Ok(AllowedOrigin::Any));
        for text in [
            "",
            "*",
            "null",
            "example.com",
            "https://",
            "https://:80",
            "https://example.com/",
            "https://example.com:port",
            "https://*.example.com",
            "https://user@example.com",
            "https://a b",
            "file://example.com",
            "HTTPS://example.com",
        ] {
            assert_eq!(text.parse::<Origin>(), Err(InvalidOrigin), "{text}");
        }
    }

    #[test]
    fn pages_of_this_machine_are_allowed_on_requests_to_this_machine() {
        let check = |origin: &str, host: &str, expected: bool| {
            let (origin, host) = (origin.parse().unwrap(), host.parse().unwrap());
            assert_eq!(AllowedOrigin::Loopback.allows(&origin, Some(&host)), expected, "{origin} {host}");
            assert!(!AllowedOrigin::Loopback.allows(&origin, None));
        };
        for origin in ["http://localhost:5173", "https://LOCALHOST", "http://127.0.0.1:3000", "http://[::1]:1"] {
            for host in ["localhost:8000", "127.0.0.1:8000", "[::1]:8000", "Localhost"] {
                check(origin, host, true);
            }
            for host in ["books.example", "books.example:8000", "localhost.evil.example", "10.0.0.1:8000"] {
                check(origin, host, false);
            }
        }
        for origin in [
            "https://evil.example",
            "http://localhost.evil.example",
            "http://127.0.0.1.evil.example",
            "http://10.0.0.1",
        ] {
            check(origin, "localhost:8000", false);
        }
    }
}
