//! What the statements of a request cost, in the header `Server-Timing` of its response, for a client that asks.

use axum::http::{HeaderMap, HeaderName, HeaderValue};
use axum::response::Response;

use crate::db::tally::{self, Work};
use crate::telemetry::milliseconds;

/// The header that asks for it, with the value `report`: no standard names one. It is spelt as the one for the cost.
pub const GRAPHQL_TIMING: HeaderName = HeaderName::from_static("graphql-timing");

/// The header of the response, which the tools of browsers show.
pub const SERVER_TIMING: HeaderName = HeaderName::from_static("server-timing");

/// Whether the headers of a request ask for it.
pub fn is_wanted(headers: &HeaderMap) -> bool {
    headers.get_all(GRAPHQL_TIMING).iter().any(|value| value == "report")
}

/// A response with what its statements cost.
pub async fn timed(respond: impl Future<Output = Response>) -> Response {
    let (mut response, work) = tally::measured(respond).await;
    if let Ok(value) = HeaderValue::from_str(&described(work)) {
        response.headers_mut().insert(SERVER_TIMING, value);
    }
    response
}

fn described(Work { statements, rows, time }: Work) -> String {
    let counted = |number, noun: &str| format!("{number} {noun}{}", if number == 1 { "" } else { "s" });
    let (statements, rows) = (counted(statements, "statement"), counted(rows, "row"));
    format!(r#"db;dur={};desc="{statements}, {rows}""#, milliseconds(time))
}
