//! Read your own writes: a mutation and an event have a position, and a query that sends it back is answered by a server
//! that has replayed it. A query at the last position, which only the primary has, has a position too: that of what it showed.

use async_graphql::{Request, Response, Value};

use super::code::Code;
use super::error::Error;
use crate::db::Position;

/// The member of `extensions` that has a position, in responses and in requests. Over a WebSocket, where an operation has no
/// headers, it is the only way.
const EXTENSION: &str = "position";

/// The position that a request has seen, if it sends one: in its header, which goes first, or in its extensions.
///
/// # Errors
///
/// [`Code::PositionMalformed`].
pub fn read_request(header: Option<&str>, request: &Request) -> Result<Option<Position>, Error> {
    let text = match (header, request.extensions.get(EXTENSION)) {
        (Some(text), _) => text,
        (None, Some(Value::String(text))) => text.as_str(),
        (None, Some(_)) => "",
        (None, None) => return Ok(None),
    };
    text.parse().map(Some).map_err(|error| Error::client(Code::PositionMalformed, format!("{error}")))
}

/// Adds a position to a response.
pub fn add_to(response: &mut Response, position: Position) {
    response.extensions.insert(EXTENSION.into(), position.to_string().into());
}

/// The position in the extensions of a response.
pub fn read_response(response: &Response) -> Option<&str> {
    match response.extensions.get(EXTENSION) {
        Some(Value::String(text)) => Some(text),
        _ => None,
    }
}
