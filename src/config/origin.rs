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
    /// One origin.
    Only(Origin),
}

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
    /// Whether it allows this origin.
    pub fn allows(&self, origin: &Origin) -> bool {
        match self {
            Self::Any => true,
            Self::Only(allowed) => allowed == origin,
        }
    }
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
}
