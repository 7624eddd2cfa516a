//! Whose pages may open a WebSocket.
//!
//! A browser asks nobody before a page of another site opens one, and lets it read what comes: it only says whose page
//! it is, in `Origin` (RFC 6455, section 10.2). What is no browser says nothing.

use axum::http::HeaderMap;
use axum::http::header::{HOST, ORIGIN};
use axum::http::uri::{Authority, Uri};

/// Whether a request comes from a page of the server's own, from one of these origins, or from no page.
pub fn is_let_in(headers: &HeaderMap, origins: &[String]) -> bool {
    headers.get_all(ORIGIN).iter().all(|origin| {
        let Ok(origin) = origin.to_str() else { return false };
        let is_named = origins.iter().any(|named| named == "*" || named.eq_ignore_ascii_case(origin));
        is_named || headers.get(HOST).and_then(|host| host.to_str().ok()).is_some_and(|host| is_own(origin, host))
    })
}

/// Whether an origin is that of the pages which this host serves. A proxy may have left out the port.
fn is_own(origin: &str, host: &str) -> bool {
    let (Ok(origin), Ok(host)) = (origin.parse::<Uri>(), host.parse::<Authority>()) else { return false };
    let default = match origin.scheme_str() {
        Some("http") => 80,
        Some("https") => 443,
        _ => return false,
    };
    let port = origin.port_u16().unwrap_or(default);
    origin.host().is_some_and(|name| name.eq_ignore_ascii_case(host.host()))
        && host.port_u16().is_none_or(|own| own == port)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(origin: &'static str, host: &'static str, expected: bool) {
        let mut headers = HeaderMap::new();
        headers.insert(HOST, host.parse().unwrap());
        assert!(is_let_in(&headers, &[]));
        headers.insert(ORIGIN, origin.parse().unwrap());
        assert_eq!(is_let_in(&headers, &[]), expected, "{origin} {host}");
        assert!(is_let_in(&headers, &["*".into()]) && is_let_in(&headers, &[origin.into()]));
    }

    #[test]
    fn pages_of_other_sites_stay_out() {
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
