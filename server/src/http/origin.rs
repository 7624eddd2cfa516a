//! Whose pages may read responses, and open a WebSocket.
//!
//! A browser asks no permission before a page of another site opens a WebSocket, and lets the page read it. It only
//! names the page in `Origin` (RFC 6455, section 10.2). Clients that are not browsers send no `Origin`.

use axum::http::header::{HOST, ORIGIN};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderValue, Uri};

use crate::config::{AllowedOrigin, Origin};

/// Whether the pages of this origin may read the response to a request.
pub fn may_read(origin: &HeaderValue, url: &Uri, headers: &HeaderMap, allowed: &[AllowedOrigin]) -> bool {
    let host = host(url, headers);
    let origin = parse(origin);
    allowed.iter().any(|allowed| match &origin {
        Some(origin) => allowed.allows(origin, host.as_ref()),
        None => *allowed == AllowedOrigin::Any,
    })
}

/// Whether a request may open a WebSocket: it comes from the server's own page, from an allowed origin, or from no page.
pub fn may_open(url: &Uri, headers: &HeaderMap, allowed: &[AllowedOrigin]) -> bool {
    let host = host(url, headers);
    let is_own = |origin| parse(origin).zip(host.as_ref()).is_some_and(|(origin, host)| origin.is_served_by(host));
    headers.get_all(ORIGIN).iter().all(|origin| may_read(origin, url, headers, allowed) || is_own(origin))
}

/// `None` for `null`, a file or a browser extension.
fn parse(origin: &HeaderValue) -> Option<Origin> {
    origin.to_str().ok()?.parse().ok()
}

/// The host that a request is addressed to. A complete URL in the request line overrides `Host` (RFC 9112, section 3.2.2).
fn host(url: &Uri, headers: &HeaderMap) -> Option<Authority> {
    let header = || headers.get(HOST).and_then(|host| host.to_str().ok()?.parse().ok());
    url.authority().cloned().or_else(header)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(origin: &'static str, host: &'static str, expected: bool) {
        let path = Uri::from_static("/graphql");
        let mut headers = HeaderMap::new();
        headers.insert(HOST, host.parse().unwrap());
        assert!(may_open(&path, &headers, &[]));
        headers.insert(ORIGIN, origin.parse().unwrap());
        assert_eq!(may_open(&path, &headers, &[]), expected, "{origin} {host}");
        assert!(may_open(&path, &headers, &[AllowedOrigin::Any]));
        if let Ok(allowed) = origin.parse() {
            assert!(may_open(&path, &headers, &[allowed]));
        }
        // A complete URL has its own host.
        let url = format!("http://{host}/graphql").parse().unwrap();
        for other in ["evil.example", "localhost:8000", "books.example"] {
            headers.insert(HOST, other.parse().unwrap());
            assert_eq!(may_open(&url, &headers, &[]), expected, "{origin} {url} {other}");
        }
    }

    #[test]
    fn pages_of_other_sites_open_none() {
        check("http://localhost:8000", "localhost:8000", true);
        check("https://Books.example", "books.example", true);
        check("https://books.example", "books.example:443", true);
        check("https://books.example:8443", "books.example", true);
        check("http://[::1]:8000", "[::1]:8000", true);
        check("http://localhost:5173", "localhost:8000", false);
        check("https://books.example", "books.example:8000", false);
        check("https://evil.example", "books.example", false);
        check("https://books.example.evil.example", "books.example", false);
        check("file://books.example", "books.example", false);
        check("null", "books.example", false);
        check("", "books.example", false);
    }
}
