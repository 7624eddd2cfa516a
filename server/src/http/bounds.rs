//! The bounds of a request to the API: its URL, its origin, its body, its permit and its response.
//!
//! The body is received completely before the request takes a permit ([`Admission`](crate::request::Admission)), so slow
//! clients do not block others. Queries and mutations over a WebSocket take permits of the same kind; events of
//! subscriptions do not.

use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::Request;
use axum::http::header::ORIGIN;
use axum::response::Response;
use tokio::time::timeout;

use super::buffers::{RESPONSE_DROPPED, Unread, hold, read};
use super::capacity::Capacity;
use super::cors;
use super::graphql::{Received, Streamed};
use super::media::{Media, prefers_events};
use super::origin;
use super::response::reject;
use super::websocket::is_websocket;
use crate::config::{AllowedOrigin, Bounds};
use crate::request::{BUDGET_EXCEEDED, Code, Memory, MemoryPermit, Rejected};

/// The maximum length of a URL, in bytes.
const MAX_URL: usize = 16 << 10;

/// The bounds of the requests to the API.
pub struct Gate {
    capacity: Capacity,
    max_body_size: usize,
    read_timeout: Duration,
    origins: Arc<[AllowedOrigin]>,
}

impl Gate {
    pub fn new(bounds: &Bounds, capacity: &Capacity) -> Self {
        Self {
            capacity: capacity.clone(),
            max_body_size: bounds.max_body_size,
            read_timeout: bounds.read_timeout.0,
            origins: bounds.cors_origins.as_slice().into(),
        }
    }

    /// The response to a request that was received within the bounds, and got a permit. An event stream gets one for each
    /// execution.
    pub async fn admit<Responding: Future<Output = Response>, Streaming: Future<Output = Response>>(
        &self,
        request: Request,
        respond: impl FnOnce(Received) -> Responding,
        stream: Option<impl FnOnce(Streamed) -> Streaming>,
    ) -> Response {
        let (head, body) = request.into_parts();
        let preferred = Media::accepted(&head.headers);
        let media = preferred.unwrap_or(Media::Json);
        if head.uri.path_and_query().is_some_and(|uri| uri.as_str().len() > MAX_URL) {
            let message = format!("the URL must have at most {MAX_URL} bytes: send the request by POST");
            return reject(media, Code::UrlTooLong, message);
        }
        if is_websocket(&head.headers) && !origin::may_open(&head.uri, &head.headers, &self.origins) {
            let origin = head.headers.get(ORIGIN).map_or("no origin", cors::text);
            let message = format!("pages of `{origin}` may not open a WebSocket (the setting CORS_ORIGINS)");
            return reject(media, Code::OriginForbidden, message);
        }
        let client = self.capacity.clients.of(head.extensions.get().copied(), &head.headers);
        let (capacity, _present) = (self.capacity.shared(&client), client.enter());
        let (body, _permit) = match self.receive(media, body, &capacity.memory).await {
            Ok(body) => body,
            Err(rejection) => return rejection,
        };
        if let Some(stream) = stream
            && prefers_events(&head.headers)
        {
            return Box::pin(stream(Streamed { head, body, capacity })).await;
        }
        // On the heap: what surrounds this future moves it.
        let execute =
            |permit| Box::pin(respond(Received { head, body, media: preferred, permit, capacity: capacity.clone() }));
        match capacity.admission.run(execute).await {
            Ok(response) => hold(&capacity.memory, response)
                .await
                .unwrap_or_else(|| reject(media, Code::AnswerDropped, RESPONSE_DROPPED)),
            Err(full @ (Rejected::Overloaded | Rejected::ShareUsed)) => {
                reject(media, Code::Overloaded, full.to_string())
            }
            Err(late @ Rejected::TimedOut) => reject(media, Code::TimedOut, late.to_string()),
        }
    }

    /// The complete body, and its permit.
    async fn receive(&self, media: Media, body: Body, memory: &Memory) -> Result<(Bytes, MemoryPermit), Response> {
        match timeout(self.read_timeout, read(memory, body, self.max_body_size)).await {
            Ok(Ok(body)) => Ok(body),
            Ok(Err(Unread::TooLarge)) => {
                let message =
                    format!("the body must have at most {} bytes (the setting MAX_BODY_SIZE)", self.max_body_size);
                Err(reject(media, Code::BodyTooLarge, message))
            }
            Ok(Err(Unread::BudgetExceeded)) => Err(reject(media, Code::Overloaded, BUDGET_EXCEEDED)),
            Ok(Err(Unread::Incomplete)) => Err(reject(media, Code::BodyMalformed, "the body is incomplete")),
            Err(_) => {
                let message = "the body was not received in time (the setting READ_TIMEOUT)";
                Err(reject(media, Code::BodyTooSlow, message))
            }
        }
    }
}
