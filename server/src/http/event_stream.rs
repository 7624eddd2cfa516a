//! GraphQL over Server-Sent Events: the distinct connections mode of [graphql-sse][protocol]. Each operation is one response
//! of HTTP, with an event `next` for each of its results, and `complete` at the end.
//!
//! A task computes the next result while the last one is being sent, and no further one. It ends when the client has
//! disconnected. A server that stops ends the response without `complete`, and its client tries again.
//!
//! [protocol]: https://github.com/enisdenjo/graphql-sse/blob/master/PROTOCOL.md

use std::pin::pin;
use std::time::Duration;

use async_graphql::{Response as GraphQLResponse, ServerError};
use axum::http::HeaderValue;
use axum::http::header::{CACHE_CONTROL, VARY};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures_util::{Stream, StreamExt, stream};
use tokio::sync::mpsc::{Sender, channel};

use super::buffers::{RESPONSE_DROPPED, acquire_for_response};
use super::media::Media;
use super::response::{reject, text};
use super::websocket::Sockets;
use crate::metrics::Metrics;
use crate::request::{Code, Memory, MemoryPermit, caught, code_of, refusal};

/// The pause after which a comment is sent, so that proxies do not close the connection.
const HEARTBEAT: Duration = Duration::from_secs(12);

/// The server stops.
#[derive(Debug, thiserror::Error)]
#[error("the server is stopping")]
struct Stopping;

/// An event, and the permit of its text.
type Sent = (Event, Option<MemoryPermit>);

/// The responses to an operation as an event stream.
pub fn respond(
    sockets: &Sockets,
    memory: Memory,
    metrics: Metrics,
    responses: impl Stream<Item = GraphQLResponse> + Send + 'static,
) -> Response {
    let mut permit = match sockets.permit() {
        Ok(permit) => permit,
        Err(message) => return reject(Media::Json, Code::Overloaded, message),
    };
    let (sender, mut events) = channel(1);
    let slots = sockets.slots();
    tokio::spawn(async move {
        let sending = slots.run(send(caught(responses), &sender, &memory, &metrics));
        tokio::select! {
            biased;
            () = sender.closed() => {}
            () = permit.stopped() => {
                // The client may have disconnected.
                let _ = sender.send(Err(Stopping)).await;
            }
            () = sending => {}
        }
    });
    let mut sending = None;
    let events = stream::poll_fn(move |context| {
        events.poll_recv(context).map(|event| {
            event.map(|event| {
                event.map(|(event, permit): Sent| {
                    // Until the next one is wanted.
                    sending = permit;
                    event
                })
            })
        })
    });
    let mut response = Sse::new(events).keep_alive(KeepAlive::new().interval(HEARTBEAT)).into_response();
    let headers = response.headers_mut();
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(VARY, HeaderValue::from_static("accept"));
    // nginx would collect events.
    headers.insert("x-accel-buffering", HeaderValue::from_static("no"));
    response
}

/// Sends the results, and their end.
async fn send(
    responses: impl Stream<Item = GraphQLResponse>,
    sender: &Sender<Result<Sent, Stopping>>,
    memory: &Memory,
    metrics: &Metrics,
) {
    let mut responses = pin!(responses);
    loop {
        // Room in the channel first: the result would wait otherwise, and be an old one when it is sent.
        let Ok(room) = sender.reserve().await else { return };
        let Some(response) = responses.next().await else {
            // Browsers dispatch no event without data.
            room.send(Ok((Event::default().event("complete").data("null"), None)));
            return;
        };
        count(metrics, &response.errors);
        room.send(Ok(next(&response, memory)));
    }
}

/// A result as an event. One that exceeds the memory budget is replaced by an error.
fn next(response: &GraphQLResponse, memory: &Memory) -> Sent {
    let event = |response: &GraphQLResponse| {
        let json = text(response);
        (json.len(), Event::default().event("next").data(json))
    };
    let (bytes, whole) = event(response);
    match acquire_for_response(memory, bytes) {
        Some(permit) => (whole, Some(permit)),
        None => (event(&GraphQLResponse::from_errors(vec![refusal(Code::AnswerDropped, RESPONSE_DROPPED)])).1, None),
    }
}

fn count(metrics: &Metrics, errors: &[ServerError]) {
    for code in errors.iter().filter_map(code_of) {
        metrics.error(code);
    }
}
