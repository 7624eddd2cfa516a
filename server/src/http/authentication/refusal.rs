//! Responses to requests of which it is not known who sent them.

use std::net::IpAddr;

use async_graphql::ServerError;
use axum::http::header::{RETRY_AFTER, WWW_AUTHENTICATE};
use axum::http::{HeaderValue, StatusCode};
use axum::response::Response;

use super::error::{Invalid, Unidentified};
use crate::Api;
use crate::http::media::Media;
use crate::http::response::{reject, reject_with};
use crate::request::{Code, Permission};

/// After how many seconds a client should try again while there are no keys.
const RETRY: u64 = 2;

/// The response to a request that was refused before it was read: its status is the same for older clients.
pub fn refuse(api: &Api, media: Media, client: Option<IpAddr>, unidentified: Unidentified) -> Response {
    match unidentified {
        Unidentified::Invalid(invalid) => {
            if let Err(error) = count(api, client, invalid) {
                return reject_with(media, error);
            }
            let mut response = reject(media, Code::Unauthenticated, invalid.to_string());
            *response.status_mut() = StatusCode::UNAUTHORIZED;
            response.headers_mut().insert(WWW_AUTHENTICATE, invalid_token(invalid));
            response
        }
        Unidentified::NoKeys => {
            let message = "the keys of tokens cannot be fetched (the setting JWT_JWKS_URL): try again";
            let mut response = reject(media, Code::Unavailable, message);
            *response.status_mut() = StatusCode::SERVICE_UNAVAILABLE;
            response.headers_mut().insert(RETRY_AFTER, RETRY.into());
            response
        }
    }
}

/// Counts what can be a guess.
///
/// # Errors
///
/// [`Code::RateLimited`] if the client has made too many.
pub fn count(api: &Api, client: Option<IpAddr>, invalid: Invalid) -> Result<(), ServerError> {
    if invalid.is_guess() { api.count_invalid_token(client) } else { Ok(()) }
}

/// The value of `WWW-Authenticate` (RFC 6750, section 3). A text of ours is a quoted string.
fn invalid_token(invalid: Invalid) -> HeaderValue {
    let text = format!(r#"Bearer realm="bookends", error="invalid_token", error_description="{invalid}""#);
    HeaderValue::from_str(&text).unwrap_or(HeaderValue::from_static(r#"Bearer realm="bookends""#))
}

/// The same for a request that was read: it names an error only if the request has a token. `None` if no token helps.
pub fn challenge(status: StatusCode, permission: Permission) -> Option<HeaderValue> {
    let challenge = match (status, permission) {
        (StatusCode::UNAUTHORIZED, Permission::WrongToken) => r#"Bearer realm="bookends", error="invalid_token""#,
        (StatusCode::UNAUTHORIZED, _) => r#"Bearer realm="bookends""#,
        (StatusCode::FORBIDDEN, Permission::NoScope) => r#"Bearer realm="bookends", error="insufficient_scope""#,
        _ => return None,
    };
    Some(HeaderValue::from_static(challenge))
}
