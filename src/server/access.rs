//! Permission to write.
//!
//! With a token, a request must bring it. Without a token, the server must listen on a loopback address, and the request
//! must come from the same machine. A page of another site in a local browser can reach the address, too; it is recognised
//! by its `Origin`, or by a `Host` that is not a name of this machine. A proxy forwards requests from anywhere; it is
//! recognised by its headers.

use std::net::{IpAddr, SocketAddr};

use axum::http::header::{AUTHORIZATION, FORWARDED, HOST, ORIGIN, VIA};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderName};
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

use crate::config::{Origin, Secret};
use crate::request::Permission;

/// Who may write.
#[derive(Clone, Debug)]
pub enum Access {
    /// Clients with this token.
    Token(Secret),
    /// Clients on this machine.
    Loopback,
    /// No client.
    Nobody,
}

/// The token contains characters that a header cannot carry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("BOOKENDS_WRITE_TOKEN is invalid: expected visible ASCII characters without white space")]
pub struct InvalidToken;

impl Access {
    /// The access to a server with this token on this address.
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

    /// The permission of a request with these headers. On a WebSocket, `authorization` comes from `connection_init`,
    /// because a browser cannot add headers to the handshake.
    pub fn permission(&self, headers: &HeaderMap, authorization: Option<&str>) -> Permission {
        match self {
            Self::Token(token) => {
                let header = || headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok());
                let received = authorization.or_else(header).and_then(bearer);
                // In constant time: digests have the same length.
                let digest = |text: &str| Sha256::digest(text.as_bytes());
                let is_right = received.is_some_and(|received| digest(received).ct_eq(&digest(token.expose())).into());
                if is_right { Permission::Granted } else { Permission::Unauthenticated }
            }
            Self::Loopback if is_local(headers) => Permission::Granted,
            Self::Loopback | Self::Nobody => Permission::Forbidden,
        }
    }
}

/// The token in `Bearer token` (RFC 6750); the scheme is case-insensitive.
fn bearer(authorization: &str) -> Option<&str> {
    let (scheme, token) = authorization.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then_some(token.trim())
}

/// Whether a request comes from this machine and is addressed to it.
fn is_local(headers: &HeaderMap) -> bool {
    let is_from_proxy = |name: &HeaderName| {
        name == FORWARDED || name == VIA || name.as_str().starts_with("x-forwarded-") || name == "x-real-ip"
    };
    let is_cross_site = headers.get("sec-fetch-site").is_some_and(|site| site == "cross-site");
    let all =
        |name, is_own: fn(&str) -> bool| headers.get_all(name).iter().all(|value| value.to_str().is_ok_and(is_own));
    let is_own = headers.contains_key(HOST) && all(HOST, is_own_host) && all(ORIGIN, is_own_origin);
    is_own && !is_cross_site && !headers.keys().any(is_from_proxy)
}

/// Whether a `Host` is a name of this machine.
fn is_own_host(host: &str) -> bool {
    let authority = host.parse::<Authority>().ok().filter(|_| !host.contains('@'));
    authority.is_some_and(|authority| is_own_name(authority.host()))
}

/// Whether an `Origin` is a page from this machine. `null` can be any file or sandbox.
fn is_own_origin(origin: &str) -> bool {
    origin.parse().is_ok_and(|origin: Origin| is_own_name(origin.host()))
}

fn is_own_name(host: &str) -> bool {
    let name = host.trim_start_matches('[').trim_end_matches(']');
    name.eq_ignore_ascii_case("localhost") || name.parse().is_ok_and(is_loopback)
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
    fn an_invalid_token_is_rejected() {
        for token in ["", " ", "a b", "abc\n", "geheimé", "\u{fffd}"] {
            let token = Some(Secret::new(token.into()));
            assert_eq!(Access::new(token, "127.0.0.1:80".parse().unwrap()).unwrap_err(), InvalidToken);
        }
    }

    #[test]
    fn only_the_token_counts_if_there_is_one() {
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
    fn without_a_token_only_a_loopback_address_accepts_writes() {
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
