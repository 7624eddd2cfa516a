//! Bodies within the [memory budget](Memory): those of requests that are received, and of responses that are sent.
//!
//! A request that exceeds the budget is rejected.

use axum::body::{Body, Bytes, HttpBody};
use axum::response::Response;
use http_body_util::{BodyExt, LengthLimitError, Limited};

use crate::request::{Memory, MemoryPermit};

/// Bytes of a body or a response that are not counted: a connection uses more than that anyway. When the budget is used
/// up, small requests still succeed.
const FREE: usize = 4 << 10;

/// The message in place of a response that exceeds the budget.
pub const RESPONSE_DROPPED: &str = "the memory budget, or this client's share of it, is exhausted (the setting MAX_BUFFERED): \
    the response was dropped; a mutation may have taken effect";

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

/// Acquires the bytes of a response.
pub fn acquire_for_response(memory: &Memory, bytes: usize) -> Option<MemoryPermit> {
    memory.acquire(if bytes <= FREE { 0 } else { bytes })
}

/// Reads a whole body of at most this many bytes. Bytes are acquired as they arrive: an announced length costs nothing.
///
/// # Errors
///
/// [`Unread`].
pub async fn read(memory: &Memory, body: Body, max: usize) -> Result<(Bytes, MemoryPermit), Unread> {
    let mut body = Limited::new(body, max);
    let mut permit = memory.acquire(0).ok_or(Unread::BudgetExceeded)?;
    let mut bytes = Vec::new();
    while let Some(frame) = body.frame().await {
        let frame = frame
            .map_err(|error| if error.is::<LengthLimitError>() { Unread::TooLarge } else { Unread::Incomplete })?;
        let Ok(part) = frame.into_data() else { continue };
        let (before, needed) = (bytes.capacity(), bytes.len() + part.len());
        if needed > before {
            let after = needed.max((2 * before).min(max));
            let more = after.saturating_sub(FREE) - before.saturating_sub(FREE);
            permit.merge(memory.acquire(more).ok_or(Unread::BudgetExceeded)?);
            bytes.reserve_exact(after - bytes.len());
        }
        bytes.extend_from_slice(&part);
    }
    Ok((bytes.into(), permit))
}

/// A response whose body holds its permit until the last byte has been sent; `None` if it exceeds the budget.
pub async fn hold(memory: &Memory, response: Response) -> Option<Response> {
    let (head, body) = response.into_parts();
    let permit = acquire_for_response(memory, usize::try_from(body.size_hint().lower()).ok()?)?;
    // The body is complete, in one piece.
    let bytes = body.collect().await.ok()?.to_bytes();
    let body = Held { bytes, _permit: permit };
    Some(Response::from_parts(head, Body::from(Bytes::from_owner(body))))
}

/// Bytes that are dropped together with their permit.
struct Held {
    bytes: Bytes,
    _permit: MemoryPermit,
}

impl AsRef<[u8]> for Held {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::Stock;

    #[tokio::test]
    async fn a_client_has_a_share() {
        let stock = Stock::new(8 * FREE, 5 * FREE);
        let memory = Memory::of(stock.whole());
        let [one, other] = [(); 2].map(|()| Memory::of(stock.portion(None)));
        let (_, permit) = read(&one, Body::from("x".repeat(6 * FREE)), 8 * FREE).await.unwrap();
        assert_eq!(memory.in_use(), 5 * FREE);
        assert!(one.acquire(1).is_none() && other.acquire(1).is_some() && other.acquire(4 * FREE).is_none());
        drop(permit);
        assert!(one.acquire(5 * FREE).is_some());
    }

    #[tokio::test]
    async fn a_permit_is_released_with_its_bytes() {
        const LARGE: usize = FREE + 1;
        let memory = Memory::new(LARGE);
        let response = |bytes: usize| Response::new(Body::from("x".repeat(bytes)));
        let held = hold(&memory, response(LARGE)).await.unwrap();
        assert!(hold(&memory, response(LARGE)).await.is_none() && hold(&memory, response(FREE)).await.is_some());
        let receive = async |bytes: usize| read(&memory, Body::from("x".repeat(bytes)), 2 * LARGE).await;
        assert!(matches!(receive(LARGE).await, Err(Unread::BudgetExceeded)) && receive(FREE).await.is_ok());
        let bytes = held.into_body().collect().await.unwrap().to_bytes();
        assert_eq!(bytes.len(), LARGE);
        let part = bytes.slice(FREE..);
        drop(bytes);
        assert!(memory.acquire(1).is_none(), "a part of the bytes is still in use");
        drop(part);
        let (bytes, _permit) = receive(LARGE).await.unwrap();
        assert_eq!(bytes.len(), LARGE);
        assert!(matches!(read(&memory, Body::from("1"), 0).await, Err(Unread::TooLarge)));
    }
}
