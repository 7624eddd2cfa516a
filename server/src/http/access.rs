//! Permission to write.
//!
//! A request must bring the write token of the server. If the settings have none, a server on a loopback address generates
//! one, and prints it for its user. The address of a request proves nothing: a proxy on this machine forwards requests from
//! anywhere, and a local browser sends those of other sites.

use std::net::{IpAddr, SocketAddr};

use axum::http::HeaderMap;
use axum::http::header::AUTHORIZATION;
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

use crate::config::Secret;
use crate::request::Permission;

/// The minimum length of a token in the settings, in characters.
const MIN_TOKEN: usize = 16;

/// Who may write.
#[derive(Clone, Debug)]
pub enum Access {
    /// Clients with this token from the settings.
    Token(Secret),
    /// Clients with this token, which is valid until the server stops.
    Generated(Secret),
    /// No client.
    Nobody,
}

/// Why there is no token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AccessError {
    /// The token in the settings contains characters that a header cannot carry.
    #[error("WRITE_TOKEN is invalid: expected visible ASCII characters without white space")]
    Invalid,
    /// The token in the settings is so short that it can be guessed.
    #[error("WRITE_TOKEN is too short: expected at least {MIN_TOKEN} characters")]
    Short,
    /// The system has no random bytes.
    #[error("cannot generate a write token: {0}")]
    Random(getrandom::Error),
}

impl Access {
    /// The access to a server with this token on this address. On other than loopback addresses no token is generated: the
    /// output of a public server is often collected, and others would read it there.
    ///
    /// # Errors
    ///
    /// [`AccessError`].
    pub fn new(token: Option<Secret>, address: SocketAddr) -> Result<Self, AccessError> {
        let is_valid = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_graphic());
        match token {
            Some(token) if !is_valid(token.expose()) => Err(AccessError::Invalid),
            Some(token) if token.expose().len() < MIN_TOKEN => Err(AccessError::Short),
            Some(token) => Ok(Self::Token(token)),
            None if is_loopback(address.ip()) => generate().map(Self::Generated).map_err(AccessError::Random),
            None => Ok(Self::Nobody),
        }
    }

    /// The permission of a request with these headers. On a WebSocket, `authorization` comes from `connection_init`,
    /// because a browser cannot add headers to the handshake.
    pub fn permission(&self, headers: &HeaderMap, authorization: Option<&str>) -> Permission {
        let (Self::Token(token) | Self::Generated(token)) = self else { return Permission::Forbidden };
        let Some(received) = received(headers, authorization) else { return Permission::NoToken };
        // In constant time: digests have the same length.
        let digest = |text: &str| Sha256::digest(text.as_bytes());
        let is_right: bool = digest(received).ct_eq(&digest(token.expose())).into();
        if is_right { Permission::Granted } else { Permission::WrongToken }
    }

    /// The URL of the page. A generated token is in its fragment, which browsers do not send: neither a log of requests nor
    /// a `Referer` contains it.
    pub fn page(&self, address: SocketAddr) -> String {
        match self {
            Self::Generated(token) => format!("http://{address}/#token={}", token.expose()),
            Self::Token(_) | Self::Nobody => format!("http://{address}"),
        }
    }
}

/// The token of a request, if it has one.
pub(super) fn received<'a>(headers: &'a HeaderMap, authorization: Option<&'a str>) -> Option<&'a str> {
    let header = || headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok());
    authorization.or_else(header).and_then(bearer)
}

/// A token of 128 random bits, in digits that a terminal recognises as part of a URL.
fn generate() -> Result<Secret, getrandom::Error> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes)?;
    Ok(Secret::new(format!("{:032x}", u128::from_be_bytes(bytes))))
}

/// The token in `Bearer token` (RFC 6750); the scheme is case-insensitive.
fn bearer(authorization: &str) -> Option<&str> {
    let (scheme, token) = authorization.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then_some(token.trim())
}

fn is_loopback(address: IpAddr) -> bool {
    address.to_canonical().is_loopback()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(access: &Access, headers: &[(&'static str, &str)], expected: Permission) {
        let headers: HeaderMap =
            headers.iter().map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap())).collect();
        assert_eq!(access.permission(&headers, None), expected, "{headers:?}");
    }

    fn access(token: Option<&str>, address: &str) -> Access {
        Access::new(token.map(Secret::from), address.parse().unwrap()).unwrap()
    }

    #[test]
    fn an_invalid_token_is_rejected() {
        for token in ["", " ", "a b", "abc\n", "geheimé", "\u{fffd}"] {
            let invalid = Access::new(Some(Secret::from(token)), "127.0.0.1:80".parse().unwrap());
            assert_eq!(invalid.unwrap_err(), AccessError::Invalid);
        }
    }

    #[test]
    fn a_short_token_is_rejected() {
        let address = "127.0.0.1:80".parse().unwrap();
        for (token, is_short) in [("x", true), ("fifteen-letters", true), ("sixteen--letters", false)] {
            let access = Access::new(Some(Secret::from(token)), address);
            assert_eq!(access.err(), is_short.then_some(AccessError::Short), "{token}");
        }
    }

    #[test]
    fn a_request_must_bring_the_token() {
        for address in ["127.0.0.1:80", "0.0.0.0:80"] {
            let access = access(Some("open-sesame-please"), address);
            check(&access, &[("authorization", "Bearer open-sesame-please")], Permission::Granted);
            check(&access, &[("authorization", "bearer  open-sesame-please ")], Permission::Granted);
            for wrong in
                ["Bearer open-sesame-pleas", "Bearer open-sesame-please2", "Bearer Open-sesame-please", "Bearer "]
            {
                check(&access, &[("authorization", wrong)], Permission::WrongToken);
            }
            for none in ["Bearer", "open-sesame-please", "Basic open-sesame-please", ""] {
                check(&access, &[("authorization", none)], Permission::NoToken);
            }
            check(&access, &[("host", "localhost")], Permission::NoToken);
            assert_eq!(access.permission(&HeaderMap::new(), Some("Bearer open-sesame-please")), Permission::Granted);
            assert_eq!(access.page(address.parse().unwrap()), format!("http://{address}"));
        }
    }

    #[test]
    fn only_on_a_loopback_address_a_token_is_generated() {
        let mut generated = Vec::new();
        for address in ["127.0.0.1:80", "127.1.2.3:80", "[::1]:80", "[::ffff:127.0.0.1]:80"] {
            let access = access(None, address);
            let page = access.page(address.parse().unwrap());
            let token = page.strip_prefix(&format!("http://{address}/#token=")).unwrap();
            assert!(token.len() == 32 && token.bytes().all(|byte| byte.is_ascii_hexdigit()));
            check(&access, &[("authorization", &format!("Bearer {token}"))], Permission::Granted);
            check(&access, &[("host", "localhost:8000")], Permission::NoToken);
            assert!(!format!("{access:?}").contains(token));
            generated.push(token.to_owned());
        }
        generated.sort_unstable();
        generated.dedup();
        assert_eq!(generated.len(), 4);
        for address in ["0.0.0.0:80", "192.168.0.1:80", "[::]:80"] {
            let access = access(None, address);
            check(&access, &[("authorization", "Bearer ")], Permission::Forbidden);
            assert_eq!(access.page(address.parse().unwrap()), format!("http://{address}"));
        }
    }
}
