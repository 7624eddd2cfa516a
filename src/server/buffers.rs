//! The memory budget for request bodies being received and responses being sent, across all clients.
//!
//! Permits bound the requests that are executed. Without this budget, requests that are not received and responses that
//! are not sent would use as much memory as there are connections. A request that exceeds the budget is rejected. One
//! client gets a share of the budget.

use std::sync::Arc;

use axum::body::{Body, Bytes, HttpBody};
use axum::response::Response;
use http_body_util::{BodyExt, LengthLimitError, Limited};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Bytes of a body or a response that are not counted: a connection uses more than that anyway. When the budget is used
/// up, small requests still succeed.
const FREE: usize = 4 << 10;

/// The message for a request that exceeds the budget.
pub const BUDGET_EXCEEDED: &str = "the memory budget for requests and responses, or this client's share of it, is exhausted (the setting MAX_BUFFERED): \
     try again";

/// The message in place of a response that exceeds the budget.
pub const RESPONSE_DROPPED: &str = "the memory budget for requests and responses, or this client's share of it, is exhausted \
    (the setting MAX_BUFFERED): the response was dropped; a mutation may have taken effect";

/// A memory budget. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Buffers {
    free: Arc<Semaphore>,
    max: usize,
    /// The share of one client.
    share: Option<Arc<Semaphore>>,
}

/// A part of the budget, until it is dropped.
#[derive(Debug)]
pub struct BufferPermit(OwnedSemaphorePermit, Option<OwnedSemaphorePermit>);

/// Why a body was not read.
#[derive(Debug)]
pub enum Unread {
    /// It exceeds its maximum size.
    TooLarge,
    /// It exceeds the budget.
    BudgetExceeded,
    /// The connection failed.
    Incomplete,
}

impl Buffers {
    /// A budget of this many bytes.
    pub fn new(max: usize) -> Self {
        let max = max.min(Semaphore::MAX_PERMITS);
        Self { free: Arc::new(Semaphore::new(max)), max, share: None }
    }

    /// The budget of one client, which is a part of this one.
    #[must_use]
    pub fn shared(&self, share: Arc<Semaphore>) -> Self {
        Self { share: Some(share), ..self.clone() }
    }

    /// The bytes in use.
    pub fn in_use(&self) -> usize {
        self.max - self.free.available_permits()
    }

    /// Acquires bytes, if they are available.
    pub fn acquire(&self, bytes: usize) -> Option<BufferPermit> {
        let bytes = u32::try_from(bytes).ok()?;
        let share = self.share.as_ref().map(|share| Arc::clone(share).try_acquire_many_owned(bytes));
        let share = share.transpose().ok()?;
        Some(BufferPermit(Arc::clone(&self.free).try_acquire_many_owned(bytes).ok()?, share))
    }

    /// Acquires the bytes of a response.
    pub fn acquire_for_response(&self, bytes: usize) -> Option<BufferPermit> {
        self.acquire(if bytes <= FREE { 0 } else { bytes })
    }

    /// Reads a whole body of at most this many bytes. Bytes are acquired as they arrive: an announced length costs nothing.
    ///
    /// # Errors
    ///
    /// [`Unread`].
    pub async fn read(&self, body: Body, max: usize) -> Result<(Bytes, BufferPermit), Unread> {
        let mut body = Limited::new(body, max);
        let mut permit = self.acquire(0).ok_or(Unread::BudgetExceeded)?;
        let mut bytes = Vec::new();
        while let Some(frame) = body.frame().await {
            let frame = frame
                .map_err(|error| if error.is::<LengthLimitError>() { Unread::TooLarge } else { Unread::Incomplete })?;
            if let Ok(part) = frame.into_data() {
                let before = bytes.len().saturating_sub(FREE);
                bytes.extend_from_slice(&part);
                let more = bytes.len().saturating_sub(FREE) - before;
                permit.merge(self.acquire(more).ok_or(Unread::BudgetExceeded)?);
            }
        }
        Ok((bytes.into(), permit))
    }

    /// A response whose body holds its permit until the last byte has been sent; `None` if it exceeds the budget.
    pub async fn hold(&self, response: Response) -> Option<Response> {
        let (head, body) = response.into_parts();
        let permit = self.acquire_for_response(usize::try_from(body.size_hint().lower()).ok()?)?;
        // The body is complete, in one piece.
        let bytes = body.collect().await.ok()?.to_bytes();
        let body = Held { bytes, _permit: permit };
        Some(Response::from_parts(head, Body::from(Bytes::from_owner(body))))
    }
}

impl BufferPermit {
    /// Adds another part of the same budget.
    fn merge(&mut self, other: Self) {
        self.0.merge(other.0);
        if let (Some(share), Some(other)) = (&mut self.1, other.1) {
            share.merge(other);
        }
    }
}

/// Bytes that are dropped together with their permit.
struct Held {
    bytes: Bytes,
    _permit: BufferPermit,
}

impl AsRef<[u8]> for Held {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_client_has_a_share() {
        let buffers = Buffers::new(8 * FREE);
        let [one, other] = [(); 2].map(|()| buffers.shared(Arc::new(Semaphore::new(5 * FREE))));
        let (_, permit) = one.read(Body::from("x".repeat(6 * FREE)), 8 * FREE).await.unwrap();
        assert_eq!(buffers.in_use(), 5 * FREE);
        assert!(one.acquire(1).is_none() && other.acquire(1).is_some() && other.acquire(4 * FREE).is_none());
        drop(permit);
        assert!(one.acquire(5 * FREE).is_some());
    }

    #[tokio::test]
    async fn a_permit_is_released_with_its_bytes() {
        const LARGE: usize = FREE + 1;
        let buffers = Buffers::new(LARGE);
        let response = |bytes: usize| Response::new(Body::from("x".repeat(bytes)));
        let held = buffers.hold(response(LARGE)).await.unwrap();
        assert!(buffers.hold(response(LARGE)).await.is_none() && buffers.hold(response(FREE)).await.is_some());
        let read = async |bytes: usize| buffers.read(Body::from("x".repeat(bytes)), 2 * LARGE).await;
        assert!(matches!(read(LARGE).await, Err(Unread::BudgetExceeded)) && read(FREE).await.is_ok());
        let bytes = held.into_body().collect().await.unwrap().to_bytes();
        assert_eq!(bytes.len(), LARGE);
        let part = bytes.slice(FREE..);
        drop(bytes);
        assert!(buffers.acquire(1).is_none(), "a part of the bytes is still in use");
        drop(part);
        let (bytes, _permit) = read(LARGE).await.unwrap();
        assert_eq!(bytes.len(), LARGE);
        assert!(matches!(buffers.read(Body::from("1"), 0).await, Err(Unread::TooLarge)));
    }
}
