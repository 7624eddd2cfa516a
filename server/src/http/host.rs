//! The header `Host` of a request (RFC 9112, section 3.2).
//!
//! A proxy that takes another one of two hosts than this server could be deceived. So such a request is refused, and its
//! connection closed.

use axum::http::header::HOST;
use axum::http::uri::Authority;
use axum::http::{HeaderValue, Request, Version};

/// What is wrong with the hosts of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WrongHost {
    /// HTTP/1.1 requires one.
    #[error("expected the header `Host`")]
    Missing,
    /// There are several.
    #[error("expected one header `Host`")]
    Several,
    /// It is something else.
    #[error("expected a host in the header `Host`, with a port or without")]
    Invalid,
}

/// Checks that a request has one host. HTTP/1.0 needs none.
///
/// # Errors
///
/// [`WrongHost`].
pub fn check<B>(request: &Request<B>) -> Result<(), WrongHost> {
    let mut hosts = request.headers().get_all(HOST).iter();
    match (hosts.next(), hosts.next()) {
        (None, _) if request.version() < Version::HTTP_11 => Ok(()),
        (None, _) => Err(WrongHost::Missing),
        (Some(_), Some(_)) => Err(WrongHost::Several),
        (Some(host), None) if is_host(host) => Ok(()),
        (Some(_), None) => Err(WrongHost::Invalid),
    }
}

/// Whether it is a host, with a port or without. It is empty where the URL has none.
fn is_host(host: &HeaderValue) -> bool {
    let is_host = |host: Authority| !host.as_str().contains('@');
    host.is_empty() || Authority::try_from(host.as_bytes()).is_ok_and(is_host)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn assert_checked(version: Version, hosts: &[&str], expected: Result<(), WrongHost>) {
        let request = Request::builder().version(version);
        let request = hosts.iter().fold(request, |request, host| request.header(HOST, *host));
        assert_eq!(check(&request.body(()).unwrap()), expected, "{version:?} {hosts:?}");
    }

    #[test]
    fn a_request_has_one_host() {
        for host in ["localhost", "shop.example:8000", "127.0.0.1:80", "[::1]:8000", "[::1]", ""] {
            assert_checked(Version::HTTP_11, &[host], Ok(()));
            assert_checked(Version::HTTP_10, &[host], Ok(()));
            assert_checked(Version::HTTP_11, &[host, host], Err(WrongHost::Several));
            assert_checked(Version::HTTP_10, &[host, "other"], Err(WrongHost::Several));
        }
        for host in ["a b", "user@shop.example", "shop.example/path", "http://shop.example", "a,b@c", "[::1"] {
            assert_checked(Version::HTTP_11, &[host], Err(WrongHost::Invalid));
        }
        assert_checked(Version::HTTP_11, &[], Err(WrongHost::Missing));
        assert_checked(Version::HTTP_10, &[], Ok(()));
    }
}
