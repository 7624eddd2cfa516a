//! Entity tags, by which a client says what it has (RFC 9110, sections 8.8.3 and 13.1.2).

use axum::http::header::IF_NONE_MATCH;
use axum::http::{HeaderMap, HeaderValue};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest, Sha256};

/// The tag of these bytes.
pub fn of(bytes: &[u8]) -> String {
    format!("\"{}\"", URL_SAFE_NO_PAD.encode(Sha256::digest(bytes)))
}

/// Whether the client has what this tag names. A proxy that compresses makes tags weak.
pub fn is_known(request: &HeaderMap, etag: &str) -> bool {
    let lists = |tags: &HeaderValue| {
        tags.to_str().is_ok_and(|tags| tags.split(',').any(|tag| tag.trim().trim_start_matches("W/") == etag))
    };
    request.get_all(IF_NONE_MATCH).iter().any(lists)
}
