//! Who may write.
//!
//! Where the server has a token, whoever brings it. Where it has none, whoever sits at its machine: it must listen on a
//! loopback address, and the request must be meant for one. A page of another site, open in a browser on this machine,
//! reaches that address too, under its own name as `Origin`, or under a name of its own for this machine as `Host`; and
//! what a proxy passes on comes from anywhere.

use std::net::{IpAddr, SocketAddr};

use axum::http::header::{AUTHORIZATION, FORWARDED, HOST, ORIGIN, VIA};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderName};
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

use crate::config::Secret;
use crate::graphql::Permission;

/// Who may write.
#[derive(Clone, Debug)]
pub enum Access {
    /// Whoever brings this token.
    Token(Secret),
    /// Whoever is on this machine.
    Loopback,
    /// Nobody.
    Nobody,
}

/// A token that no request could bring.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("BOOKENDS_WRITE_TOKEN is not a token: it has one or more visible ASCII characters, and no white space")]
pub struct InvalidToken;

impl Access {
    /// Who may write to a server with this token that listens on this address.
    ///
    /// # Errors
    ///
    /// [`InvalidToken`].
    pub fn new(token: Option<Secret>, address: SocketAddr) -> Result<Self, InvalidToken> {
        let is_valid = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_graphic());
        match token {
            Some(token) if is_valid(token.expose()) => Ok(Self::Token(token)),
            Some(_) => Err(InvalidToken),
            None if is_loopback(address.ip()) => Ok(Self::Loopback),
            None => Ok(Self::Nobody),
        }
    }

    /// Whether a request with these headers may write. A browser cannot add headers to a WebSocket's request: there the
    /// client sends its `authorization` later.
    pub fn permission(&self, headers: &HeaderMap, authorization: Option<&str>) -> Permission {
        match self {
            Self::Token(token) => {
                let header = || headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok());
                let brought = authorization.or_else(header).and_then(bearer);
                // In a time that says nothing of how much of it was right: digests are of one length.
                let digest = |text: &str| Sha256::digest(text.as_bytes());
                let is_right = brought.is_some_and(|brought| digest(brought).ct_eq(&digest(token.expose())).into());
                if is_right { Permission::Granted } else { Permission::Unauthenticated }
            }
            Self::Loopback if is_local(headers) => Permission::Granted,
            Self::Loopback | Self::Nobody => Permission::Forbidden,
        }
    }
}

/// The token in `Bearer token` (RFC 6750); the name of the scheme is in any case.
fn bearer(authorization: &str) -> Option<&str> {
    let (scheme, token) = authorization.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then_some(token.trim())
}

/// Whether a request was sent by somebody on this machine to this machine by one of its own names.
fn is_local(headers: &HeaderMap) -> bool {
    let says_proxy = |name: &HeaderName| {
        name == FORWARDED || name == VIA || name.as_str().starts_with("x-forwarded-") || name == "x-real-ip"
    };
    let is_cross_site = headers.get("sec-fetch-site").is_some_and(|site| site == "cross-site");
    let all =
        |name, is_own: fn(&str) -> bool| headers.get_all(name).iter().all(|value| value.to_str().is_ok_and(is_own));
    let is_own = headers.contains_key(HOST) && all(HOST, is_own_host) && all(ORIGIN, is_own_origin);
    is_own && !is_cross_site && !headers.keys().any(says_proxy)
}

/// Whether a `Host` is a name of this machine.
fn is_own_host(host: &str) -> bool {
    let Ok(authority) = host.parse::<Authority>() else { return false };
    let name = authority.host().trim_start_matches('[').trim_end_matches(']');
    !host.contains('@') && (name.eq_ignore_ascii_case("localhost") || name.parse().is_ok_and(is_loopback))
}

/// Whether an `Origin` is a page from this machine. That of a file or of a sandbox is `null`, and can be anybody's.
fn is_own_origin(origin: &str) -> bool {
    let host = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
    host.is_some_and(is_own_host)
}

fn is_loopback(address: IpAddr) -> bool {
    address.to_canonical().is_loopback()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(access: &Access, headers: &[(&'static str, &'static str)], expected: Permission) {
        let headers: HeaderMap =
            headers.iter().map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap())).collect();
        assert_eq!(access.permission(&headers, None), expected, "{headers:?}");
    }

    fn access(token: Option<&str>, address: &str) -> Access {
        Access::new(token.map(|token| Secret::new(token.into())), address.parse().unwrap()).unwrap()
    }

    #[test]
    fn a_token_that_no_request_can_bring_is_refused() {
        for token in ["", " ", "a b", "abc\n", "geheimé", "\u{fffd}"] {
            let token = Some(Secret::new(token.into()));
            assert_eq!(Access::new(token, "127.0.0.1:80".parse().unwrap()).unwrap_err(), InvalidToken);
        }
    }

    #[test]
    fn a_token_is_all_that_counts_where_there_is_one() {
        for address in ["127.0.0.1:80", "0.0.0.0:80"] {
            let access = access(Some("sesame"), address);
            check(&access, &[("authorization", "Bearer sesame")], Permission::Granted);
            check(&access, &[("authorization", "bearer  sesame ")], Permission::Granted);
            for wrong in ["Bearer sesam", "Bearer sesame2", "Bearer Sesame", "Bearer", "sesame", "Basic sesame", ""] {
                check(&access, &[("authorization", wrong)], Permission::Unauthenticated);
            }
            check(&access, &[("host", "localhost")], Permission::Unauthenticated);
            assert_eq!(access.permission(&HeaderMap::new(), Some("Bearer sesame")), Permission::Granted);
        }
    }

    #[test]
    fn without_a_token_only_a_loopback_address_is_written_to() {
        for address in ["127.0.0.1:80", "127.1.2.3:80", "[::1]:80", "[::ffff:127.0.0.1]:80"] {
            check(&access(None, address), &[("host", "localhost:8000")], Permission::Granted);
        }
        for address in ["0.0.0.0:80", "192.168.0.1:80", "[::]:80"] {
            check(&access(None, address), &[("host", "localhost:8000")], Permission::Forbidden);
        }
    }

    #[test]
    fn other_sites_and_proxies_are_not_this_machine() {
        let access = access(None, "127.0.0.1:80");
        for host in ["127.0.0.1:8000", "localhost", "LOCALHOST:1", "[::1]:8000"] {
            check(&access, &[("host", host)], Permission::Granted);
        }
        for host in ["evil.example:8000", "localhost.evil.example", "127.0.0.1.evil.example", "", "[::2]", "10.0.0.1"] {
            check(&access, &[("host", host)], Permission::Forbidden);
        }
        for origin in ["http://localhost:5173", "http://127.0.0.1:8000", "https://[::1]"] {
            check(&access, &[("host", "localhost"), ("origin", origin)], Permission::Granted);
        }
        for origin in [
            "https://evil.example",
            "null",
            "http://localhost.evil.example",
            "file://",
            "chrome-extension://localhost",
            "http://evil@localhost",
            "localhost",
        ] {
            check(&access, &[("host", "localhost"), ("origin", origin)], Permission::Forbidden);
        }
        for name in ["forwarded", "x-forwarded-for", "x-forwarded-proto", "via", "x-real-ip"] {
            check(&access, &[("host", "localhost"), (name, "1.1 proxy")], Permission::Forbidden);
        }
        check(&access, &[("host", "localhost"), ("sec-fetch-site", "cross-site")], Permission::Forbidden);
        check(&access, &[("host", "localhost"), ("sec-fetch-site", "same-origin")], Permission::Granted);
        check(&access, &[], Permission::Forbidden);
    }
}
