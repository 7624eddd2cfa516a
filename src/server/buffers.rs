//! How many bytes of what is asked and answered the server holds, for all its clients together.
//!
//! Places bound what is worked on. Beside that there is what its client has not sent wholly yet, or has not taken yet:
//! as much as there are connections, if nobody counted it. What finds no room is turned away.

use std::sync::Arc;

use async_graphql::ServerError;
use axum::body::{Body, Bytes, HttpBody};
use axum::response::Response;
use http_body_util::{BodyExt, LengthLimitError, Limited};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::graphql::{Code, refusal};

/// So few bytes of a body or an answer need no room: its connection holds more than that anyway. Where others have taken
/// all the room, most requests are answered still.
const SMALL: usize = 4 << 10;

/// What is said of a request for which there is no room.
pub const NO_ROOM: &str = "the server holds as much as it takes on (the setting MAX_BUFFERED): try again";

/// What is said in place of an answer for which there is no room.
pub fn no_room_for_answer() -> ServerError {
    let message = "the server holds as much as it takes on (the setting MAX_BUFFERED), and has dropped the answer; a \
        mutation may have taken effect all the same";
    refusal(Code::AnswerDropped, message)
}

/// Room for so many bytes. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Buffers {
    free: Arc<Semaphore>,
    most: usize,
}

/// Some of the room, until it is dropped.
#[derive(Debug)]
pub struct Room(OwnedSemaphorePermit);

/// Why a body was not read.
#[derive(Debug)]
pub enum Unread {
    /// It is longer than it may be.
    TooLong,
    /// There is no room for it.
    NoRoom,
    /// It ended before its end.
    Broken,
}

impl Buffers {
    /// Room for so many bytes.
    pub fn new(most: usize) -> Self {
        let most = most.min(Semaphore::MAX_PERMITS);
        Self { free: Arc::new(Semaphore::new(most)), most }
    }

    /// How many bytes of it are taken.
    pub fn taken(&self) -> usize {
        self.most - self.free.available_permits()
    }

    /// Takes room for so many bytes, if there is some.
    pub fn take(&self, bytes: usize) -> Option<Room> {
        let bytes = u32::try_from(bytes).ok()?;
        Arc::clone(&self.free).try_acquire_many_owned(bytes).ok().map(Room)
    }

    /// The same for an answer.
    pub fn take_for_answer(&self, bytes: usize) -> Option<Room> {
        self.take(if bytes <= SMALL { 0 } else { bytes })
    }

    /// A whole body of at most so many bytes. It takes its room as it comes: what a client says that it will send takes
    /// none.
    ///
    /// # Errors
    ///
    /// [`Unread`].
    pub async fn read(&self, body: Body, most: usize) -> Result<(Bytes, Room), Unread> {
        let mut body = Limited::new(body, most);
        let mut room = self.take(0).ok_or(Unread::NoRoom)?;
        let mut bytes = Vec::new();
        while let Some(frame) = body.frame().await {
            let frame =
                frame.map_err(|error| if error.is::<LengthLimitError>() { Unread::TooLong } else { Unread::Broken })?;
            if let Ok(part) = frame.into_data() {
                let before = bytes.len().saturating_sub(SMALL);
                bytes.extend_from_slice(&part);
                let more = bytes.len().saturating_sub(SMALL) - before;
                room.0.merge(self.take(more).ok_or(Unread::NoRoom)?.0);
            }
        }
        Ok((bytes.into(), room))
    }

    /// An answer whose body keeps its room until its last byte has been written. None where there is none.
    pub async fn keep(&self, answer: Response) -> Option<Response> {
        let (head, body) = answer.into_parts();
        let room = self.take_for_answer(usize::try_from(body.size_hint().lower()).ok()?)?;
        // It is whole, and one piece.
        let bytes = body.collect().await.ok()?.to_bytes();
        let kept = Kept { bytes, _room: room };
        Some(Response::from_parts(head, Body::from(Bytes::from_owner(kept))))
    }
}

/// Bytes with their room: the one is dropped with the other.
struct Kept {
    bytes: Bytes,
    _room: Room,
}

impl AsRef<[u8]> for Kept {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn room_is_there_again_when_its_bytes_are_gone() {
        const LARGE: usize = SMALL + 1;
        let buffers = Buffers::new(LARGE);
        let answer = |bytes: usize| Response::new(Body::from("x".repeat(bytes)));
        let kept = buffers.keep(answer(LARGE)).await.unwrap();
        assert!(buffers.keep(answer(LARGE)).await.is_none() && buffers.keep(answer(SMALL)).await.is_some());
        let read = async |bytes: usize| buffers.read(Body::from("x".repeat(bytes)), 2 * LARGE).await;
        assert!(matches!(read(LARGE).await, Err(Unread::NoRoom)) && read(SMALL).await.is_ok());
        let bytes = kept.into_body().collect().await.unwrap().to_bytes();
        assert_eq!(bytes.len(), LARGE);
        let part = bytes.slice(SMALL..);
        drop(bytes);
        assert!(buffers.take(1).is_none(), "a part of them is still there");
        drop(part);
        let (bytes, _room) = read(LARGE).await.unwrap();
        assert_eq!(bytes.len(), LARGE);
        assert!(matches!(buffers.read(Body::from("1"), 0).await, Err(Unread::TooLong)));
    }
}
